/**
 * Ten crews drawn from seeds for searches over real HTTP: nine profiles of the fake crew, one of
 * them for k6, and a server that is not ours.
 */
import type { Random } from '../../../src/base/random.ts'
import { createRandom } from '../../../src/base/random.ts'
import type { DrawnCrew } from '../drawn/crews.ts'
import { SECOND } from '../drawn/crews.ts'
import { capacityOf } from '../drawn/truth.ts'

/** The speed of the time-lapse: a second of a run is this many seconds of the crew. */
export const SPEED = 15
/** The polling interval, in seconds of the crew's clock. */
const POLL_SECONDS = 6

/**
 * The shapes of service times, each with a mean of 1: `unit` draws one, `words` writes it as a
 * profile does.
 */
const SHAPES = {
  constant: { unit: () => 1, words: (mean: number) => `${mean}s` },
  uniform: {
    unit: (random: Random) => 0.5 + random.next(),
    words: (mean: number) => `{ uniform: { min: ${0.5 * mean}s, max: ${1.5 * mean}s } }`,
  },
  gamma: {
    unit: (random: Random) => (random.exponential() + random.exponential()) / 2,
    words: (mean: number) => `{ gamma: { mean: ${mean}s, cv: ${Math.SQRT1_2} } }`,
  },
  exponential: {
    unit: (random: Random) => random.exponential(),
    words: (mean: number) => `{ gamma: { mean: ${mean}s, cv: 1 } }`,
  },
} as const

type Shape = keyof typeof SHAPES

const PLACES = [
  'queue',
  'queue',
  'queue',
  'limited queue',
  'limited queue',
  'cold start',
  'cold start',
  'limiter',
  'k6',
  'not ours',
] as const

export interface HttpCrew extends Pick<DrawnCrew, 'seed' | 'slots' | 'meanMicros' | 'queueLimit'> {
  place: (typeof PLACES)[number]
  shape: Shape
  boundMicros: number
}

export function drawCrews(first: number): HttpCrew[] {
  const shapes = Object.keys(SHAPES) as Shape[]
  return PLACES.map((place, i) => drawn(first + i, place, shapes[i % shapes.length] ?? 'gamma'))
}

const OF_UNLOADED = { least: 1.8, most: 4 }

function drawn(seed: number, place: HttpCrew['place'], shape: Shape): HttpCrew {
  const random = createRandom(seed).fork('http')
  const slots = Math.round(4 * 6 ** random.next())
  const meanMicros = Math.round(30 + 30 * random.next()) * SECOND
  const unloaded = Float64Array.from({ length: 100_000 }, () => SHAPES[shape].unit(random)).sort()
  const factor = OF_UNLOADED.least + (OF_UNLOADED.most - OF_UNLOADED.least) * random.next()
  const boundSeconds = Math.round((factor * (unloaded[95_000] ?? 1) * meanMicros) / SECOND)
  return {
    seed,
    place,
    shape,
    slots,
    meanMicros,
    boundMicros: boundSeconds * SECOND,
    queueLimit: place === 'limited queue' ? slots : Infinity,
  }
}

/**
 * The true capacity in kickoffs per hour, from the simulation of `bench/capacity/drawn/truth.ts`.
 * Users learn of an end by their next poll, which comes half an interval later on average, so the
 * bound is shortened by that.
 */
export function truthOf({ place, shape, boundMicros, ...crew }: HttpCrew): number {
  const kind = place === 'limited queue' ? place : 'queue'
  const learned = boundMicros - (POLL_SECONDS * SECOND) / 2
  const { perHour } = capacityOf(
    { ...crew, kind, shape, boundMicros: learned },
    { unit: SHAPES[shape].unit, arrivals: ARRIVALS },
  )
  return perHour
}

const ARRIVALS = 400_000

export function sloOf({ place, boundMicros }: HttpCrew): string {
  const late = `execution.p95 < ${boundMicros / SECOND}s`
  return place === 'limited queue' ? `${late}, outcome.rejected < 2%` : late
}

/** Returns the function that gives the duration of the nth execution, in real milliseconds. */
export function realMillisOf({ seed, shape, meanMicros }: HttpCrew): (n: number) => number {
  const random = createRandom(seed).fork('not ours')
  return (n) => (SHAPES[shape].unit(random.fork('execution', n)) * meanMicros) / 1_000 / SPEED
}

export function profileOf({ place, shape, slots, meanMicros, queueLimit }: HttpCrew): string {
  const duration = SHAPES[shape].words(meanMicros / SECOND)
  const queue = Number.isFinite(queueLimit) ? `, queueLimit: ${queueLimit}` : ''
  const sleeps = ', coldStart: { delay: 10s, idle: 1m, requests: at once }'
  // The limiter admits two thirds of what the workers can finish.
  const perMinute = Math.ceil((0.66 * slots * 60 * SECOND) / meanMicros)
  const limiter = `limits: { rules: [{ name: front, operations: [kickoff], tokenBucket: { rate: ${perMinute}/m, capacity: ${slots} } }] }\n`
  return [
    'inputs: [topic]\n',
    `tasks: [{ id: work, agent: Worker, duration: ${duration}, output: 1kB }]\n`,
    `capacity: { workers: ${slots}${queue}${place === 'cold start' ? sleeps : ''} }\n`,
    place === 'limiter' ? limiter : '',
  ].join('')
}

/** Clients that a full queue turns away do not come again, as in the simulation of the truth. */
export const SCENARIO = `export default {
  name: 'over-http',
  arrivals: { rate: '1/m', for: '1h' },
  inputs: { topic: 'capacity' },
  polling: { fixed: '${POLL_SECONDS}s' },
  deadline: '2h',
  retry: { kickoff: 0 },
  validity: { lateness: '5s', utilisation: 1, little: '50%' },
}
`
