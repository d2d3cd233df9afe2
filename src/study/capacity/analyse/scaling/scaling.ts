/** Workers that scale: how the number at work grows from load to load while executions wait. */
import type { WeightedValue } from '../../../../result/statistics/quantiles.ts'
import { lowerMedian } from '../../../../result/statistics/rising.ts'
import { servicesOf, waitingSpans } from '../seen.ts'
import type { LoadFacts, Ran } from '../seen.ts'
import type { Micros } from '../../../../base/units.ts'
import { meanOf, sumBy } from '../../../../result/statistics/moments.ts'
import { groupedBy } from '../../../../base/collections/counts.ts'

export interface Scaling {
  /** The number at work at first, and the highest that was seen. */
  from: number
  to: number
  /** How long each number lasted before it grew, rising; numbers that were passed at once miss. */
  steps: readonly CourseStretch[]
  /** Whether the crew stayed at the highest number although executions waited. */
  stands: boolean
}

/** A number that lasts for this many times the longest step before it has ceased to grow. */
const STANDS = 2
/** It also lasts for this many service times. */
const LASTING = 3
/**
 * With fewer clients per worker the queue is often empty for a moment, from which workers that
 * scale may infer that there are enough of them.
 */
export const CROWDED = 1.5
/** A smaller difference may be due to polls: this share of the number at work, and at least one. */
const LEAST_SHARE = 0.1

/** Null if the number at work never surely grew. */
export function scalingOf(loads: readonly LoadFacts[]): Scaling | null {
  if (waitsAlone(loads)) return null
  const serviceMicros = serviceOf(loads)
  const courses = loads.flatMap((load) => watchedCourse(load, serviceMicros) ?? [])
  const climbs = climbsOf(loads, serviceMicros).filter((climb) => climb.length > 1)
  if (climbs.length === 0) return null
  const from = Math.min(...climbs.map(([first]) => first!.atWork))
  const to = Math.max(...courses.map(({ course, most }) => Math.max(course.top.atWork, most)))
  const steps = climbs.map((climb) => climb.slice(0, -1))
  const longest = Math.max(...steps.flat().map(lasted))
  const enough = Math.max(STANDS * longest, LASTING * serviceMicros)
  const stands = courses.some(({ course: { top }, clients }) => {
    return top.atWork === to && top.micros >= enough && clients >= CROWDED * to
  })
  return { from, to, steps: medianSteps(steps), stands }
}

/**
 * The numbers at work, rising, each with the time for which executions waited for it to grow. A
 * climb goes on over consecutive loads of one crew, for as long as the number does not fall.
 */
function climbsOf(loads: readonly LoadFacts[], serviceMicros: Micros): CourseStretch[][] {
  const climbs: CourseStretch[][] = []
  let climb: CourseStretch[] | undefined
  loads.forEach((load, i) => {
    const isSameCrew = load.seen.lasts === true && loads[i - 1]?.seen.lasts === true
    if (!isSameCrew) climb = undefined
    const last = climb?.at(-1)
    const watched = watchedCourse(load, serviceMicros)
    if (watched === null) {
      if (last !== undefined) last.micros += waitedMicros(load)
      return
    }
    const { least } = watched
    const [first, ...others] = riseOf(watched)
    const grew = first!.atWork - (last?.atWork ?? Infinity)
    if (grew <= -least) climbs.push((climb = [first!, ...others]))
    else if (grew >= least) climb!.push(first!, ...others)
    else {
      last!.micros += first!.micros
      climb!.push(...others)
    }
  })
  return climbs
}

/** The numbers of a load up to the highest, which counts alone if the difference may be chance. */
function riseOf({ course: { before, top }, least }: ScalingFacts): CourseStretch[] {
  const grows = before.length > 0 && top.atWork - before[0]!.atWork >= least
  return (grows ? [...before, top] : [top]).map(({ atWork, micros }) => ({ atWork, micros }))
}

/** For how long at least one execution waited. */
function waitedMicros({ ran }: LoadFacts): Micros {
  const waits = ran
    .filter(({ accepted, started, endedWithin }) => started - accepted > endedWithin)
    .toSorted((a, b) => a.accepted - b.accepted)
  let [sum, until] = [0, 0]
  for (const { accepted, started } of waits) {
    sum += Math.max(0, started - Math.max(accepted, until))
    until = Math.max(until, started)
  }
  return sum
}

interface Fall {
  from: number
  to: number
}

/** Workers that went away while executions waited; null if none surely did. */
export function vanishedOf(loads: readonly LoadFacts[], scaling: Scaling | null): Fall | null {
  if (waitsAlone(loads)) return null
  const serviceMicros = serviceOf(loads)
  const longest = Math.max(0, ...(scaling?.steps ?? []).map(lasted))
  let stood = 0
  for (const load of loads) {
    const watched = watchedCourse(load, serviceMicros)
    if (watched === null) continue
    const { course, least, isExact } = watched
    const { top, after } = course
    const lasting = (isExact ? LASTING : FEWEST_WINDOWS) * serviceMicros
    const enough = Math.max(STANDS * longest, lasting)
    const last = after.at(-1)
    if (last !== undefined && top.atWork - last.atWork >= least && last.micros >= enough) {
      return { from: top.atWork, to: last.atWork }
    }
    if (top.micros < enough) continue
    if (stood - top.atWork >= least) return { from: stood, to: top.atWork }
    stood = Math.max(stood, top.atWork)
  }
  return null
}

interface ScalingFacts {
  course: Course
  isExact: boolean
  /** The least difference between two numbers that is none by chance. */
  least: number
  /** The most at work at once; 0 where that is not known exactly. */
  most: number
  clients: number
}

function watchedCourse(load: LoadFacts, serviceMicros: Micros): ScalingFacts | null {
  const { executions, truth, others, load: put } = load.seen
  // Executions that are not seen to the end may have kept a worker.
  const isPartial = executions.some(({ accepted, started, ended, outcome }) => {
    const isUnseen = started === null || ended === null
    return outcome === 'unknown' || (accepted !== null && isUnseen)
  })
  if (isPartial || (others?.executions ?? 0) > 0) return null
  const course = courseOf(load, serviceMicros)
  if (course === null) return null
  const isExact = truth === 'ledger'
  const least = isExact ? 1 : Math.max(1, LEAST_SHARE * course.top.atWork)
  const clients = put.kind === 'closed' ? put.clients : 0
  const most = isExact ? load.busy.most : 0
  return { course, isExact, least, most, clients }
}

function lasted({ micros }: CourseStretch): Micros {
  return micros
}

/** Several climbs may show the same step: their median counts. */
function medianSteps(steps: readonly (readonly CourseStretch[])[]): CourseStretch[] {
  return groupedBy(steps.flat(), ({ atWork }) => atWork)
    .map(([atWork, same]) => ({ atWork, micros: lowerMedian(same.map(lasted)) }))
    .toSorted((a, b) => a.atWork - b.atWork)
}

/** The median service time. */
function serviceOf(loads: readonly LoadFacts[]): Micros {
  return lowerMedian(loads.flatMap(({ ran }) => servicesOf(ran)))
}

/**
 * Whether executions of a single client mostly wait, although the crew was awake: then they wait
 * for something else than workers.
 */
function waitsAlone(loads: readonly LoadFacts[]): boolean {
  const later = loads
    .filter(({ seen: { load } }) => load.kind === 'closed' && load.clients === 1)
    .flatMap(({ ran }) => ran.slice(1))
  const waits = later.filter((each) => each.started - each.accepted > each.endedWithin + NOTICED)
  return waits.length > later.length / 2
}

const NOTICED = 100_000

/** Times count only while an execution waits: then every worker is at work. */
interface CourseStretch {
  atWork: number
  micros: Micros
}

interface Course {
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
const FEWEST_WINDOWS = 12
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
function courseOf(load: LoadFacts, serviceMicros: Micros): Course | null {
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
function flatCourse(ran: readonly Ran[], raw: readonly WeightedValue[]): Course | null {
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

function weighted({ micros, atWork }: { micros: Micros; atWork: number }): WeightedValue {
  return { value: atWork, weight: micros }
}

function negated({ value, weight }: WeightedValue): WeightedValue {
  return { value: -value, weight }
}

function totalOf(series: readonly WeightedValue[]): number {
  return sumBy(series, ({ weight }) => weight)
}

/** Equal neighbours as one. */
function merged(series: readonly WeightedValue[]): WeightedValue[] {
  const all: WeightedValue[] = []
  for (const point of series) {
    const last = all.at(-1)
    if (last?.value === point.value) last.weight += point.weight
    else all.push({ ...point })
  }
  return all
}

/** Means over windows of equal length; the rest counts if it is more than half of one. */
function averaged(series: readonly WeightedValue[], windowMicros: Micros): WeightedValue[] {
  const means: WeightedValue[] = []
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
function peakOf(series: readonly WeightedValue[], isRaw: boolean): number {
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

function mostOf(series: readonly WeightedValue[]): number {
  return Math.max(...series.map(({ value }) => value))
}

function misfit(series: readonly WeightedValue[], blocks: readonly WeightedValue[]): number {
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
function stretches(blocks: readonly WeightedValue[], shortest: Micros): Course {
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

/**
 * Least squares among all series that never fall, by pooling neighbours that do (Barlow et al.,
 * "Statistical Inference under Order Restrictions", 1972). Neighbours with equal values are one.
 */
function risingFit(series: readonly WeightedValue[]): WeightedValue[] {
  const blocks: WeightedValue[] = []
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
