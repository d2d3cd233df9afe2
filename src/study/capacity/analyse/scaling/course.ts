/** The course of one load: how many executions were at work while others waited. */
import { meanOf, sumBy } from '../../../../result/statistics/moments.ts'
import type { Micros } from '../../../../base/units.ts'
import type { Ran, LoadFacts } from '../learn/seen.ts'
import { waitingSpans } from '../learn/seen.ts'

/** Times count only while an execution waits: then every worker is at work. */
export interface CourseStretch {
  atWork: number
  micros: Micros
}

export interface Course {
  /** The numbers before the highest, rising. */
  before: readonly CourseStretch[]
  top: CourseStretch
  /** The numbers after the highest, falling. */
  after: readonly CourseStretch[]
}

/** The most points of a series; more are averaged. */
const MOST_POINTS = 200
/** Averages over fewer service times would show polls rather than workers. */
const WINDOW = 1
/** The longest time between polls, as a share of the service time, that shows who is at work. */
const MOST_WITHIN = 0.25
/** The share of executions for which it may be longer. */
const MOST_VAGUE = 0.2
/** Fewer averages rise and fall by chance, unless polls are frequent. */
export const FEWEST_WINDOWS = 12
/** The largest standard error of an average by polls that are frequent. */
const PRECISE = 0.15
/** Neighbouring averages that are taken together to find the highest. */
const SMOOTHED = 3
/** At most one of so many of a series. */
const MOST_SMOOTHED = 4
/** A number that lasted for a smaller part of a window, or of its neighbours, is an edge. */
const SHORTEST_WINDOWS = 2

/**
 * Null if nothing waited, or if the number rose and fell several times, as beside another load or
 * behind a step in front of the workers.
 */
export function courseOf(load: LoadFacts, serviceMicros: Micros): Course | null {
  const isExact = load.seen.truth === 'ledger'
  const vague = load.ran.filter(({ endedWithin }) => endedWithin > MOST_WITHIN * serviceMicros)
  if (vague.length > MOST_VAGUE * load.ran.length) return null
  const spans = waitingSpans(load)
  // Before the first begins, a crew wakes up.
  const first = spans.findIndex(({ atWork }) => atWork > 0)
  const raw = first === -1 ? [] : merged(spans.slice(first).map(weighted))
  const windowMicros = Math.max(WINDOW * serviceMicros, totalOf(raw) / MOST_POINTS)
  const isRaw = isExact && raw.length <= MOST_POINTS
  const series = isRaw ? raw : averaged(raw, windowMicros)
  if (series.length === 0) return null
  const isBrief = !isRaw && series.length < FEWEST_WINDOWS
  if (isBrief && pollError(load.ran, mostOf(series)) > PRECISE * windowMicros) {
    return flatCourse(load.ran, raw)
  }
  const peak = peakOf(series, isRaw)
  const [rise, fall] = [series.slice(0, peak), series.slice(peak)]
  const rising = risingFit(rise)
  const falling = risingFit(fall.map(negated)).map(negated)
  const off = (misfit(rise, rising) + misfit(fall, falling)) / totalOf(series)
  const byPolls = isExact ? 0 : pollError(load.ran, falling[0]!.value) / windowMicros
  if (off > OFF.fixed + OFF.errors * byPolls) return null
  const shortest = isRaw || isBrief ? 0 : SHORTEST_WINDOWS * windowMicros
  return stretches([...rising, ...falling], shortest)
}

/** By polls that are not frequent; null if its mean is not precise either. */
function flatCourse(ran: readonly Ran[], raw: readonly Weighted[]): Course | null {
  const micros = totalOf(raw)
  const mean = sumBy(raw, ({ value, weight }) => value * weight) / micros
  if (pollError(ran, mean) > PRECISE * micros) return null
  return { before: [], top: { atWork: Math.max(1, Math.round(mean)), micros }, after: [] }
}

/** The mean distance of a series from its course: in executions, and in errors of polls. */
const OFF = { fixed: 0.1, errors: 1 }

/**
 * The standard error of the time at work within a window in which each of `atWork` workers ends one
 * execution and begins another: both lie anywhere between two polls.
 */
function pollError(ran: readonly Ran[], atWork: number): Micros {
  const withinMicros = meanOf(ran.map(({ endedWithin }) => endedWithin))
  return withinMicros * Math.sqrt((2 * atWork) / 12)
}

function weighted({ micros, atWork }: { micros: Micros; atWork: number }): Weighted {
  return { value: atWork, weight: micros }
}

function negated({ value, weight }: Weighted): Weighted {
  return { value: -value, weight }
}

function totalOf(series: readonly Weighted[]): number {
  return sumBy(series, ({ weight }) => weight)
}

/** Equal neighbours as one. */
function merged(series: readonly Weighted[]): Weighted[] {
  const all: Weighted[] = []
  for (const point of series) {
    const last = all.at(-1)
    if (last?.value === point.value) last.weight += point.weight
    else all.push({ ...point })
  }
  return all
}

/** Means over windows of equal length; the rest counts if it is more than half of one. */
function averaged(series: readonly Weighted[], windowMicros: Micros): Weighted[] {
  const means: Weighted[] = []
  let [sum, filled] = [0, 0]
  for (const point of series) {
    let { weight } = point
    while (weight > 0) {
      const part = Math.min(weight, windowMicros - filled)
      sum += part * point.value
      filled += part
      weight -= part
      if (filled < windowMicros) continue
      means.push({ value: sum / filled, weight: filled })
      sum = filled = 0
    }
  }
  if (filled > windowMicros / 2) means.push({ value: sum / filled, weight: filled })
  return means
}

/** Where the series reaches its highest value for the first time. */
function peakOf(series: readonly Weighted[], isRaw: boolean): number {
  if (isRaw) return series.findIndex(({ value }) => value === mostOf(series))
  const size = Math.min(SMOOTHED, Math.ceil(series.length / MOST_SMOOTHED))
  const smooth = Array.from({ length: series.length - size + 1 }, (_, i) => {
    const part = series.slice(i, i + size)
    return sumBy(part, ({ value }) => value) / size
  })
  const most = Math.max(...smooth)
  return smooth.findIndex((value) => value >= most - NEAR_PEAK)
}

const NEAR_PEAK = 0.25

function mostOf(series: readonly Weighted[]): number {
  return Math.max(...series.map(({ value }) => value))
}

function misfit(series: readonly Weighted[], blocks: readonly Weighted[]): number {
  let [sum, block, left] = [0, 0, blocks[0]?.weight ?? 0]
  for (const { value, weight } of series) {
    sum += weight * Math.abs(value - blocks[block]!.value)
    left -= weight
    if (left > weight * ROUNDING || block === blocks.length - 1) continue
    left += blocks[++block]!.weight
  }
  return sum
}

/** Sums of weights may be off by this share of one. */
const ROUNDING = 1e-6

/** Whole numbers at work; those that lasted for less than `shortest` belong to the next. */
function stretches(blocks: readonly Weighted[], shortest: Micros): Course {
  const rounded = blocks.map(({ value, weight }) => {
    return { value: Math.max(1, Math.round(value)), weight }
  })
  const all = merged(rounded)
  const lasting = merged(all.filter(({ weight }) => weight >= shortest))
  const lasted = (lasting.length === 0 ? all : lasting).map(({ value, weight }) => {
    return { atWork: value, micros: weight }
  })
  const most = Math.max(...lasted.map(({ atWork }) => atWork))
  const top = lasted.findIndex(({ atWork }) => atWork === most)
  return { before: lasted.slice(0, top), top: lasted[top]!, after: lasted.slice(top + 1) }
}

export interface Weighted {
  value: number
  weight: number
}

/**
 * Least squares among all series that never fall, by pooling neighbours that do (Barlow et al.,
 * "Statistical Inference under Order Restrictions", 1972). Neighbours with equal values are one.
 */
export function risingFit(series: readonly Weighted[]): Weighted[] {
  const blocks: Weighted[] = []
  for (const point of series) {
    blocks.push({ ...point })
    for (let last = blocks.length - 1; last > 0; last--) {
      const [before, block] = [blocks[last - 1]!, blocks[last]!]
      if (before.value < block.value) break
      const weight = before.weight + block.weight
      const value = (before.value * before.weight + block.value * block.weight) / weight
      blocks.splice(last - 1, 2, { value, weight })
    }
  }
  return blocks
}
