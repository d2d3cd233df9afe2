/**
 * Assertions on a client: matchers for `expect.extend` of vitest and Jest, and the same as
 * functions that throw, for every other test runner.
 */
import { formatCount } from '../../src/base/numbers.ts'
import type { AskedCrew, Breach, Tolerance } from './rules.ts'
import {
  kickedOffOnce,
  polledAtMost,
  polledNoSoonerThan,
  sentNothingAfter,
  stoppedPollingAtTheEnd,
  waitedForRetryAfter,
  short,
  inOrder,
} from './rules.ts'
import type { LedgerRow, LedgerRequest } from '../../src/crew/ledger.ts'

export type { AskedCrew, Tolerance }

/** What `expect(crew)` can do; `R` is what the runner returns. */
export interface CrewMatchers<R = void> {
  /** Exactly one execution was started: with these inputs, if any are given. */
  toHaveKickedOffOnce(inputs?: Record<string, unknown>): R
  /** No execution was polled more often. */
  toHavePolledAtMost(most: number): R
  /** From a kickoff's answer or a poll to the next poll at least this long passed, such as `1s`. */
  toHavePolledNoSoonerThan(interval: string, options?: Tolerance): R
  /** Nothing more was asked about an execution once an answer had shown its end. */
  toHaveStoppedPollingAtTheEnd(): R
  /**
   * After an answer with Retry-After, the next request of its kind came when the wait was over: the
   * kickoff that repeats a refused one, or else the next of the same test.
   */
  toHaveWaitedForRetryAfter(options?: Tolerance): R
  /**
   * Nothing was sent later: than this long after the first kickoff, such as `20s`, or than this
   * time on the crew's clock, in milliseconds.
   */
  toHaveSentNothingAfter(when: string | number): R
}

type MatcherRule = (crew: AskedCrew, ...args: never[]) => Breach | null

const RULES: { [Name in keyof CrewMatchers]: MatcherRule } = {
  toHaveKickedOffOnce: kickedOffOnce,
  toHavePolledAtMost: polledAtMost,
  toHavePolledNoSoonerThan: polledNoSoonerThan,
  toHaveStoppedPollingAtTheEnd: stoppedPollingAtTheEnd,
  toHaveWaitedForRetryAfter: waitedForRetryAfter,
  toHaveSentNothingAfter: sentNothingAfter,
}

interface MatcherResult {
  pass: boolean
  message: () => string
}

type Matchers = {
  [Name in keyof CrewMatchers]: (
    crew: AskedCrew,
    ...args: Parameters<CrewMatchers[Name]>
  ) => MatcherResult
}

/** For `expect.extend(crewMatchers)`. */
export const crewMatchers = Object.fromEntries(
  Object.entries(RULES).map(([name, rule]) => [
    name,
    (crew: AskedCrew, ...args: never[]): MatcherResult => {
      const breach = breachOf(crew, rule, args)
      const message = breach?.words ?? `expect(crew).not.${name}(): it did.`
      return {
        pass: breach === null,
        message: () => `${message}\n\n${timelineOf(crew, breach?.requests ?? [])}`,
      }
    },
  ]),
) as Matchers

/** The same without a runner's `expect`: throws an Error with the timeline. */
export function expectCrew(crew: AskedCrew): CrewMatchers {
  return Object.fromEntries(
    Object.entries(crewMatchers).map(([name, matcher]) => [
      name,
      (...args: never[]): void => {
        const { pass, message } = (matcher as (...all: unknown[]) => MatcherResult)(crew, ...args)
        if (!pass) throw new Error(message())
      },
    ]),
  ) as unknown as CrewMatchers
}

/** A client that sent nothing, or whose requests are not all kept, keeps no rule for certain. */
function breachOf(crew: AskedCrew, rule: MatcherRule, args: never[]): Breach | null {
  const { requestsDropped } = crew
  if (requestsDropped > 0) {
    const words = `The first ${formatCount(requestsDropped)} requests are no longer kept.`
    return { words, requests: [] }
  }
  const breach = rule(crew, ...args)
  if (breach !== null || inOrder(crew).length > 0) return breach
  const others = crew.requests().length === 0 ? '' : ' of the interface'
  return { words: `The client sent no request${others}.`, requests: [] }
}

interface TimelineLine {
  atMs: number
  words: string
  isMarked: boolean
}

/** Lines before and after a marked one, and at both ends, that are shown. */
const CONTEXT = 3
/** Marked lines that are shown. */
const MOST_MARKED = 8
const MS_PER_SECOND = 1_000

/** `marked`: the requests to point at. */
function timelineOf(crew: AskedCrew, marked: readonly LedgerRequest[]): string {
  const shownMarks = new Set(marked.slice(0, MOST_MARKED).map(keyOf))
  const lines = [
    ...inOrder(crew).map((row) => ({
      atMs: row.at_ms,
      words: requestWords(row),
      isMarked: shownMarks.has(keyOf(row)),
    })),
    ...crew.ledger().flatMap(endLines),
  ].toSorted((a, b) => a.atMs - b.atMs)
  if (lines.length === 0) return '  The crew had no request.'
  const places = lines.flatMap(({ isMarked }, i) => (isMarked ? [i] : []))
  const isShown = (i: number): boolean =>
    i < CONTEXT ||
    i >= lines.length - CONTEXT ||
    places.some((place) => Math.abs(place - i) <= CONTEXT)
  return abridged(lines, isShown).join('\n')
}

function abridged(lines: readonly TimelineLine[], isShown: (i: number) => boolean): string[] {
  const shown: string[] = []
  let left = 0
  for (const [i, line] of lines.entries()) {
    if (!isShown(i)) {
      left++
      continue
    }
    if (left > 0) shown.push(`             … ${formatCount(left)} more`)
    left = 0
    const seconds = (line.atMs / MS_PER_SECOND).toFixed(3).padStart(9)
    shown.push(`${line.isMarked ? '>' : ' '} ${seconds} s  ${line.words}`)
  }
  return shown
}

/** `crew.requests()` makes its rows anew each time. */
function keyOf({ at_ms: atMs, path, method }: LedgerRequest): string {
  return `${atMs} ${method} ${path}`
}

function requestWords(row: LedgerRequest): string {
  const { operation, method, path, kickoff_id: id } = row
  const asked = operation === 'status' ? path.replace(id ?? '', short(id ?? '')) : path
  return `${method} ${asked} -> ${answerWords(row)}`
}

function answerWords(row: LedgerRequest): string {
  const { operation, status, reported, kickoff_id: id } = row
  const notes = [
    row.retry_after === null ? '' : `Retry-After ${row.retry_after}`,
    operation === 'kickoff' && id !== null ? `starts ${short(id)}` : '',
    row.refused_by === null ? '' : `refused by ${row.refused_by}`,
    row.faults.length === 0 ? '' : `fault ${row.faults.join(', ')}`,
  ].filter((note) => note !== '')
  const answer = status === null ? 'no answer' : [status, reported ?? ''].join(' ').trim()
  return [answer, ...notes].join(', ')
}

function endLines({ kickoff_id: id, ended_ms: atMs, outcome }: LedgerRow): TimelineLine[] {
  if (atMs === null) return []
  return [{ atMs, words: `${short(id)} ends: ${outcome}`, isMarked: false }]
}
