/** No header field reports a limit. */
import type { HeaderDialectDefinition } from './dialect.ts'

export const none: HeaderDialectDefinition = {
  description: 'Nothing.',
  fields: () => ({}),
}
