/** No header field tells of a limit. */
import type { HeaderDialectDefinition } from './dialect.ts'

export const none: HeaderDialectDefinition = {
  description: 'Nothing.',
  fields: () => ({}),
}
