/** Converts the schema of a document to JSON Schema (2020-12), for readers of the document. */
import { z } from 'zod'

/** A field with a default is optional, because documents of older versions lack it. */
export function publishedSchema(schema: z.ZodType): Record<string, unknown> {
  return z.toJSONSchema(schema, { override: ({ jsonSchema }) => adapt(jsonSchema) })
}

function adapt(schema: z.core.JSONSchema.BaseSchema): void {
  // `readOnly` only says that our code does not change a list, which no reader needs to know.
  delete schema.readOnly
  const { properties = {}, required } = schema
  if (required === undefined) return
  schema.required = required.filter((key) => {
    const property = properties[key]
    return typeof property !== 'object' || property.default === undefined
  })
}
