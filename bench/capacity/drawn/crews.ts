/**
 * Crews drawn from a seed, each with a promise to its users: those that a queue for workers
 * describes, and others.
 */
import type { Random } from '../../../src/base/random.ts'
import { createRandom } from '../../../src/base/random.ts'

export const SECOND = 1_000_000

/** The shapes of service times, each with a mean of 1. */
const SHAPES = {
  constant: () => 1,
  uniform: (random: Random) => 0.5 + random.next(),
  gamma: (random: Random) => (random.exponential() + random.exponential()) / 2,
  exponential: (random: Random) => random.exponential(),
  lognormal: (random: Random) => Math.exp(0.668 * random.normal() - 0.668 ** 2 / 2),
  bimodal: (random: Random) => (random.next() < 0.8 ? 0.48 : 3.08),
} as const

type Shape = keyof typeof SHAPES

export type Kind =
  | 'queue'
  | 'limited queue'
  | 'cold start'
  | 'slower when full'
  | 'last come first'
  | 'limiter'
  | 'drift'
  | 'worse when others wait'
  | 'pool in front'
  | 'failures grow'

export const DESCRIBED: readonly Kind[] = [
  'queue',
  'limited queue',
  'cold start',
  'slower when full',
]
export const OTHERS: readonly Kind[] = [
  'last come first',
  'limiter',
  'drift',
  'worse when others wait',
  'pool in front',
  'failures grow',
]

export interface DrawnCrew {
  seed: number
  kind: Kind
  shape: Shape
  slots: number
  meanMicros: number
  /** The bound of the promise: the p95 over all executions that were due, in microseconds. */
  boundMicros: number
  queueLimit: number
}

const OF_UNLOADED = { least: 1.5, most: 4 }

export function drawCrew(seed: number, kinds: readonly Kind[]): DrawnCrew {
  const random = createRandom(seed).fork('crew')
  const kind = random.pick(kinds)
  const shape = random.pick(Object.keys(SHAPES) as Shape[])
  const most = kind === 'slower when full' ? 25 : 200
  const least = kind === 'slower when full' ? 8 : 1
  const slots = Math.round(least * (most / least) ** random.next())
  const meanMicros = 30 * SECOND * 10 ** random.next()
  const { least: tight, most: wide } = OF_UNLOADED
  const factor = tight + (wide - tight) * random.next()
  return {
    seed,
    kind,
    shape,
    slots,
    meanMicros,
    boundMicros:
      factor * unloadedP95(shape) * meanMicros * (kind === 'slower when full' ? SLOWER : 1),
    queueLimit: kind === 'limited queue' ? Math.max(2, slots) : Infinity,
  }
}

function unloadedP95(shape: Shape): number {
  const random = createRandom(1).fork(shape)
  const sorted = Float64Array.from({ length: 100_000 }, () => SHAPES[shape](random)).sort()
  return sorted[95_000] ?? 0
}

/** The factor by which an execution in a full crew takes longer than one that runs alone. */
export const SLOWER = 1.4

/** The share of executions that fail, from an empty crew to one whose workers are all busy. */
const FAILED = { empty: 0.01, full: 0.15 }
/** The promise about failures: the share that fails stays below this. */
export const FAILED_LIMIT = 0.05

export function failedShare({ kind, slots }: DrawnCrew, busy: number): number {
  const { empty, full } = FAILED
  return kind === 'failures grow' ? empty + ((full - empty) * busy) / slots : 0
}

/** Draws a service time in units of the mean. */
export function unitService({ shape }: DrawnCrew, random: Random): number {
  return SHAPES[shape](random)
}

export interface Surroundings {
  /** The number of executions that are running, this one included. */
  busy: number
  waiting: number
  /** The time since the crew began, in microseconds. */
  atMicros: number
}

/** Returns the factor by which an execution takes longer than in a new crew that is empty. */
export function slowdown(
  { kind, slots, meanMicros }: DrawnCrew,
  { busy, waiting, atMicros }: Surroundings,
): number {
  switch (kind) {
    case 'slower when full':
      return 1 + ((SLOWER - 1) * busy) / slots
    case 'worse when others wait':
      return 1 + Math.min(2, waiting / slots)
    case 'drift':
      return 1 + Math.min(3, (0.4 * atMicros * slots) / meanMicros / 1_000)
    default:
      return 1
  }
}
