/** The answer to a request that limits refuse, in the words of the dialect or of the profile. */
import type { Content } from '../exchange.ts'
import { withHeaders } from '../exchange.ts'
import type { RefusedByLimit } from './limits.ts'

/** By the first character of a body, what it is; anything else is plain text. */
const TYPES: Readonly<Record<string, string>> = {
  '{': 'application/json',
  '[': 'application/json',
  '<': 'text/html',
}

/** `own`: what the dialect says of a limit. */
export function refusedContent(own: Content, { status, headers, body }: RefusedByLimit): Content {
  if (body === null) return withHeaders(own, headers)
  const type = TYPES[body[0] ?? ''] ?? 'text/plain; charset=utf-8'
  return { status, headers: { 'content-type': type, ...headers }, body }
}
