/** Workers that scale: how the number at work grows from load to load while executions wait. */
import { servicesOf } from '../learn/seen.ts'
import type { LoadFacts } from '../learn/seen.ts'
import { quantileOf } from '../../../../result/statistics/quantiles.ts'
import type { Micros } from '../../../../base/units.ts'
import type { Course, CourseStretch } from './course.ts'
import { courseOf, FEWEST_WINDOWS } from './course.ts'

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
  const times = new Map<number, number[]>()
  for (const { atWork, micros } of steps.flat()) {
    times.set(atWork, [...(times.get(atWork) ?? []), micros])
  }
  return [...times]
    .map(([atWork, micros]) => ({ atWork, micros: medianOf(micros) }))
    .toSorted((a, b) => a.atWork - b.atWork)
}

/** The median service time. */
function serviceOf(loads: readonly LoadFacts[]): Micros {
  return medianOf(loads.flatMap(({ ran }) => servicesOf(ran)))
}

function medianOf(values: readonly number[]): number {
  return quantileOf(Float64Array.from(values).sort(), 0.5) ?? 0
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
