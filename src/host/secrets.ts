/**
 * Removes secrets from the texts of a target that are kept: it may echo what it received, and its
 * texts end up in journals and reports. What is measured (bodies, sizes, hashes) stays unchanged.
 */
import { HIDDEN_VALUE } from '../base/text.ts'
import type { Answer } from '../crew/answer.ts'
import type { IncidentLine, JournalLine } from '../execution/record/journal-lines.ts'
import type { EndReason } from '../execution/record/reason.schema.ts'
import type { ExecutionRecord, Violation } from '../execution/record/record.ts'

/**
 * A shorter token is left where it stands: it would take letters out of every word, and hide what
 * the text says. No issuer gives tokens of so few characters.
 */
export const SHORTEST_TOKEN = 8

/** The variables that hold our own secrets. */
export const OUR_SECRETS: ReadonlySet<string> = new Set([
  'CREWLOAD_TOKEN',
  'CREWLOAD_FAKE_ADMIN_TOKEN',
  'CREWLOAD_OAUTH_CLIENT_SECRET',
  'CREWLOAD_KEY_PASSPHRASE',
])

export function countShortTokens(tokens: readonly string[]): number {
  return tokens.filter(({ length }) => length < SHORTEST_TOKEN).length
}

/** Headers that are named as credentials, and whose value is as short, a scheme left out. */
export function countShortHeaders(headers: Readonly<Record<string, string>>): number {
  return countShortTokens(credentialsIn(headers).map(withoutScheme))
}

const CREDENTIAL_NAME = /auth|cookie|credential|key|pass|secret|session|signature|token/i

/**
 * What a target may echo and nobody may read: `tokens`, which may be renewed, and the values of
 * headers that are named as credentials. Others, such as that of a tenant, may be part of an id.
 * Gives the same list as long as the tokens stay.
 */
export function secretsOf(
  headers: Readonly<Record<string, string>>,
  tokens: () => readonly string[],
): () => readonly string[] {
  const values = credentialsIn(headers)
  if (values.length === 0) return tokens
  let known = tokens()
  let all = [...known, ...values]
  return () => {
    if (tokens() !== known) {
      known = tokens()
      all = [...known, ...values]
    }
    return all
  }
}

function credentialsIn(headers: Readonly<Record<string, string>>): string[] {
  const named = Object.entries(headers).filter(([name]) => CREDENTIAL_NAME.test(name))
  return named.map(([, value]) => value)
}

/** `ApiKey key` is `key`. */
function withoutScheme(value: string): string {
  return value.replace(/^[\w-]+ +/, '')
}

/** Takes out the tokens, as they are and in the forms in which a target may echo them. */
export function blank(text: string, tokens: readonly string[]): string {
  return formsOf(tokens).reduce((rest, form) => rest.replaceAll(form, HIDDEN_VALUE), text)
}

/**
 * The same for an answer outside a run, of which nothing is measured by its size: its texts end up
 * in messages and reports.
 */
export function cleanAnswer(answer: Answer, tokens: readonly string[]): Answer {
  if (answer.kind === 'failure') return answer
  const { json: _, ...rest } = answer
  const headers = Object.entries(answer.headers).map(([name, text]) => [name, blank(text, tokens)])
  const clean = Object.fromEntries(headers) as Record<string, string>
  return { ...rest, headers: clean, body: blank(answer.body, tokens) }
}

const FORMS = new WeakMap<readonly string[], readonly string[]>()

/** Called for every line: the forms of a list of tokens are made once. */
function formsOf(tokens: readonly string[]): readonly string[] {
  const known = FORMS.get(tokens)
  if (known !== undefined) return known
  const long = tokens.flatMap(partsOf).filter((token) => token.length >= SHORTEST_TOKEN)
  const forms = [...new Set(long.flatMap(formsOfOne))].toSorted((a, b) => b.length - a.length)
  FORMS.set(tokens, forms)
  return forms
}

/** A header's value has parts that a target may repeat: `ApiKey key`, `Token token="key"`. */
function partsOf(token: string): string[] {
  return [
    token,
    withoutScheme(token),
    ...[...token.matchAll(/=\s*"?([^\s",]+)/g)].map(([, value = '']) => value),
  ]
}

/** As JSON and URLs write it, and in base64 at each of the three positions within its groups. */
function formsOfOne(token: string): string[] {
  const quoted = JSON.stringify(token).slice(1, -1)
  const escaped = encodeURIComponent(token)
  const coded = [0, 1, 2].map((offset) => base64Within(token, offset))
  return [
    token,
    quoted,
    quoted.replaceAll('/', String.raw`\/`),
    escaped,
    escaped.replaceAll(/%../g, (hex) => hex.toLowerCase()),
    ...coded,
    ...coded.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
  ]
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/**
 * The digits that depend on the token alone, where `offset` bytes of something else stand before it
 * in the same group of three. Tokens are ASCII; k6 has neither Buffer nor btoa.
 */
function base64Within(token: string, offset: number): string {
  const bits = Array.from({ length: token.length }, (_, i) =>
    token.charCodeAt(i).toString(2).padStart(8, '0'),
  ).join('')
  const first = (6 - ((8 * offset) % 6)) % 6
  let digits = ''
  for (let at = first; at + 6 <= bits.length; at += 6) {
    digits += BASE64[Number.parseInt(bits.slice(at, at + 6), 2)] ?? ''
  }
  return digits
}

/** Returns the line itself if it contains no token, which is nearly always. */
export function withoutTokens(line: JournalLine, tokens: readonly string[]): JournalLine {
  const clean = (text: string): string => blank(text, tokens)
  switch (line.type) {
    case 'ended':
      return tellsToken(line.record, tokens)
        ? { ...line, record: cleaned(line.record, clean) }
        : line
    case 'accepted':
      return { ...line, kickoffId: clean(line.kickoffId) }
    case 'push':
      return line.kickoffId === null ? line : { ...line, kickoffId: clean(line.kickoffId) }
    case 'incident':
      return { ...line, incident: cleanIncident(line.incident, clean) }
    default:
      return line satisfies OwnLine
  }
}

/**
 * Lines and incidents in which nothing comes from the target. Every other one must be cleaned: a
 * new one does not compile before it is in this list or has a case.
 */
type OwnLine = Extract<JournalLine, { type: 'run' | 'started' | 'resumed' | 'finished' }>
type OwnIncident = Extract<
  IncidentLine['incident'],
  {
    kind:
      | 'confirmation'
      | 'requests-reserved'
      | 'time-reserved'
      | 'target-lost'
      | 'target-probed'
      | 'clock-step'
      | 'journal-error'
      | 'note'
  }
>

function cleanIncident(
  incident: IncidentLine['incident'],
  clean: (text: string) => string,
): IncidentLine['incident'] {
  if (incident.kind === 'violation') {
    return { ...incident, violation: cleanViolation(incident.violation, clean) }
  }
  if (incident.kind === 'inputs-missing' || incident.kind === 'inputs-refused') {
    return { ...incident, names: incident.names.map(clean) }
  }
  return incident satisfies OwnIncident
}

/** Every text in a record that comes from the target. */
function* foreignTexts(record: ExecutionRecord): Iterable<string> {
  if (record.kickoffId !== null) yield record.kickoffId
  if (record.reason !== null && 'text' in record.reason) yield record.reason.text
  if (record.reason?.code === 'stopped' && 'why' in record.reason.stop) yield record.reason.stop.why
  for (const { example } of record.violations) yield example
  for (const { task } of record.changes) if (task !== null) yield task
  for (const { taskId, agent = '' } of record.reported.tasks) {
    yield taskId
    yield agent
  }
  for (const result of Object.values(record.checks)) if (typeof result === 'string') yield result
}

function tellsToken(record: ExecutionRecord, tokens: readonly string[]): boolean {
  const forms = formsOf(tokens)
  for (const text of foreignTexts(record)) {
    for (const form of forms) if (text.includes(form)) return true
  }
  return false
}

function cleanReason(reason: EndReason, clean: (text: string) => string): EndReason {
  if ('text' in reason) return { ...reason, text: clean(reason.text) }
  if (reason.code !== 'stopped' || !('why' in reason.stop)) return reason
  return { ...reason, stop: { ...reason.stop, why: clean(reason.stop.why) } }
}

function cleaned(record: ExecutionRecord, clean: (text: string) => string): ExecutionRecord {
  const orNull = (text: string | null): string | null => (text === null ? null : clean(text))
  const { reason, reported } = record
  return {
    ...record,
    kickoffId: orNull(record.kickoffId),
    reason: reason === null ? null : cleanReason(reason, clean),
    violations: record.violations.map((violation) => cleanViolation(violation, clean)),
    changes: record.changes.map((change) => ({ ...change, task: orNull(change.task) })),
    reported: {
      ...reported,
      tasks: reported.tasks.map(({ taskId, agent, executionTimeSeconds }) => ({
        taskId: clean(taskId),
        agent: clean(agent),
        executionTimeSeconds,
      })),
    },
    checks: checksWith(record.checks, clean),
  }
}

type Checks = ExecutionRecord['checks']

/** The same results, with the messages of those that threw changed by `change`. */
export function checksWith(checks: Checks, change: (message: string) => string): Checks {
  const changed = Object.entries(checks).map(([name, result]) => [
    name,
    typeof result === 'string' ? change(result) : result,
  ])
  return Object.fromEntries(changed) as Checks
}

function cleanViolation(violation: Violation, clean: (text: string) => string): Violation {
  return { ...violation, example: clean(violation.example) }
}
