/** Random limiters of every kind that the fake crew supports, each from a seed. */
import type { AlgorithmProfile } from '../../../fake-crew/model/limits/algorithms/list.ts'
import type { LimitProfile } from '../../../fake-crew/model/limits/profile.ts'
import { unreachable } from '../../../src/base/assert.ts'
import type { Random } from '../../../src/base/random.ts'
import { createRandom } from '../../../src/base/random.ts'

const DRAWN_KINDS = [
  'none',
  'token-bucket',
  'leaky-bucket',
  'leaky-delayed',
  'fixed-calendar',
  'fixed-first-hit',
  'sliding-log',
  'sliding-counter',
  'concurrency',
  'penalty',
] as const
export type DrawnKind = (typeof DRAWN_KINDS)[number]

export interface Drawn {
  seed: number
  kind: DrawnKind
  /** Null for no limit. */
  limit: LimitProfile | null
  /**
   * The time from the arrival to the answer of a request that is admitted and not held back, in
   * milliseconds.
   */
  serviceMs: number
  /** The spread of service times, in milliseconds; 0 if all are equal. */
  spreadMs: number
  /** The jitter in each direction, uniform from 0, in milliseconds. */
  jitterMs: number
  anchorUnixMs: number
}

const MICROS_PER_MS = 1_000
/** The largest limit, capacity or burst, and the longest time in which a bucket fills. */
const MOST = 150
const MOST_MS = 120_000

export function drawLimiter(seed: number): Drawn {
  const random = createRandom(seed).fork('limiter')
  const kind = random.pick(DRAWN_KINDS)
  const algorithm = drawAlgorithm(kind, random.fork('algorithm'))
  const counted = random.next() < 0.3
  const blockMs = kind === 'penalty' ? logUniform(random, 2_000, MOST_MS) : 0
  return {
    seed,
    kind,
    limit: algorithm === null ? null : limitOf(algorithm, counted, blockMs),
    serviceMs:
      kind === 'concurrency' ? logUniform(random, 20, 1_000) : 1 + Math.round(random.next() * 30),
    spreadMs: 0,
    jitterMs: 30,
    anchorUnixMs: Date.UTC(2026, 5, 1, 6) + Math.floor(random.next() * 6 * 3_600_000),
  }
}

function limitOf(algorithm: AlgorithmProfile, counted: boolean, blockMs: number): LimitProfile {
  return {
    name: 'drawn',
    operations: ['status'],
    quota: 'shared',
    per: 'all',
    algorithm,
    rejected: counted ? 'counted' : 'free',
    blockMicros: blockMs * MICROS_PER_MS,
    refusal: { status: 429, retryAfter: 'none' },
  }
}

function drawAlgorithm(kind: DrawnKind, random: Random): AlgorithmProfile | null {
  switch (kind) {
    case 'none':
      return null
    case 'token-bucket': {
      const { rate, capacity } = drawBucket(random, MOST_MS)
      return { kind: 'token-bucket', rate, capacity }
    }
    case 'leaky-bucket':
    case 'leaky-delayed': {
      /** No client waits minutes for an answer. */
      const { rate, capacity } = drawBucket(random, kind === 'leaky-bucket' ? MOST_MS : 30_000)
      const excess = kind === 'leaky-bucket' ? 'at once' : 'delayed'
      return { kind: 'leaky-bucket', rate, burst: capacity - 1, excess }
    }
    case 'fixed-calendar':
      return { kind: 'fixed-window', ...drawWindow(random), from: 'calendar' }
    case 'fixed-first-hit':
      return { kind: 'fixed-window', ...drawWindow(random), from: 'first hit' }
    case 'sliding-log':
      return { kind, ...drawWindow(random) }
    case 'sliding-counter':
      return { kind, ...drawWindow(random), estimate: 'exact' }
    case 'concurrency':
      return { kind, limit: logWhole(random, 1, 50) }
    case 'penalty': {
      const trigger = random.pick(['calendar', 'first hit', 'log'] as const)
      const window = drawWindow(random)
      if (trigger === 'log') return { kind: 'sliding-log', ...window }
      return { kind: 'fixed-window', ...window, from: trigger }
    }
    default:
      return unreachable(kind)
  }
}

function drawWindow(random: Random): { limit: number; windowMicros: number } {
  const limit = logWhole(random, 1, MOST)
  return { limit, windowMicros: logUniform(random, 1_000, MOST_MS) * MICROS_PER_MS }
}

function drawBucket(random: Random, mostMs: number) {
  for (;;) {
    const perSecond = logUniform(random, 200, 50_000) / 1_000
    const capacity = logWhole(random, 1, MOST)
    if ((capacity / perSecond) * 1_000 <= mostMs) {
      return { rate: { count: perSecond, perMicros: 1_000_000 }, capacity }
    }
  }
}

/** Whole numbers, uniform on a logarithmic scale. */
function logUniform(random: Random, least: number, most: number): number {
  return Math.round(least * (most / least) ** random.next())
}

function logWhole(random: Random, least: number, most: number): number {
  return Math.min(most, Math.floor(least * ((most + 1) / least) ** random.next()))
}
