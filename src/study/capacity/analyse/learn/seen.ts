/**
 * What was seen of the executions of one load. Times in microseconds of the crew's own clock, from
 * the beginning of the load.
 */
import { z } from 'zod'
import { OUTCOMES } from '../../../../execution/record/record.ts'

const time = z.number()

/** A load that is put on the crew: closed clients, or open Poisson arrivals. */
const loadSchema = z.union([
  z.object({ kind: z.literal('closed'), clients: z.int(), executions: z.int() }),
  z.object({ kind: z.literal('open'), perHour: z.number(), executions: z.int() }),
])

const seenSchema = z.object({
  intended: time,
  /** When the crew received it; null if it was not accepted. */
  accepted: time.nullable(),
  /**
   * From the intended start to the answer that accepted it, and until the crew had it; in real
   * time, which no time-lapse shortens.
   */
  kickoffMicros: time,
  admittedMicros: time,
  /** When a worker began with it; null where nothing tells. */
  started: time.nullable(),
  /** Its true end, or the middle of the polls that enclose it; null where it was not seen. */
  ended: time.nullable(),
  /** How far apart those polls were; 0 where the end is known. */
  endedWithin: time,
  /** When the client knew. */
  known: time.nullable(),
  outcome: z.enum(OUTCOMES),
  /**
   * Attempts to start it that were answered with 429 or 503: from when they were due `at` to when
   * they were `answered`; missing for at once.
   */
  refusals: z.array(z.object({ at: time, answered: time.exactOptional(), status: z.int() })),
  /** What the crew reports of its tasks; missing where it reports none. */
  tasks: z.array(z.object({ task: z.string(), micros: time })).exactOptional(),
})

export const loadSeenSchema = z.object({
  load: loadSchema,
  executions: z.array(seenSchema),
  /** Where starts and ends come from. */
  truth: z.enum(['ledger', 'reported', 'polls']),
  /** Polls that were refused with 429, and all. */
  polls: z.object({ refused: z.int(), all: z.int(), tookMicros: time }),
  /**
   * Executions of anybody else that the crew accepted meanwhile, and the time that its workers
   * spent on them. Missing where no ledger tells.
   */
  others: z.object({ executions: z.int(), busyMicros: time, spanMicros: time }).exactOptional(),
})

export type Load = z.infer<typeof loadSchema>
export type Seen = z.infer<typeof seenSchema>
export type LoadSeen = z.infer<typeof loadSeenSchema>

/** One that ran to an end that is known. */
export interface Ran extends Seen {
  accepted: number
  started: number
  ended: number
}

export function hasRun(seen: Seen): seen is Ran {
  return seen.accepted !== null && seen.started !== null && seen.ended !== null
}
