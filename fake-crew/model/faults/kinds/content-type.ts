/** The right body under a wrong content type. */
import type { Effect } from '../effect.ts'
import type { FaultWhat } from '../fault.ts'

export function contentTypeEffect({ type }: Extract<FaultWhat, { kind: 'contentType' }>): Effect {
  return {
    content: ({ status, headers, body }) => ({
      status,
      headers: { ...headers, 'content-type': type },
      body,
    }),
  }
}
