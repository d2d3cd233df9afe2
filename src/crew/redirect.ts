/** Answers that name another place: they are never followed, because the token would go there too. */
import type { WholeAnswer } from './answer.ts'
import { excerpt } from './excerpt.ts'

/** `HTTP 307 to /kickoff/`; undefined for an answer that is no redirect. */
export function redirection({ status, headers }: WholeAnswer): string | undefined {
  if (status < 300 || status > 399) return undefined
  const { location } = headers
  return location === undefined ? `HTTP ${status}` : `HTTP ${status} to ${excerpt(location)}`
}
