/** The interface of an engine: what it receives, its operations, and its notifications. */
import type { DueArrival } from '../execution/machine.ts'
import type { LeftBehind, pickUp } from '../execution/pick-up.ts'
import type { StopReason } from '../execution/record/reason.schema.ts'
import type { MissingInputs } from '../crew/inputs/sentences.ts'
import type { FinishedLine, PushLine } from '../execution/record/journal-lines.ts'
import type { ExecutionRecord, Outcome } from '../execution/record/record.ts'
import type { Micros } from '../base/units.ts'
import type { Plan } from '../scenario/plan.ts'

export interface EngineOptions {
  runId: string
  /** This engine is instance i of n, from 0: it takes the arrivals with index mod n = i. */
  instance: number
  instances: number
  /** The source of its arrivals. Default: the plan's own, this instance's share of them. */
  arrivals?: ArrivalSource
  /** The rest of a run that a former process began. Default: a run from its first arrival on. */
  remainder?: Remainder
  /**
   * Inputs that the crew lists and the scenario does not give: the first kickoff is sent alone, and
   * 422 ends the run. Default: none.
   */
  missingInputs?: MissingInputs
  /**
   * The host's budget is a share of the run's, assigned beforehand: others may have some left.
   * Default: it is the whole.
   */
  budgetIsPart?: boolean
  /** Called after each `ended` line. It may call `stop`. */
  onEnded?: (record: ExecutionRecord) => void
  /** Called once, after the `finished` line. */
  onDone: (stopped: FinishedLine['stopped']) => void
}

/**
 * What is left to do of a run that was cut: executions in flight are polled to their end, and no
 * kickoff is sent any more.
 */
export interface Remainder {
  left: readonly LeftBehind[]
  /** Handed in, because k6, which never resumes, bundles the engine without it. */
  pickUp: typeof pickUp
  /** The last time in the journal. */
  cutMicros: Micros
}

export interface RunningEngine {
  /** Begins immediately; the schedule counts from the host's zero. */
  start(): void
  /**
   * `drain`: no more kickoffs; executions in flight continue for at most `plan.drainMicros` and are
   * then aborted, as with `now`. Arrivals that were not kicked off are not reached. `reason` is
   * written to the records. No kickoff is sent after the call; remaining lines are written in the
   * next wake. A stronger stop may follow a weaker one. When all executions have ended, either kind
   * only cuts the last confirmations short.
   */
  stop(how: 'drain' | 'now', reason?: StopReason): void
  /** A push came; the host has written its line. */
  pushed(line: PushLine): void
  stats(): EngineStats
}

/** For the progress display: cheap enough to call often. */
export interface EngineStats {
  /** Arrivals so far, including those never sent. */
  arrived: number
  /** Kickoffs sent, without retries. */
  started: number
  /** Accepted and not yet ended. */
  inFlight: number
  /** Due and waiting for a place under `maxInFlight`. */
  queued: number
  outcomes: Readonly<Record<Outcome, number>>
  /** Status requests sent, without confirmations. */
  polls: number
  /** When the next arrival is intended; Infinity while none is known. */
  nextDueMicros: Micros
  /** No arrival is intended later than this. */
  lastArrivalMicros: Micros
  /** The kind of stop requested; null for none. */
  stopping: 'drain' | 'now' | null
}

/** Instance i of n, from 0. */
export interface InstanceShare {
  instance: number
  instances: number
}

/**
 * An even share of `whole`, with one more for the first instances if it does not divide: the shares
 * sum to the whole, and some are 0 if it is less than `instances`.
 */
export function partOf(whole: number, { instance, instances }: InstanceShare): number {
  if (whole === Infinity) return Infinity
  const even = Math.floor(whole / instances)
  return instance < whole % instances ? even + 1 : even
}

/**
 * Gives what `partOf` gives for a limit that every instance needs: at least one. Bodies refuse
 * plans with less than one each.
 */
export function shareOf(limit: number, share: InstanceShare): number {
  return Math.max(1, partOf(limit, share))
}

/**
 * The retries that are always allowed are a limit of a whole run: each instance has an even share
 * of them, possibly a fraction.
 */
export function withShareOfRetries(
  plan: Plan,
  { instances }: Pick<InstanceShare, 'instances'>,
): Plan {
  const { budget } = plan.retry
  const minimum = budget.minimum / instances
  return { ...plan, retry: { ...plan.retry, budget: { ...budget, minimum } } }
}

/** Where the engine gets its arrivals: a schedule, or clients that come back. */
export interface ArrivalSource {
  /** When the next arrival is intended; Infinity while none is known. */
  readonly nextDueMicros: Micros
  /** The next arrival, due or not; call it only while one is known. */
  take(): DueArrival
  /** An execution has ended, which may make a closed client return. */
  ended(record: ExecutionRecord): void
}
