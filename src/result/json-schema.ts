/** The document of a run as JSON Schema. */
import { resultDocument } from './document.ts'
import { publishedSchema } from '../base/published-schema.ts'
import { OUTCOMES } from '../execution/record/record.ts'

/** JSON Schema (2020-12) of `result.json`. */
export function resultJsonSchema(): Record<string, unknown> {
  return {
    title: 'crewload result',
    description: `The result of one run, crewload/result/2; outcomes: ${OUTCOMES.join(', ')}`,
    ...publishedSchema(resultDocument),
  }
}
