/** Crews drawn from a seed whose executions share a quota or a processor, each with a promise. */
import type { Random } from '../../../src/base/random.ts'
import { createRandom } from '../../../src/base/random.ts'

export const SECOND = 1_000_000
export const HOUR = 3_600 * SECOND

export const KINDS = [
  'none',
  'leaky',
  'bucket, clients wait',
  'bucket, clients retry',
  'window of a minute',
  'shared processor',
] as const

type Kind = (typeof KINDS)[number]

export interface DrawnCrew {
  seed: number
  kind: Kind
  slots: number
  /** The mean time of each task and its number of calls. */
  tasks: { meanMicros: number; calls: number }[]
  /** The shape of the gamma distribution of task times. */
  shape: number
  /** What is shared, as a share of what the workers do. */
  share: number
  /** The calls that a full bucket holds. */
  burst: number
  /** The bound of the promise: the p95 of an execution, in microseconds. */
  boundMicros: number
}

export function drawCrew(seed: number): DrawnCrew {
  const random = createRandom(seed).fork('quota crew')
  const kind = KINDS.at(seed % KINDS.length)!
  const slots = Math.round(2 * 20 ** random.next())
  const tasks = Array.from({ length: 1 + random.int(5) }, () => ({
    meanMicros: 4 * SECOND * 10 ** random.next(),
    calls: 1 + random.int(3),
  }))
  const shape = random.pick([1, 2, 4, 16])
  const share = 0.4 + 0.9 * random.next()
  const crew = { seed, kind, slots, tasks, shape, share, burst: 1, boundMicros: 0 }
  const perMinute = (callsPerHour(crew) ?? 0) / 60
  const isBucket = kind.startsWith('bucket')
  const burst = isBucket ? Math.max(1, Math.round(perMinute * random.next())) : 1
  const alone = Float64Array.from({ length: 20_000 }, () =>
    worksOf(crew, random).reduce((sum, work) => sum + work, 0),
  ).sort()
  return { ...crew, burst, boundMicros: (1.5 + 2.5 * random.next()) * alone.at(19_000)! }
}

function meanOfCrew({ tasks }: Pick<DrawnCrew, 'tasks'>): number {
  return tasks.reduce((sum, { meanMicros }) => sum + meanMicros, 0)
}

/** What the workers alone finish in an hour. */
export function workersPerHour(crew: DrawnCrew): number {
  return (crew.slots * HOUR) / meanOfCrew(crew)
}

/** The calls that are allowed in an hour; null where no quota is shared. */
export function callsPerHour(crew: DrawnCrew): number | null {
  if (crew.kind === 'none' || crew.kind === 'shared processor') return null
  const calls = crew.tasks.reduce((sum, task) => sum + task.calls, 0)
  return crew.share * workersPerHour(crew) * calls
}

/** The work of each task. */
export function worksOf({ tasks, shape }: DrawnCrew, random: Random): number[] {
  return tasks.map(({ meanMicros }) => {
    let sum = 0
    for (let n = 0; n < shape; n++) sum += random.exponential()
    return (meanMicros * sum) / shape
  })
}
