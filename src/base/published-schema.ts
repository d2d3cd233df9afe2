/** Converts the schema of a document to JSON Schema (2020-12), for readers of the document. */
import { z } from 'zod'

export function publishedSchema(schema: z.ZodType): Record<string, unknown> {
  return z.toJSONSchema(schema, {
    reused: 'ref',
    // It only says that our code does not change a list, which no reader needs to know.
    override: ({ jsonSchema }) => void delete jsonSchema.readOnly,
  })
}
