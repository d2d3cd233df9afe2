/** The shape of a document as JSON Schema (2020-12), for who reads it. */
import { z } from 'zod'

/** What has a default may be missing: documents of older versions lack it. */
export function publishedSchema(schema: z.ZodType): Record<string, unknown> {
  return z.toJSONSchema(schema, { override: ({ jsonSchema }) => adapt(jsonSchema) })
}

function adapt(schema: z.core.JSONSchema.BaseSchema): void {
  // That our code does not change a list says nothing to a reader.
  delete schema.readOnly
  const { properties = {}, required } = schema
  if (required === undefined) return
  schema.required = required.filter((key) => {
    const property = properties[key]
    return typeof property !== 'object' || property.default === undefined
  })
}
