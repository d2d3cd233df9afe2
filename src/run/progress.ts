/**
 * How far a run is, for the display: from the counts of its engines, and from meters that observe
 * answers and lines and decide nothing.
 */
import type { CrewPlace } from '../execution/record/crew-place.ts'
import { rateWords } from '../report/run/load-sentence.ts'
import { plural } from '../base/numbers.ts'
import { exceededSoFar } from '../result/validity/lateness.ts'
import { thresholdsInDoubt } from '../result/verdict/in-doubt.ts'
import type { EngineStats } from '../engine/engine.ts'
import type { LivePhase, LiveProgress } from '../report/run/terminal/progress.ts'
import type { Recorder } from '../result/counting/recorder.ts'
import type { PlanAsRead } from '../scenario/plan.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND, optionalMs } from '../base/units.ts'
import type { Micros } from '../base/units.ts'
import { describe, endsByCount } from '../scenario/arrivals/index.ts'
import { quantileIn } from '../result/statistics/quantiles.ts'
import type { Answer, Operation, MeasuredOperation } from '../crew/answer.ts'
import { isMeasured } from '../crew/answer.ts'
import { unreachable } from '../base/assert.ts'
import { isUnsent } from '../execution/machine.ts'
import type { JournalLine } from '../execution/record/journal-lines.ts'
import type { ExecutionRecord, RequestColumns } from '../execution/record/record.ts'
import { noOutcomes } from '../execution/record/record.ts'
import { Histogram } from '../result/counting/histogram.ts'

interface LiveFacts {
  /** Shown beside the figures. */
  place: CrewPlace
  /** When the drain began; null while nothing has been stopped. */
  drainingSinceMicros: Micros | null
  /** What `latenessWatch` says. */
  latenessBoundMicros: Micros | null
  /** As `LiveProgress` has them. */
  share: number | null
  leftMs: number | null
}

/** Judging the thresholds costs too much for every update of the display. */
const LOOK_EVERY = 8

/**
 * Returns a function to call at every update: the bound that lateness exceeds so far, by the rule
 * of the verdict; null while it keeps it. Without a recorder it never exceeds one.
 */
export function latenessWatch(
  plan: PlanAsRead,
  recorder: Pick<Recorder, 'standing'> | null,
): () => Micros | null {
  let asked = 0
  let exceeded: Micros | null = null
  return () => {
    if (recorder !== null && asked++ % LOOK_EVERY === 0) {
      const { observations } = recorder.standing()
      exceeded = exceededSoFar(observations, plan, () => thresholdsInDoubt(plan, observations))
    }
    return exceeded
  }
}

export type LiveStats = Pick<
  EngineStats,
  'started' | 'inFlight' | 'queued' | 'outcomes' | 'lastArrivalMicros'
>

export function liveProgress(
  plan: PlanAsRead,
  now: Micros,
  stats: LiveStats,
  { kickoff, status, latenessP99Ms }: MeterReadings,
  { place, drainingSinceMicros, latenessBoundMicros, share, leftMs }: LiveFacts,
): LiveProgress {
  const boundMs = latenessBoundMicros === null ? null : latenessBoundMicros / MICROS_PER_MS
  return {
    scenario: plan.name,
    place,
    seed: plan.seed,
    speed: plan.speed,
    load: loadWords(plan, now, stats.lastArrivalMicros),
    phase: phaseOf(plan, now, stats.lastArrivalMicros, drainingSinceMicros),
    elapsedMs: Math.max(0, now) / MICROS_PER_MS,
    share,
    leftMs,
    started: stats.started,
    expected: describe(plan.arrivals).arrivals,
    inFlight: stats.inFlight,
    queued: stats.queued,
    outcomes: stats.outcomes,
    kickoff,
    status,
    lateness: { p99Ms: latenessP99Ms, exceededMs: boundMs },
  }
}

/** Only what has ended is done. */
const MOST_BEFORE_END = 0.99

/**
 * Share of the run that is done: by its clock where the arrivals end by time, and by executions
 * where they end by number, or where a resumed run only follows what was started. Null before
 * anything has ended: nobody knows how long the last executions take.
 */
export function shareDone(
  { arrivals }: Pick<PlanAsRead, 'arrivals'>,
  now: Micros,
  { started, inFlight, lastArrivalMicros }: LiveStats,
  tookP95Micros: Micros | null,
): number | null {
  if (tookP95Micros === null || now <= 0) return null
  const isTimed = lastArrivalMicros > 0 && !endsByCount(arrivals)
  const { arrivals: wanted } = describe(arrivals)
  const byTime = now / (lastArrivalMicros + tookP95Micros)
  const byCount = (started - inFlight) / Math.max(1, lastArrivalMicros > 0 ? wanted! : started)
  return Math.min(MOST_BEFORE_END, isTimed ? byTime : byCount)
}

/**
 * Returns a function to call at every look: how much is done, and how long the rest takes on the
 * wall clock if it goes on as it did.
 */
export function estimate(): (
  done: number | null,
  wallMs: number,
) => Pick<LiveProgress, 'share' | 'leftMs'> {
  let share: number | null = null
  let wholeMs: number | null = null
  return (done, wallMs) => {
    if (done !== null && done > (share ?? 0)) {
      share = done
      wholeMs = wallMs / done
    }
    return { share, leftMs: wholeMs === null || wholeMs <= wallMs ? null : wholeMs - wallMs }
  }
}

function phaseOf(
  plan: PlanAsRead,
  now: Micros,
  lastArrival: Micros,
  drainingSince: Micros | null,
): LivePhase {
  if (drainingSince !== null) {
    const leftMicros = Math.max(0, drainingSince + plan.drainMicros - now)
    return { kind: 'draining', leftMs: leftMicros / MICROS_PER_MS }
  }
  if (now < plan.warmUpMicros) return { kind: 'warm-up' }
  return now > lastArrival ? { kind: 'finishing' } : { kind: 'running' }
}

/** The current rate of arrivals in words; null when none arrive any more. */
function loadWords(
  plan: Pick<PlanAsRead, 'arrivals'>,
  now: Micros,
  lastArrival: Micros,
): string | null {
  const { arrivals } = plan
  if (now > lastArrival) return null
  if (arrivals.kind === 'closed') return plural(arrivals.clients, 'client')
  if (arrivals.kind === 'replay') return 'replay'
  let begin = 0
  for (const { from, to, forMicros } of arrivals.segments) {
    if (now < begin + forMicros) {
      const share = (now - begin) / forMicros
      const low = from.count / from.perMicros
      const high = to.count / to.perMicros
      return rateWords((low + (high - low) * share) * MICROS_PER_SECOND)
    }
    begin += forMicros
  }
  return null
}

/** Milliseconds; null where nothing has been measured yet. */
interface MeterReadings {
  kickoff: { p50Ms: number | null; p95Ms: number | null }
  status: { perSecond: number; p95Ms: number | null }
  latenessP99Ms: number | null
  /** From the intended start to the end. */
  tookP95Micros: Micros | null
}

/**
 * Apart from the recorder, whose times are known only when an execution has ended, and do not count
 * in the warm-up.
 */
export class Meters {
  readonly #service = { kickoff: new Histogram(), status: new Histogram() }
  readonly #lateness = new Histogram()
  readonly #toTheEnd = new Histogram()
  #readAtMicros: Micros = 0
  #statusAtRead = 0
  #statusPerSecond = 0

  answered(operation: Operation, { timing }: Answer): void {
    const { sentMicros, doneMicros } = timing
    if (sentMicros === null || !isMeasured(operation)) return
    this.#service[operation].record(doneMicros - sentMicros)
  }

  /**
   * Where nobody hears the answers: requests are known once their execution is accepted, or has
   * ended.
   */
  sawRequests(line: JournalLine): void {
    if (line.type === 'accepted') this.#took('kickoff', line.kickoff)
    if (line.type !== 'ended') return
    if (line.record.acceptedMicros === null) this.#took('kickoff', line.record.kickoff)
    this.#took('status', line.record.polls)
  }

  /**
   * The lateness of requests becomes known when their execution ends; that of the warm-up does not
   * count.
   */
  saw(line: JournalLine): void {
    if (line.type !== 'ended') return
    const { kickoff, polls, outcome, endedMicros, intendedMicros, warmUp } = line.record
    if (!isUnsent(outcome)) this.#toTheEnd.record(endedMicros - intendedMicros)
    if (warmUp) return
    for (const late of kickoff.lateMicros) this.#lateness.record(late)
    for (const late of polls.lateMicros) this.#lateness.record(late)
  }

  read(nowMicros: Micros): MeterReadings {
    const { kickoff, status } = this.#service
    const seconds = (nowMicros - this.#readAtMicros) / MICROS_PER_SECOND
    if (seconds >= 1) {
      this.#statusPerSecond = (status.n - this.#statusAtRead) / seconds
      this.#statusAtRead = status.n
      this.#readAtMicros = nowMicros
    }
    return {
      kickoff: {
        p50Ms: optionalMs(quantileIn(kickoff, 0.5)),
        p95Ms: optionalMs(quantileIn(kickoff, 0.95)),
      },
      status: {
        perSecond: this.#statusPerSecond,
        p95Ms: optionalMs(quantileIn(status, 0.95)),
      },
      latenessP99Ms: optionalMs(quantileIn(this.#lateness, 0.99)),
      tookP95Micros: quantileIn(this.#toTheEnd, 0.95),
    }
  }

  close(): void {
    const all = [...Object.values(this.#service), this.#lateness, this.#toTheEnd]
    for (const histogram of all) histogram.destroy()
  }

  #took(operation: MeasuredOperation, { serviceMicros }: RequestColumns): void {
    const service = this.#service[operation]
    for (const micros of serviceMicros) if (micros >= 0) service.record(micros)
  }
}

/** An execution that was still running on the target when the run gave it up. */
export interface Abandoned {
  index: number
  kickoffId: string
}

/**
 * What became of executions so far, from the lines of each instance in order, and of several in any
 * order. Stores what is in flight, not the whole run.
 */
export class Flights {
  readonly #outcomes = noOutcomes()
  /** Kickoff ids of the executions that were accepted and have not ended, by index. */
  readonly #inFlight = new Map<number, string>()
  readonly #aborted: Abandoned[] = []
  #started = 0
  /** The number of started executions that have ended. */
  #startedEnded = 0

  saw(line: JournalLine): void {
    switch (line.type) {
      case 'started':
        this.#started++
        break
      case 'accepted':
        this.#inFlight.set(line.index, line.kickoffId)
        break
      case 'ended':
        this.#ended(line.record)
        break
      case 'finished':
      case 'run':
      case 'resumed':
      case 'incident':
      case 'push':
        break
      default:
        unreachable(line)
    }
  }

  /** The number of kickoffs whose execution has not ended. */
  get underWay(): number {
    return this.#started - this.#startedEnded
  }

  stats(lastArrivalMicros: Micros): LiveStats {
    return {
      started: this.#started,
      inFlight: this.#inFlight.size,
      // No line says how many arrivals wait for a place.
      queued: 0,
      outcomes: { ...this.#outcomes },
      lastArrivalMicros,
    }
  }

  /**
   * Accepted executions whose end nobody awaits, because they were aborted or their instance is
   * gone, by index.
   */
  abandoned(): Abandoned[] {
    const left = [...this.#inFlight].map(([index, kickoffId]) => ({ index, kickoffId }))
    return [...this.#aborted, ...left].sort((a, b) => a.index - b.index)
  }

  #ended({ index, outcome, kickoffId }: ExecutionRecord): void {
    this.#outcomes[outcome]++
    if (!isUnsent(outcome)) this.#startedEnded++
    this.#inFlight.delete(index)
    if (outcome === 'aborted' && kickoffId !== null) this.#aborted.push({ index, kickoffId })
  }
}
