/** What to do about an answer that is of no use. */
import type { AnswerCode } from '../../crew/observation.ts'
import { BODY_FAULTS } from '../../crew/observation.ts'

const ADDRESS = 'check the base URL of --target: the path may be another one there'
const TOKEN = 'use a token that may start executions: a user token may have fewer rights'
const SERVER = 'look at the log of the crew: its server failed'

const OF_STATUS: ReadonlyMap<AnswerCode, string> = new Map<AnswerCode, string>([
  [400, 'the crew cannot read this kickoff: give the inputs that it expects with --inputs'],
  [401, TOKEN],
  [402, 'look at the account of the crew: it asks for a payment'],
  [403, TOKEN],
  [404, ADDRESS],
  [405, ADDRESS],
  [407, 'give the proxy its user name and password, or leave the target out of it: NO_PROXY'],
  [409, 'look at the log of the crew: it takes this kickoff for a conflict with another one'],
  [410, ADDRESS],
  [413, 'give shorter inputs with --inputs'],
  [415, `the target takes no JSON; ${ADDRESS}`],
  [422, 'give the inputs that the crew expects with --inputs'],
  [429, 'a rate limit refused it: try again later, or ask for a higher limit'],
  [501, ADDRESS],
  [503, 'the crew is overloaded or not up yet: try again later'],
])

const BODY = 'the answer is no JSON of a crew: check the base URL, or what stands in front of it'

/** `code`: of the last answer; undefined when there was none. */
export function remedyOf(code: AnswerCode | undefined): string {
  if (code === undefined) return 'look at the log of the crew'
  const known = OF_STATUS.get(code)
  if (known !== undefined) return known
  if (typeof code === 'string') return isBodyFault(code) ? BODY : 'look at the log of the crew'
  if (code < 300) return BODY
  if (code < 400) return 'give the address to which it redirects as --target'
  return code >= 500 ? SERVER : 'look at the log of the crew for why it refuses this'
}

function isBodyFault(code: string): boolean {
  return (BODY_FAULTS as readonly string[]).includes(code)
}
