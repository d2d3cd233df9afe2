/** The check of an execution's record, by its table of fields; its types alone reach k6. */
import { z } from 'zod'
import { EXECUTION_FIELDS } from './execution-fields.ts'
import * as shapes from './shapes.schema.ts'

const SHAPES = { ...shapes }

type ExecutionFields = typeof EXECUTION_FIELDS
type FieldChecks = {
  [Name in keyof ExecutionFields]: ExecutionFields[Name] extends { isOptional: true }
    ? z.ZodExactOptional<(typeof SHAPES)[ExecutionFields[Name]['shape']]>
    : (typeof SHAPES)[ExecutionFields[Name]['shape']]
}

const checks = Object.fromEntries(
  Object.entries(EXECUTION_FIELDS).map(([name, field]) => {
    const check = SHAPES[field.shape]
    return [name, 'isOptional' in field ? check.exactOptional() : check]
  }),
) as FieldChecks

export const executionRecord = z.object(checks)
export type ExecutionRecord = z.infer<typeof executionRecord>
