/** The JSON Schema of a scenario's data: what an author may write, except functions. */
import { z } from 'zod'
import { scenario } from './scenario.ts'
import { CHOICES } from './shapes.ts'

export function scenarioJsonSchema(): Record<string, unknown> {
  const { $schema, ...body } = jsonSchema(scenario)
  return {
    $schema,
    title: 'crewload scenario',
    description:
      'The data of a scenario; in a scenario file, inputs, tags and checks may also ' +
      'be functions, which a schema cannot describe.',
    ...body,
  }
}

function jsonSchema(schema: z.core.$ZodType): Record<string, unknown> {
  return z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema: target }) => {
      const options = CHOICES.get(zodSchema)
      if (options !== undefined) target.anyOf = options.map(option)
    },
  })
}

function option(schema: z.ZodType): z.core.JSONSchema.BaseSchema {
  const { $schema: _, ...body } = jsonSchema(schema)
  return body
}
