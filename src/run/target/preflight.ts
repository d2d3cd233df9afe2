/**
 * Checks before the first paid kickoff whether the target can be reached and accepts our token, and
 * whether the scenario's inputs fit.
 */
import type { Answer, WholeAnswer, FailedRequest, FailureClass } from '../../crew/answer.ts'
import { isJsonType } from '../../crew/json.ts'
import { excerpt } from '../../crew/excerpt.ts'
import type { MissingInputs } from '../../crew/inputs/sentences.ts'
import { notGivenWords } from '../../crew/inputs/sentences.ts'
import type { ListedInput } from '../../crew/observation.ts'
import { readInputs, redirection } from '../../crew/read.ts'
import { DOCUMENTED_PATHS, inputsRequest } from '../../crew/crew-request.ts'
import type { Host } from '../../engine/host.ts'
import type { TokenSource } from '../../host/node/token-source.ts'
import { cleanAnswer, secretsOf } from '../../host/secrets.ts'
import { UserError } from '../../base/mistakes.ts'
import type { Micros } from '../../base/units.ts'
import { formatDuration } from '../../base/numbers.ts'
import { MICROS_PER_SECOND } from '../../base/units.ts'
import type { Plan } from '../../scenario/plan.ts'
import { TargetError } from '../errors.ts'
import { missingInputs } from './refused-inputs.ts'

/** A first answer that took so long was one of a crew that had to start. */
export const COLD_MICROS = 3 * MICROS_PER_SECOND

function coldNote(serviceMicros: Micros): string {
  const took = formatDuration(serviceMicros)
  return `the first answer took ${took}, before the measurement: a cold start is not in its figures`
}

/**
 * Asks for `GET /inputs` once with each token. Throws TargetError when the target cannot be reached
 * or refuses one. Other problems are notes, since only kickoff and status are needed. Returns the
 * names that the crew lists and the scenario does not give, unless the crew says that they are
 * optional: the first kickoff shows whether it needs them.
 */
export async function preflight(
  host: Pick<Host, 'send' | 'budget'>,
  plan: Plan,
  place: {
    target: URL
    tokens: readonly string[]
    tokenSource?: Pick<TokenSource, 'secrets'> | undefined
    tokensFrom?: string | undefined
  },
  runId: string,
  onNote: ((note: string) => void) | undefined,
): Promise<MissingInputs> {
  const { target, tokens, tokenSource, tokensFrom } = place
  const secrets = secretsOf(plan.http.headers, () => tokenSource?.secrets ?? tokens)
  let listed: readonly ListedInput[] = []
  const notes = new Set<string>()
  for (let i = 0; i < requestsOfPreflight(place); i++) {
    if (!host.budget.spend('request')) throw noBudget(plan)
    const heard = await ask(host, plan, runId, i)
    const answer = cleanAnswer(heard, secrets())
    const asked = { token: i, tokens: tokens.length, tokensFrom }
    demandUsable(target, answer, asked, plan.paths?.inputs)
    const serviceMicros = answer.timing.doneMicros - answer.timing.releasedMicros
    if (i === 0 && serviceMicros >= COLD_MICROS) notes.add(coldNote(serviceMicros))
    const observed = readInputs(answer)
    if (observed.listed === null) notes.add(`GET /inputs could not be read (${answer.status})`)
    listed = observed.listed ?? listed
  }
  const missing = missingInputs(Object.keys(plan.inputs(0).inputs), listed)
  if (missing.names.length > 0) notes.add(notGivenWords(missing))
  for (const note of notes) onNote?.(note)
  return missing
}

export function requestsOfPreflight({ tokens }: { tokens: readonly string[] }): number {
  return Math.max(1, tokens.length)
}

/** The host assigns tokens by the execution's index. */
async function ask(
  host: Pick<Host, 'send'>,
  plan: Plan,
  runId: string,
  token: number,
): Promise<Answer> {
  const request = { ...inputsRequest(`${runId}/preflight`, plan.paths), execution: token }
  const limits = {
    timeoutMicros: plan.http.firstCallTimeoutMicros,
    maxBytes: plan.http.maxBodyBytes,
  }
  return new Promise((resolve) => {
    host.send(request, limits, resolve)
  })
}

/**
 * Throws TargetError where the answer to `GET /inputs` shows that nothing can be asked there: there
 * is none, it refuses the token, or no crew gave it. It was asked with `token` of so many, from 0.
 */
export function demandUsable(
  target: URL,
  answer: Answer,
  { token, tokens, tokensFrom }: { token: number; tokens: number; tokensFrom?: string | undefined },
  path?: string,
): asserts answer is WholeAnswer {
  if (answer.kind === 'failure') throw unreachableTarget(target, answer)
  const { status } = answer
  if (status !== 401 && status !== 403) return demandCrew(target, answer, path)
  const which = tokens > 1 ? ` ${token + 1} of ${tokens}` : ''
  throw refused(target, status, tokens === 0 ? null : which, tokensFrom)
}

function unreachableTarget(target: URL, failed: FailedProbe): TargetError {
  return new TargetError(target, `cannot be reached: ${failureWords(failed)}`, failed.detail)
}

/** `which` names one token of several; null when none was given. */
function refused(
  target: URL,
  status: number,
  which: string | null,
  from = 'CREWLOAD_TOKEN, --token-file, or in code the option tokens',
): TargetError {
  const problem =
    which === null ? 'requires a token, and none was given' : `refused our token${which}`
  return new TargetError(target, `${problem}; give a valid one: ${from}`, String(status))
}

/** The answers of a server that has no such path, or that redirects requests elsewhere. */
const NO_SUCH_PATH: ReadonlySet<number> = new Set([404, 405, 410, 501])

/** The kickoff that was to give an execution to poll gave none that can be named. */
export function noKickoffId(target: URL, found: string): TargetError {
  return new TargetError(target, 'the kickoff that status needs gave no id', found)
}

/**
 * Throws TargetError when the answer to `GET /inputs` shows that no crew is there: every crew has
 * that path, and answers in JSON. A kickoff to such an address would at best be lost, and at worst
 * be mistaken for something else.
 */
function demandCrew(target: URL, answer: WholeAnswer, path = DOCUMENTED_PATHS.inputs): void {
  const { status } = answer
  const isElsewhere = status >= 300 && status < 400
  if (!NO_SUCH_PATH.has(status) && !isElsewhere && !isForeign(answer)) return
  const type = excerpt(answer.headers['content-type'] ?? 'no content type', 60)
  const problem = isElsewhere
    ? `redirects elsewhere, which is not followed: ${baseWords(target, answer, path)}`
    : 'this does not look like a crew: check the base URL'
  const seen = redirection(answer) ?? `${status}, ${type}`
  throw new TargetError(target, problem, `GET ${path} answered ${seen}`)
}

/** What to give as the target, if the redirect keeps the path of the operation. */
function baseWords(target: URL, { headers: { location = '' } }: WholeAnswer, path: string): string {
  const own = target.href.replace(/\/$/, '')
  const to = URL.canParse(location, own + path) ? new URL(location, own + path) : null
  const whole = to === null ? '' : (to.origin + to.pathname).replace(/\/$/, '')
  const base = whole.endsWith(path) ? whole.slice(0, -path.length) : own
  const isKnown = base !== own
  return isKnown
    ? `give --target ${excerpt(base)}`
    : 'give the base URL of the crew itself as --target'
}

/** A successful answer that is not JSON and does not claim to be. */
function isForeign(answer: WholeAnswer): boolean {
  const { status, headers } = answer
  const isGood = status >= 200 && status < 300
  return isGood && !isJsonType(headers['content-type']) && readInputs(answer).code === 'not-json'
}

function noBudget({ budget }: Plan): UserError {
  const problem = 'is spent before anything else is sent: the preflight takes one request per token'
  const found = String(budget.requests)
  return new UserError({ source: '--max-requests', found, problem })
}

/** Says why a target could not be reached, and what to do about it. */
const WORDS: Partial<Record<FailureClass, string>> = {
  refused: 'no process listens there (connection refused)',
  unreachable: 'no connection to it can be made',
  dns: 'its host name cannot be resolved',
  'connect-timeout': 'no connection within the time-out',
  timeout: 'no answer within the time-out',
  closed: 'it closed the connection without an answer; if it uses TLS, use https://',
  reset: 'it reset the connection; if it uses TLS, use https://',
  'malformed-http': 'the server there does not speak HTTP',
}

/** OpenSSL's names for a first answer that is not TLS, in the versions of Node 20 to 24. */
const NOT_TLS = /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|UNKNOWN_PROTOCOL|HTTP_REQUEST/
/**
 * Node's codes for problems with a certificate (its documentation, "X509 certificate error codes").
 */
const CERTIFICATE = /CERT|CRL|CA\b|SIGNED|ISSUER|LEAF_SIGNATURE|PATH_LENGTH/

type FailedProbe = Pick<FailedRequest, 'class' | 'detail' | 'isLocal'>

export function failureWords({ class: failure, detail, isLocal }: FailedProbe): string {
  if (isLocal === true) return 'this machine ran out of what a connection needs'
  return failure === 'tls' ? tlsWords(detail) : (WORDS[failure] ?? failure)
}

/** OpenSSL's names for how a target refuses us, by TLS 1.3 and by TLS 1.2. */
const NO_CLIENT_CERTIFICATE = /ALERT_(CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE)/
const BAD_CLIENT_CERTIFICATE = /ALERT_(.*CERTIFICATE|UNKNOWN_CA)/

function tlsWords(detail: string): string {
  if (NO_CLIENT_CERTIFICATE.test(detail)) {
    return 'it refused the handshake, as if it requires a client certificate (--cert and --key FILE)'
  }
  if (BAD_CLIENT_CERTIFICATE.test(detail)) {
    return 'it refused our client certificate (--cert FILE)'
  }
  if (NOT_TLS.test(detail)) return 'it does not use TLS: use http://'
  if (!CERTIFICATE.test(detail)) return 'no TLS connection could be negotiated'
  return 'its certificate is not trusted (--ca FILE names an authority, --insecure skips the check)'
}
