/** A whole answer whose body is no JSON: it breaks off halfway, and its length says so. */
import type { Effect } from '../effect.ts'

export function malformedEffect(): Effect {
  return {
    content: ({ status, headers, body }) => {
      const text = body ?? ''
      return { status, headers, body: `${text.slice(0, Math.floor(text.length / 2))}<` }
    },
  }
}
