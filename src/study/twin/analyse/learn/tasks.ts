/** Learns how long each task takes, and whether that depends on a tag. */
import { middleOf } from '../../../../result/inferred-workers/observed-stay.ts'
import { shareRange } from '../../../../result/statistics/shares.ts'
import { kolmogorovSmirnov } from '../../../../result/statistics/kolmogorov-smirnov.ts'
import type { Fit } from '../fit/fit.ts'
import { fitOf } from '../fit/fit.ts'
import { isCensored } from '../fit/sample.ts'
import { spanOf, takenOf } from '../seen.ts'
import type { SeenRun, Taken } from '../seen.ts'
import type { ExecutionRecord } from '../../../../execution/record/record.ts'
import type { Between } from '../../../../result/inferred-workers/observed-stay.ts'

export interface LearnedTask {
  name: string
  /** Null if too few executions completed the task. */
  fit: Fit | null
  sample: readonly Between[]
  tags: readonly TagFit[]
}

interface TagFit {
  tag: string
  fit: Fit
  /**
   * The probability that chance makes so large a difference from all others, before Bonferroni's
   * correction.
   */
  p: number
}

/**
 * Returns the tasks in order, or one task that represents the whole execution if none are reported.
 */
export function learnTasks(runs: readonly SeenRun[]): LearnedTask[] {
  const count = Math.max(1, ...runs.map(({ taskNames }) => taskNames.length))
  const taken = runs.flatMap(takenOf)
  const known = Array.from({ length: count }, (_, place) => samplesOf(taken, place))
  const areTold = known.every(({ length }) => length > 0)
  if (count === 1 || !areTold) {
    const whole = known[0]!.length > 0 && count === 1 ? known[0]! : taken.flatMap(wholeOf)
    return [learned(nameAt(runs, 0, areTold) ?? 'execution', whole)]
  }
  return known.map((samples, place) =>
    learned(nameAt(runs, place, true) ?? `task-${place + 1}`, samples),
  )
}

function nameAt(runs: readonly SeenRun[], place: number, areTold: boolean): string | null {
  if (!areTold) return null
  return runs.map(({ taskNames }) => taskNames[place] ?? null).find((name) => name !== null) ?? null
}

interface TaskSample {
  micros: Between
  tags: ExecutionRecord['tags']
}

function samplesOf(taken: readonly Taken[], place: number): TaskSample[] {
  return taken.flatMap(({ tasks, record: { tags } }) =>
    tasks.filter((task) => task.place === place).map(({ micros }) => ({ micros, tags })),
  )
}

/** The whole execution as a sample. Empty if it failed, because it was cut short, or got stuck. */
function wholeOf(execution: Taken): TaskSample[] {
  const { ended, outcome, ranMicros, isStuck } = execution
  const { tags } = execution.record
  if (outcome === 'failed' || isStuck) return []
  if (ranMicros !== null) return [{ micros: ranMicros, tags }]
  const span = spanOf(execution)
  const { started } = execution
  if (span === null || started === null || ended === null) return []
  const low = Math.max(0, ended.low - started.high)
  return [{ micros: { low, high: Math.max(low + 1, ended.high - started.low) }, tags }]
}

function learned(name: string, samples: readonly TaskSample[]): LearnedTask {
  const sample = samples.map(({ micros }) => micros)
  return { name, sample, fit: fitOf(sample), tags: tagsOf(samples) }
}

/** The chance of finding a difference among all tags together where there is none. */
const SURELY = 0.01
const FEWEST_TAGGED = 20
const MOST_TAGS = 50

function tagsOf(samples: readonly TaskSample[]): TagFit[] {
  const known = samples.filter(({ micros }) => !isCensored(micros))
  const named = [
    ...new Set(known.flatMap(({ tags }) => Object.entries(tags).map(([k, v]) => `${k}=${v}`))),
  ].slice(0, MOST_TAGS)
  const found = named.flatMap((tag): TagFit[] => {
    const has = ({ tags }: TaskSample): boolean =>
      Object.entries(tags).some(([k, v]) => `${k}=${v}` === tag)
    const own = known.filter(has)
    const others = known.filter((each) => !has(each))
    if (own.length < FEWEST_TAGGED || others.length < FEWEST_TAGGED) return []
    const fit = fitOf(own.map(({ micros }) => micros))
    const { p } = kolmogorovSmirnov(middles(own), middles(others))
    return fit === null ? [] : [{ tag, fit, p }]
  })
  return found.filter(({ p }) => p * found.length < SURELY)
}

function middles(samples: readonly TaskSample[]): number[] {
  return samples.map(({ micros }) => middleOf(micros))
}

export interface Asks {
  place: number
  /** Of the executions that came so far, those about which somebody was asked. */
  asked: number
  reached: number
  low: number
  high: number
  /** Those that nobody had answered when the run ended. */
  open: number
  /** How long answers took; null if there were too few. */
  fit: Fit | null
}

/** Only ledgers tell when a person was asked. */
export function learnAsks(runs: readonly SeenRun[], count: number): Asks[] {
  const taken = runs.filter(({ truth }) => truth === 'ledger').flatMap(takenOf)
  return Array.from({ length: count }, (_, place): Asks | null => {
    // The last one decides: those before were answered with a no.
    const all = taken.flatMap(({ asked = [] }) =>
      asked.filter((each) => each.place === place).slice(-1),
    )
    if (all.length === 0) return null
    const reached = taken.filter(
      ({ tasks, asked = [] }) => tasks.length > place || asked.some((each) => each.place === place),
    ).length
    const answered = all.filter(({ to }) => to < Infinity)
    const { low, high } = shareRange(all.length, reached)
    const fit = fitOf(answered.map(({ from, to }) => ({ low: to - from - 1, high: to - from + 1 })))
    return { place, asked: all.length, reached, low, high, open: all.length - answered.length, fit }
  }).filter((each) => each !== null)
}
