/** Tokens are blanked where they enter: a target may give away what it was told, and its words end in journals and reports. */
import type { Answer } from '../../crew/answer.ts'

const BLANK = '***'

/** The answer itself when no token stands in its body or headers, which is nearly always. */
export function withoutTokens(answer: Answer, tokens: readonly string[]): Answer {
  if (answer.kind === 'failure') return answer
  const { body, headers } = answer
  if (!tokens.some((token) => isIn(token, body, headers))) return answer
  const blanked = Object.entries(headers).map(([name, value]) => [name, blank(value, tokens)])
  return { ...answer, body: blank(body, tokens), headers: Object.fromEntries(blanked) }
}

export function blank(text: string, tokens: readonly string[]): string {
  return tokens.reduce((rest, token) => rest.replaceAll(token, BLANK), text)
}

function isIn(token: string, body: string, headers: Readonly<Record<string, string>>): boolean {
  if (body.includes(token)) return true
  for (const name in headers) if (headers[name]!.includes(token)) return true
  return false
}
