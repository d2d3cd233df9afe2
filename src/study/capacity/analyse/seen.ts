/**
 * Defines what is observed of the executions of one load. Times are in microseconds from the
 * beginning of the load.
 */
import { TIMES_BY } from '../../frame/executions/reader.ts'
import { distanceTo } from '../../../result/statistics/rising.ts'
import { z } from 'zod'
import { OUTCOMES } from '../../../execution/record/record.ts'
import { Occupancy } from '../../../result/statistics/occupancy.ts'
import type { Micros } from '../../../base/units.ts'

const time = z.number()

/** A load that is put on the crew: closed clients, or open Poisson arrivals. */
const loadSchema = z.union([
  z.object({ kind: z.literal('closed'), clients: z.int(), executions: z.int() }),
  z.object({
    kind: z.literal('open'),
    perHour: z.number(),
    executions: z.int(),
    /**
     * So many of the executions come first, within that time, so that workers that scale are at
     * work; missing if none do.
     */
    waking: z.object({ executions: z.int(), micros: time }).exactOptional(),
  }),
])

const seenSchema = z.object({
  intended: time,
  /** When the crew received it; null if it was not accepted. */
  accepted: time.nullable(),
  /**
   * The time from the intended start to the answer that accepted it, and to the moment when the
   * crew had it.
   */
  kickoffMicros: time,
  admittedMicros: time,
  /** When a worker began with it; null where nothing reports it. */
  started: time.nullable(),
  /**
   * The execution's true end, or the middle of the polls that enclose it; null where it was not
   * seen.
   */
  ended: time.nullable(),
  /** The time between those polls; 0 if the end is known. */
  endedWithin: time,
  /** When the client learned of the end. */
  known: time.nullable(),
  outcome: z.enum(OUTCOMES),
  /**
   * Attempts to start it that were refused, or answered with 503: when each was due (`at`) and when
   * it was answered; `answered` is missing if that was at once.
   */
  refusals: z.array(z.object({ at: time, answered: time.exactOptional(), status: z.int() })),
  /** The times of its tasks as the crew reports them; missing if it reports none. */
  tasks: z.array(z.object({ task: z.string(), micros: time })).exactOptional(),
  /** When its client gave it up because the crew no longer knew it; missing if it was not lost. */
  lost: time.exactOptional(),
  /** The error text of a failed execution, shortened; missing if the crew gave none. */
  failure: z.string().exactOptional(),
})

export const loadSeenSchema = z.object({
  load: loadSchema,
  executions: z.array(seenSchema),
  /** The source of starts and ends. */
  truth: z.enum(TIMES_BY),
  /**
   * The number of polls that were refused, the number of all polls, and their mean time.
   */
  polls: z.object({ refused: z.int(), all: z.int(), tookMicros: time }),
  /**
   * The executions of other clients that the crew accepted meanwhile, and the time that its workers
   * spent on them. Missing if there is no ledger.
   */
  others: z.object({ executions: z.int(), busyMicros: time, spanMicros: time }).exactOptional(),
  /** Set if the crew lives on until the next load; missing if it was started for this one. */
  lasts: z.literal(true).exactOptional(),
})

export type AppliedLoad = z.infer<typeof loadSchema>
export type Seen = z.infer<typeof seenSchema>
export type LoadSeen = z.infer<typeof loadSeenSchema>

/** An execution that ran to a known end. */
export interface Ran extends Seen {
  accepted: number
  started: number
  ended: number
}

export function hasRun(seen: Seen): seen is Ran {
  return seen.accepted !== null && seen.started !== null && seen.ended !== null
}

/** Of a closed load; Infinity for an open one. */
export function clientsOf({ load }: LoadSeen): number {
  return load.kind === 'closed' ? load.clients : Infinity
}

/** The time with a worker, of one microsecond at least. */
export function serviceOf({ started, ended }: Ran): Micros {
  return Math.max(1, ended - started)
}

/** The times with a worker. */
export function servicesOf(ran: readonly Ran[]): number[] {
  return ran.map(({ started, ended }) => ended - started)
}

/** What one load showed, in numbers. */
export interface LoadFacts {
  seen: LoadSeen
  ran: readonly Ran[]
  busy: Occupancy
  /** The number of executions that waited because every worker was busy. */
  waited: number
}

/** How many are in the crew, waiting or running. */
export function inCrewOf(ran: readonly Ran[]): Occupancy {
  return new Occupancy(ran.map(({ accepted, ended }) => [accepted, ended]))
}

export function factsOf(seen: LoadSeen): LoadFacts {
  const ran = seen.executions.filter(hasRun)
  const busy = new Occupancy(ran.map(({ started, ended }) => [started, ended]))
  return { seen, ran, busy, waited: waitedForWorkers(ran) }
}

/** A shorter wait is the time of a request, and not a wait for a worker. */
export const SHORTEST_WAIT_MICROS = 1_000

/** A time in which an execution surely waits, and the same number of others is at work. */
interface WaitingSpan {
  micros: Micros
  atWork: number
}

/**
 * The spans of a load, in the order of time. A start is known only as precisely as the polls that
 * enclose the end, and the acceptance before it exactly.
 */
export function waitingSpans({ ran, busy }: LoadFacts): WaitingSpan[] {
  const waits = ran.flatMap(({ accepted, started, endedWithin }): [number, number][] =>
    started - accepted > 2 * endedWithin + SHORTEST_WAIT_MICROS
      ? [[accepted, started - endedWithin]]
      : [],
  )
  const waiting = new Occupancy(waits)
  const times = [...waits.flat(), ...ran.flatMap(({ started, ended }) => [started, ended])]
  times.sort((a, b) => a - b)
  return times.slice(0, -1).flatMap((from, i) => {
    const micros = times[i + 1]! - from
    return micros === 0 || waiting.at(from) === 0 ? [] : { micros, atWork: busy.at(from) }
  })
}

/**
 * Counts the executions that waited for a worker: they begin when another execution ends. Those
 * that waited for a cold start do not.
 */
function waitedForWorkers(ran: readonly Ran[]): number {
  const ends = Float64Array.from(ran, ({ ended }) => ended).sort()
  return ran.filter(({ accepted, started, endedWithin }) => {
    const tolerance = SHORTEST_WAIT_MICROS + endedWithin
    return started - accepted > tolerance && distanceTo(ends, started) <= tolerance
  }).length
}
