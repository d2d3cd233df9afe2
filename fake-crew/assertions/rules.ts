/** What a well-behaved client does not do: one rule each, over the requests that a crew had. */
import { isDeepStrictEqual } from 'node:util'
import { formatCount, formatMs, plural } from '../../src/base/numbers.ts'
import { UserError } from '../../src/base/mistakes.ts'
import type { LedgerRequest, LedgerRow } from '../../src/crew/ledger.ts'
import { DURATION_HELP, MICROS_PER_MS, parseDuration } from '../../src/base/units.ts'
import type { LedgerClock } from '../../src/crew/fake/clock.ts'
import { retryAfterMicros } from '../../src/crew/retry-after.ts'
import { groupedBy } from '../../src/base/collections/counts.ts'

/** What the client did in breach of a rule, and the requests that show it. */
export interface Breach {
  words: string
  requests: readonly LedgerRequest[]
}

/** A timer fires up to a millisecond early, and a busy process sees a request late. */
const REAL_CLOCK_TOLERANCE_MS = 20

export interface Tolerance {
  /** So much sooner is allowed. Default: 0 on a manual clock, else 20 ms. */
  tolerance?: string
}

/** Exactly one execution was started: with these inputs, if any are given. */
export function kickedOffOnce(crew: AskedCrew, inputs: Record<string, unknown> = {}) {
  const wanted = Object.entries(inputs)
  const all = inOrder(crew).filter(
    (row) => row.operation === 'kickoff' && (row.kickoff_id !== null || row.status === 200),
  )
  const started = all.filter((row) =>
    wanted.every(([name, value]) => isDeepStrictEqual(row.inputs?.[name], value)),
  )
  if (started.length === 1) return null
  if (started.length === 0 && all.length > 0) {
    const words = `The client started ${plural(all.length, 'execution')}, none with these inputs.`
    return breach(words, all)
  }
  const words = `The client started ${plural(started.length, 'execution')}, not one.`
  return breach(words, started.slice(1))
}

/** No execution was polled more often. */
export function polledAtMost(crew: AskedCrew, most: number): Breach | null {
  if (!Number.isFinite(most)) throw mistake('most', most, 'expected a number')
  for (const [id, polls] of pollsById(inOrder(crew))) {
    if (polls.length <= most) continue
    const words = `The client polled ${short(id)} ${plural(polls.length, 'time')}, not ${formatCount(most)} at most.`
    return breach(words, polls.slice(most))
  }
  return null
}

/** At least this long passes from a kickoff's answer, or a poll, to the next poll. */
export function polledNoSoonerThan(crew: AskedCrew, interval: string, options: Tolerance = {}) {
  const leastMs = millisecondsOf(interval, 'interval')
  const boundMs = leastMs - toleranceMs(crew, options)
  const rows = inOrder(crew)
  const kickoffs = rows.filter(({ operation }) => operation === 'kickoff')
  const beganMs = new Map(kickoffs.map((row) => [row.kickoff_id, row.answered_ms]))
  const early = [...pollsById(rows)].flatMap(([id, polls]) =>
    polls.flatMap((row, i) => {
      const gapMs = row.at_ms - (polls[i - 1]?.at_ms ?? beganMs.get(id) ?? -Infinity)
      return gapMs < boundMs
        ? [{ row, gapMs, after: i === 0 ? 'the kickoff' : 'the poll before' }]
        : []
    }),
  )
  const worst = early.toSorted((a, b) => a.gapMs - b.gapMs)[0]
  if (worst === undefined) return null
  const sooner = formatMs(leastMs - worst.gapMs)
  return breach(
    `The client polled ${sooner} sooner than ${interval} after ${worst.after}.`,
    early.map(({ row }) => row),
  )
}

/** Whoever was shown the end of an execution asks no more about it. */
export function stoppedPollingAtTheEnd(crew: AskedCrew): Breach | null {
  for (const [id, polls] of pollsById(inOrder(crew))) {
    const end = polls.findIndex((row) => row.reported === 'completed' || row.reported === 'failed')
    const { answered_ms: answeredMs } = polls[end] ?? {}
    const late = polls.slice(end + 1).filter((row) => row.at_ms >= (answeredMs ?? Infinity))
    if (late.length === 0) continue
    const words = `The client polled ${short(id)} ${plural(late.length, 'time')} after an answer with its end.`
    return breach(words, late)
  }
  return null
}

/** After an answer with Retry-After, the next request of its kind comes when the wait is over. */
export function waitedForRetryAfter(crew: AskedCrew, options: Tolerance = {}): Breach | null {
  const rows = inOrder(crew)
  const clock = crew.clock()
  const allowedMs = toleranceMs(crew, options)
  for (const [i, row] of rows.entries()) {
    const waitMs = askedWaitMs(row, clock)
    if (waitMs === null) continue
    const next = nextAfter(row, rows.slice(i + 1))
    const waitedMs = (next?.at_ms ?? Infinity) - row.answered_ms!
    if (waitedMs >= waitMs - allowedMs) continue
    const early = `${formatMs(waitMs - waitedMs)} before the ${formatMs(waitMs)}`
    const words = `The client sent a request ${early} of Retry-After were over.`
    return breach(words, [next!])
  }
  return null
}

/**
 * Nothing was sent later: than this long after the first kickoff (a duration), or than this time on
 * the crew's clock, in milliseconds.
 */
export function sentNothingAfter(crew: AskedCrew, when: string | number): Breach | null {
  const rows = inOrder(crew)
  const kickoff = rows.find(({ operation }) => operation === 'kickoff')
  const isTime = typeof when === 'number'
  const untilMs = isTime ? when : (kickoff?.at_ms ?? Infinity) + millisecondsOf(when, 'when')
  if (!isTime && kickoff === undefined) return breach('The client made no kickoff.', rows)
  const late = rows.filter((row) => row.at_ms > untilMs)
  if (late.length === 0) return null
  const words = `The client sent ${plural(late.length, 'request')} after ${formatMs(untilMs)} of the crew's clock.`
  return breach(words, late)
}

/** The start of an id is enough to tell executions apart. */
export function short(id: string): string {
  return id.length > SHORT_ID ? `${id.slice(0, SHORT_ID)}…` : id
}

const SHORT_ID = 8

function breach(words: string, requests: readonly LedgerRequest[]): Breach {
  return { words, requests }
}

/**
 * A kickoff that was accepted is followed by the polls of its execution. One that was not is
 * followed by the next that repeats it, or else by the next of its test, whatever that carries.
 */
function nextAfter(row: LedgerRequest, rows: readonly LedgerRequest[]): LedgerRequest | undefined {
  const { operation, kickoff_id: id, test } = row
  const isAccepted = operation === 'kickoff' && id !== null && row.status === 200
  const follows = (each: LedgerRequest): boolean => {
    if (each.at_ms < row.answered_ms!) return false
    if (isAccepted) return each.kickoff_id === id
    if (each.operation !== operation) return false
    return operation === 'status' ? each.kickoff_id === id : each.test === test
  }
  const isRepeated = operation === 'kickoff' && !isAccepted
  const repetition = isRepeated && rows.find((each) => follows(each) && repeats(each, row))
  return repetition || rows.find(follows)
}

function repeats({ correlation, inputs }: LedgerRequest, row: LedgerRequest): boolean {
  return correlation === row.correlation && isDeepStrictEqual(inputs, row.inputs)
}

function toleranceMs(crew: AskedCrew, { tolerance }: Tolerance): number {
  if (tolerance !== undefined) return millisecondsOf(tolerance, 'tolerance')
  return crew.clock().manual === true ? 0 : REAL_CLOCK_TOLERANCE_MS
}

function millisecondsOf(text: unknown, path: string): number {
  const micros = parseDuration(String(text))
  if (micros !== undefined) return micros / MICROS_PER_MS
  throw mistake(path, text, `expected ${DURATION_HELP}`)
}

function mistake(path: string, value: unknown, problem: string): UserError {
  return new UserError({ source: 'assertion', path, found: JSON.stringify(value), problem })
}

/** A fake crew, or the part of it that one test has. */
export interface AskedCrew {
  requests(): readonly LedgerRequest[]
  ledger(): readonly LedgerRow[]
  clock(): LedgerClock
  readonly requestsDropped: number
}

/** Requests of the interface, in the order in which they came. */
export function inOrder(crew: AskedCrew): LedgerRequest[] {
  return crew
    .requests()
    .filter(({ operation }) => operation !== 'other')
    .toSorted((a, b) => a.at_ms - b.at_ms)
}

/** The polls of each execution, in the order in which they came, by its id. */
function pollsById(rows: readonly LedgerRequest[]): Map<string, LedgerRequest[]> {
  const polls = rows.filter((row) => row.operation === 'status' && row.kickoff_id !== null)
  return new Map(groupedBy(polls, (row) => row.kickoff_id!))
}

/**
 * How long the answer asked its client to wait, from when it was sent; null if it did not, or if
 * nobody can read it.
 */
function askedWaitMs(row: LedgerRequest, { anchor_unix_ms: anchorMs }: LedgerClock) {
  const { retry_after: field, answered_ms: answeredMs } = row
  if (field === null || answeredMs === null) return null
  const micros = retryAfterMicros({ 'retry-after': field }, () => anchorMs + answeredMs)
  return micros === null ? null : micros / MICROS_PER_MS
}
