/**
 * Learns without a ledger that executions take longer beside others, from the times that a crew
 * reports: a processor that they share stands for whatever they share.
 */
import { Occupancy } from '../../../../../result/statistics/occupancy.ts'
import { deviationOf, meanOf, sumBy } from '../../../../../result/statistics/moments.ts'
import type { Micros } from '../../../../../base/units.ts'
import type { SeenRun } from '../../seen.ts'
import { spanOf, takenOf } from '../../seen.ts'
import type { ReadExecution } from '../../../../frame/executions/reader.ts'
import { scaled } from '../../../../frame/executions/times.ts'

export interface Crowding {
  /** Executions that take no longer for being beside each other. */
  shared: number
  /** How many times as long they take among many as among few. */
  longer: number
  executions: number
}

const FEWEST = 60
/** Standard errors by which a correlation differs from none for more than chance. */
const SURELY = 5
/** A smaller difference between many and few changes nothing that anybody plans by. */
const LEAST = 1.2
/** Without so many that were hardly beside others, nothing says how long they take alone. */
const FEWEST_ALONE = 8
const MOST_SHARED = 64

/** Null where executions do not surely take longer, or nothing says how long they take alone. */
export function learnCrowding(seen: readonly SeenRun[]): Crowding | null {
  const crowds = seen.filter(({ truth }) => truth === 'reported').map((run) => new Crowd(run))
  const all = crowds.flatMap((crowd) => crowd.timed(Infinity))
  if (all.length < FEWEST) return null
  const longer = ratioOf(all)
  const together = correlationOf(all)
  if (longer < LEAST || together * Math.sqrt(all.length) < SURELY) return null
  const most = Math.min(MOST_SHARED, Math.max(...all.map(({ beside }) => Math.ceil(beside))))
  const tried = Array.from({ length: most }, (_, i) => {
    const own = crowds.flatMap((crowd) => crowd.timed(i + 1))
    return { shared: i + 1, off: Math.abs(correlationOf(own)) }
  })
  const { shared } = tried.reduce((a, b) => (b.off < a.off ? b : a))
  const alone = all.filter(({ beside }) => beside <= shared).length
  return alone < FEWEST_ALONE ? null : { shared, longer, executions: all.length }
}

/** The run as if each execution had been alone. */
export function withoutCrowding(run: SeenRun, { shared }: Crowding): SeenRun {
  if (run.truth !== 'reported') return run
  const crowd = new Crowd(run)
  return {
    ...run,
    executions: run.executions.map((execution) => {
      const part = crowd.ownPart(execution, shared)
      const { tasks, ranMicros } = execution
      return Object.assign({}, execution, {
        ranMicros: ranMicros && scaled(ranMicros, part),
        tasks: tasks.map(({ place, micros }) => ({ place, micros: scaled(micros, part) })),
      })
    }),
  }
}

interface TimedTask {
  /** What it would have taken alone. */
  own: Micros
  /** How many were at work during it, itself included, on average. */
  beside: number
}

/** The executions of a run, and how many were at work over time. */
class Crowd {
  readonly #completed: readonly (readonly [Micros, Micros])[]
  readonly #atWork: Occupancy
  readonly #spans: ReadonlyMap<ReadExecution, readonly [Micros, Micros]>

  constructor(run: SeenRun) {
    const spans = takenOf(run).flatMap((execution) => {
      const span = spanOf(execution)
      return span === null ? [] : [[execution, span] as const]
    })
    this.#spans = new Map(spans)
    this.#completed = spans
      .filter(([{ outcome }, [, to]]) => outcome === 'completed' && to < Infinity)
      .map(([, span]) => span)
    this.#atWork = new Occupancy([...this.#spans.values()])
  }

  timed(shared: number): TimedTask[] {
    return this.#completed.map((span) => this.#timed(span, shared))
  }

  /** The part of its time that an execution would have taken alone; 1 where that is not known. */
  ownPart(execution: ReadExecution, shared: number): number {
    const span = this.#spans.get(execution)
    if (span === undefined || span[1] === Infinity || span[1] <= span[0]) return 1
    return this.#timed(span, shared).own / (span[1] - span[0])
  }

  #timed([from, to]: readonly [Micros, Micros], shared: number): TimedTask {
    const pieces = this.#atWork.pieces(from, to)
    const own = sumBy(
      pieces,
      ({ length, count }) => length * Math.min(1, shared / Math.max(1, count)),
    )
    const beside = sumBy(pieces, ({ length, count }) => length * Math.max(1, count))
    return { own, beside: beside / Math.max(1, to - from) }
  }
}

/** Pearson's, of how long they take with how many were beside them. */
function correlationOf(all: readonly TimedTask[]): number {
  const [owns, crowds] = [all.map(({ own }) => own), all.map(({ beside }) => beside)]
  const [ownMean, crowdMean] = [meanOf(owns), meanOf(crowds)]
  const spread = deviationOf(owns) * deviationOf(crowds) * (all.length - 1)
  const sum = sumBy(all, ({ own, beside }) => (own - ownMean) * (beside - crowdMean))
  return spread === 0 ? 0 : sum / spread
}

/** The mean of the third beside most over that of the third beside fewest. */
function ratioOf(all: readonly TimedTask[]): number {
  const rising = all.toSorted((a, b) => a.beside - b.beside)
  const third = Math.floor(all.length / 3)
  const mean = (part: readonly TimedTask[]): number => meanOf(part.map(({ own }) => own))
  return mean(rising.slice(-third)) / Math.max(1, mean(rising.slice(0, third)))
}
