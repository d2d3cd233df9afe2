/** Crews drawn from a seed, as profiles, with their truth: times of tasks, and capacity. */
import type { Profile } from '../../../fake-crew/model/profile.ts'
import { parseProfileText } from '../../../fake-crew/profiles.ts'
import type { Distribution } from '../../../src/base/distribution.ts'
import { draw } from '../../../src/base/distribution.ts'
import type { Random } from '../../../src/base/random.ts'
import { createRandom } from '../../../src/base/random.ts'
import { capacityOf as capacityOfQueue } from '../../capacity/drawn/truth.ts'

const SECOND = 1_000_000

/** The shapes of durations as a profile writes them, each with a mean of `seconds`. */
const SHAPES = {
  constant: (seconds: number) => `${seconds}s`,
  uniform: (seconds: number) => `{ uniform: { min: ${0.5 * seconds}s, max: ${1.5 * seconds}s } }`,
  gamma: (seconds: number) => `{ gamma: { mean: ${seconds}s, cv: 0.5 } }`,
  exponential: (seconds: number) => `{ gamma: { mean: ${seconds}s, cv: 1 } }`,
  lognormal: (seconds: number) =>
    `{ lognormal: { median: ${0.8 * seconds}s, p95: ${2.4 * seconds}s } }`,
  bimodal: (seconds: number) =>
    `{ quantiles: { 0%: ${0.4 * seconds}s, 80%: ${0.6 * seconds}s, 80.1%: ${2.8 * seconds}s, 100%: ${3.2 * seconds}s } }`,
} as const

export interface DrawnProfile {
  seed: number
  yaml: string
  profile: Profile
  shapes: string
  workers: number
  /** The load of the run that fills the crew, as a share of what its workers can finish. */
  load: number
  meanMicros: number
}

export function drawProfile(seed: number): DrawnProfile {
  const random = createRandom(seed).fork('twin')
  const tasks = 1 + random.int(3)
  const workers = Math.round(2 * 20 ** random.next())
  const shapes = Array.from({ length: tasks }, () =>
    random.pick(Object.keys(SHAPES) as (keyof typeof SHAPES)[]),
  )
  const seconds = Math.round((30 + 150 * random.next()) / tasks)
  const chance = random.next() < 0.5 ? 0 : 0.03
  const lines = shapes.map(
    (shape, i) =>
      `  - { id: task-${i + 1}, agent: A, duration: ${SHAPES[shape](seconds)}, failure: { chance: ${chance}, message: Task ${i + 1} failed }, output: { lognormal: { median: 2kB, p95: 9kB } } }`,
  )
  const yaml = `tasks:\n${lines.join('\n')}\ncapacity: { workers: ${workers} }\nhttp: { latency: { kickoff: 80ms, status: { lognormal: { median: 20ms, p95: 60ms } } } }\n`
  const profile = parseProfileText(yaml, `crew-${seed}`)
  const load = 0.92 + 0.2 * random.next()
  return {
    seed,
    yaml,
    profile,
    shapes: shapes.join(' '),
    workers,
    load,
    meanMicros: meanOf(profile),
  }
}

const DRAWS = 200_000

/** The true quantile of the duration of tasks that run one after the other, in microseconds. */
export function trueQuantile(tasks: readonly Distribution[], q: number): number {
  const random = createRandom(7).fork('quantile')
  const sorted = Float64Array.from({ length: DRAWS }, () =>
    tasks.reduce((sum, task) => sum + draw(task, random), 0),
  ).sort()
  return sorted[Math.floor(q * DRAWS)] ?? 0
}

/**
 * Draws the time of a whole execution, with its tasks one after the other; a failure ends its task
 * early.
 */
function serviceMicros({ tasks }: Profile, random: Random): number {
  let sum = 0
  for (const { duration, failure } of tasks) {
    const micros = Math.max(0, draw(duration, random))
    if (random.next() < failure.chance) return sum + micros * random.next()
    sum += micros
  }
  return Math.max(1, sum)
}

function meanOf(profile: Profile): number {
  const random = createRandom(8).fork('mean')
  let sum = 0
  for (let i = 0; i < DRAWS; i++) sum += serviceMicros(profile, random)
  return sum / DRAWS
}

const OF_UNLOADED = 2

/** The bound of the promise: `OF_UNLOADED` times the p95 of executions that do not wait. */
export function boundOf(profile: Profile): number {
  const random = createRandom(9).fork('bound')
  const sorted = Float64Array.from({ length: DRAWS }, () => serviceMicros(profile, random)).sort()
  return OF_UNLOADED * (sorted[Math.floor(0.95 * DRAWS)] ?? 0)
}

/** The rate at which the p95 reaches the bound, in kickoffs per hour. */
export function capacityOf(profile: Profile, boundMicros: number): number {
  const meanMicros = meanOf(profile)
  const { perHour } = capacityOfQueue(
    {
      seed: 1,
      kind: 'queue',
      shape: 'constant',
      slots: profile.capacity.workers ?? Infinity,
      meanMicros,
      boundMicros,
      queueLimit: Infinity,
    },
    { unit: (random) => serviceMicros(profile, random) / meanMicros, arrivals: ARRIVALS },
  )
  return perHour
}

/** The arrivals of each of the two simulations. */
const ARRIVALS = 300_000

export function ratePerMinute({ workers, meanMicros }: DrawnProfile, load: number): number {
  return (load * workers * 60 * SECOND) / meanMicros
}
