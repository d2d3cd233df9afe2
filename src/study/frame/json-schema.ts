/** The JSON Schema (2020-12) of a study's document. */
import { z } from 'zod'
import type { StudyDocument } from './envelope.ts'
import type { Study } from './study.ts'

export function studyJsonSchema<Plan, Document extends StudyDocument>({
  name,
  holds,
  schema,
}: Pick<Study<Plan, Document>, 'name' | 'holds' | 'schema'>): Record<string, unknown> {
  return {
    title: `crewload ${name}`,
    description: `The document of one study: ${holds}.`,
    ...z.toJSONSchema(schema),
  }
}
