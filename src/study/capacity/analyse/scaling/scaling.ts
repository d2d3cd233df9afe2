/** Workers that scale: how the number at work grows from load to load while executions wait. */
import { quantileOf } from '../../../../result/statistics/quantiles.ts'
import type { Micros } from '../../../../base/units.ts'
import type { Course, Stretch, Watched } from './course.ts'
import { courseOf } from './course.ts'

export interface Scaling {
  /** The number at work at first, and the highest that was seen. */
  from: number
  to: number
  /** How long each number lasted before it grew, rising; numbers that were passed at once miss. */
  steps: readonly Stretch[]
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
const CROWDED = 1.5
/** A smaller difference may be due to polls: this share of the number at work, and at least one. */
const LEAST_SHARE = 0.1

/** Null if the number at work never surely grew. */
export function scalingOf(loads: readonly Watched[]): Scaling | null {
  if (waitsAlone(loads)) return null
  const serviceMicros = serviceOf(loads)
  const told = loads.flatMap((load) => watchedCourse(load, serviceMicros) ?? [])
  const growing = told.filter(({ course: { before, top }, least }) => {
    return before.length > 0 && top.atWork - before[0]!.atWork >= least
  })
  if (growing.length === 0) return null
  const from = Math.min(...growing.map(({ course }) => course.before[0]!.atWork))
  const to = Math.max(...told.map(({ course, most }) => Math.max(course.top.atWork, most)))
  const longest = Math.max(...growing.flatMap(({ course }) => course.before.map(lasted)))
  const enough = Math.max(STANDS * longest, LASTING * serviceMicros)
  const stands = told.some(({ course: { top }, clients }) => {
    return top.atWork === to && top.micros >= enough && clients >= CROWDED * to
  })
  return { from, to, steps: stepsOf(growing.map(({ course }) => course)), stands }
}

interface Fall {
  from: number
  to: number
}

/** Workers that went away while executions waited; null if none surely did. */
export function vanishedOf(loads: readonly Watched[], scaling: Scaling | null): Fall | null {
  if (waitsAlone(loads)) return null
  const serviceMicros = serviceOf(loads)
  const longest = Math.max(0, ...(scaling?.steps ?? []).map(lasted))
  const enough = Math.max(STANDS * longest, LASTING * serviceMicros)
  let stood = 0
  for (const load of loads) {
    const watched = watchedCourse(load, serviceMicros)
    if (watched === null) continue
    const { course, least } = watched
    const { top, after } = course
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

function watchedCourse(
  load: Watched,
  serviceMicros: Micros,
): { course: Course; least: number; most: number; clients: number } | null {
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
  return { course, least, most: isExact ? load.busy.most : 0, clients }
}

function lasted({ micros }: Stretch): Micros {
  return micros
}

/** Several loads may show the same step: their median counts. */
function stepsOf(courses: readonly Course[]): Stretch[] {
  const times = new Map<number, number[]>()
  for (const { atWork, micros } of courses.flatMap(({ before }) => before)) {
    times.set(atWork, [...(times.get(atWork) ?? []), micros])
  }
  return [...times]
    .map(([atWork, micros]) => ({ atWork, micros: medianOf(micros) }))
    .toSorted((a, b) => a.atWork - b.atWork)
}

/** The median service time. */
function serviceOf(loads: readonly Watched[]): Micros {
  return medianOf(loads.flatMap(({ ran }) => ran.map(({ started, ended }) => ended - started)))
}

function medianOf(values: readonly number[]): number {
  return quantileOf(Float64Array.from(values).sort(), 0.5) ?? 0
}

/**
 * Whether executions of a single client mostly wait, although the crew was awake: then they wait
 * for something else than workers.
 */
function waitsAlone(loads: readonly Watched[]): boolean {
  const later = loads
    .filter(({ seen: { load } }) => load.kind === 'closed' && load.clients === 1)
    .flatMap(({ ran }) => ran.slice(1))
  const waits = later.filter((each) => each.started - each.accepted > each.endedWithin + NOTICED)
  return waits.length > later.length / 2
}

const NOTICED = 100_000
