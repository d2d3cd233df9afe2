/** Fixed window: `limit` requests in each, on the calendar or from the first request on. */
import type { Courses } from './courses.ts'
import { inCourses } from './courses.ts'
import type { Clues, Hypothesis, Model, Parameters } from './hypothesis.ts'
import { parametersOf } from './hypothesis.ts'
import type { WindowState } from './window-model.ts'
import { fixedWindow } from './window-model.ts'
import {
  boundaries,
  lengthsToReadmissions,
  phaseOf,
  promisedLengths,
  sample,
  spreadLengths,
} from './windows.ts'

/** A window that begins with the first request. */
export function windowFromHit({ limit, windowMs }: Parameters, sigmaMs: number): Model<Courses> {
  const window = fixedWindow(limit, windowMs, sigmaMs, (ms) => ms + windowMs, true)
  return inCourses(window, limit, sigmaMs)
}

export function windowByClock(parameters: Parameters, sigmaMs: number): Model<WindowState> {
  const { limit, windowMs } = parameters
  return fixedWindow(limit, windowMs, sigmaMs, calendarEnd(parameters), false)
}

function calendarEnd({ windowMs, phaseMs }: Parameters): (ms: number) => number {
  return (ms) => phaseMs + (Math.floor((ms - phaseMs) / windowMs) + 1) * windowMs
}

const FIXED = { kind: 'fixed-window', countsRefused: false, prior: 0 } as const

export const calendarWindow: Hypothesis = {
  ...FIXED,
  name: 'fixed window, calendar',
  aligned: 'calendar',
  has: ['limit', 'windowMs', 'phaseMs'],
  model: windowByClock,
  seeds: (clues, most) => withLimits(clues, calendarSeeds(clues), most),
}

export const firstHitWindow: Hypothesis = {
  ...FIXED,
  name: 'fixed window, first hit',
  aligned: 'first-hit',
  has: ['limit', 'windowMs'],
  model: windowFromHit,
  seeds: (clues, most) => withLimits(clues, lengthSeeds(clues), most),
}

export function lengthSeeds(clues: Clues): Parameters[] {
  const lengths = [
    ...sample(clues, lengthsToReadmissions(clues), 80),
    ...spreadLengths(clues, 40),
    ...promisedLengths(clues, 20),
  ]
  return lengths.map((windowMs) => parametersOf({ windowMs }))
}

/** Where a window begins, requests are let in again. */
export function calendarSeeds(clues: Clues): Parameters[] {
  const { random } = clues
  const begins = boundaries(clues, 6)
  if (begins.length === 0) return []
  const lengths = [...spreadLengths(clues, 60), ...promisedLengths(clues, 60)]
  for (let i = 0; i < 90; i++) {
    const ms = Math.abs(random.pick(begins) - random.pick(begins))
    if (ms > 300) lengths.push(ms / (1 + random.int(4)))
  }
  return lengths.map((windowMs) =>
    parametersOf({ windowMs, phaseMs: phaseOf(random.pick(begins), windowMs) }),
  )
}

/** So many limits are tried for a seed where not all are. */
const LIMITS = 2

/**
 * Combines each seed with the limits that the refusals imply. Finding them takes as long as a
 * replay.
 */
export function withLimits(clues: Clues, seeds: readonly Parameters[], most: number): Parameters[] {
  const each = seeds.length > most ? LIMITS : Infinity
  return sample(clues, seeds, most / LIMITS).flatMap((seed) =>
    sample(clues, clues.limitsOf(seed), each).map((limit) => parametersOf(seed, { limit })),
  )
}
