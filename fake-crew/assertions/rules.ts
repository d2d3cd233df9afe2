/** What a well-behaved client does not do: one rule each, over the requests that a crew had. */
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
  const started = inOrder(crew).filter(
    (row) =>
      row.operation === 'kickoff' &&
      (row.kickoff_id !== null || row.status === 200) &&
      wanted.every(([name, value]) => row.inputs?.[name] === value),
  )
  const words = `The client started ${plural(started.length, 'execution')}, not one.`
  return started.length === 1 ? null : breach(words, started.slice(1))
}

/** No execution was polled more often. */
export function polledAtMost(crew: AskedCrew, most: number): Breach | null {
  for (const [id, polls] of pollsById(inOrder(crew))) {
    if (polls.length <= most) continue
    const words = `The client polled ${short(id)} ${plural(polls.length, 'time')}, not ${formatCount(most)} at most.`
    return breach(words, polls.slice(most))
  }
  return null
}

/** From one poll of an execution to the next at least this long passes. */
export function polledNoSoonerThan(crew: AskedCrew, interval: string, options: Tolerance = {}) {
  const leastMs = millisecondsOf(interval, 'interval')
  const boundMs = leastMs - toleranceMs(crew, options)
  const early = [...pollsById(inOrder(crew)).values()].flatMap((polls) =>
    polls.slice(1).flatMap((row, i) => {
      const gapMs = row.at_ms - polls[i]!.at_ms
      return gapMs < boundMs ? [{ row, gapMs }] : []
    }),
  )
  if (early.length === 0) return null
  const soonerMs = leastMs - Math.min(...early.map(({ gapMs }) => gapMs))
  const words = `The client polled ${formatMs(soonerMs)} sooner than ${interval} after the poll before.`
  return breach(
    words,
    early.map(({ row }) => row),
  )
}

/** Whoever was told of the end of an execution asks no more about it. */
export function stoppedPollingAtTheEnd(crew: AskedCrew): Breach | null {
  for (const [id, polls] of pollsById(inOrder(crew))) {
    const told = polls.findIndex((row) => row.told === 'completed' || row.told === 'failed')
    const { answered_ms: answeredMs } = polls[told] ?? {}
    const late = polls.slice(told + 1).filter((row) => row.at_ms >= (answeredMs ?? Infinity))
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
    const next = rows.slice(i + 1).find((later) => isNext(later, row))
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
  const untilMs =
    typeof when === 'number' ? when : (kickoff?.at_ms ?? Infinity) + millisecondsOf(when, 'when')
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

/** A kickoff that was accepted is followed by the polls of its execution. */
function isNext(later: LedgerRequest, row: LedgerRequest): boolean {
  if (later.at_ms < row.answered_ms!) return false
  const { operation, kickoff_id: id } = row
  if (operation === 'inputs') return later.operation === 'inputs'
  if (id !== null && row.status === 200) return later.kickoff_id === id
  if (operation === 'status') return later.operation === 'status' && later.kickoff_id === id
  return (
    later.operation === 'kickoff' &&
    later.correlation === row.correlation &&
    JSON.stringify(later.inputs) === JSON.stringify(row.inputs)
  )
}

function toleranceMs(crew: AskedCrew, { tolerance }: Tolerance): number {
  if (tolerance !== undefined) return millisecondsOf(tolerance, 'tolerance')
  return crew.clock().manual === true ? 0 : REAL_CLOCK_TOLERANCE_MS
}

function millisecondsOf(text: string, path: string): number {
  const micros = parseDuration(text)
  if (micros !== undefined) return micros / MICROS_PER_MS
  const found = JSON.stringify(text)
  throw new UserError({ source: 'assertion', path, found, problem: `expected ${DURATION_HELP}` })
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
