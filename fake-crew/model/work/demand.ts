/**
 * What an execution will need, drawn once at its kickoff from (seed, ordinal, purpose): everything
 * about it except waiting.
 */
import type { Distribution } from '../../../src/base/distribution.ts'
import { draw } from '../../../src/base/distribution.ts'
import type { Random } from '../../../src/base/random.ts'
import { MICROS_PER_MS } from '../../../src/base/units.ts'
import type { WorkProfile } from './profile.ts'

export type DrawnFate = 'completed' | 'failed' | 'stuck'

export interface Demand {
  fate: DrawnFate
  /**
   * End of each task, in whole wall milliseconds after the start, so that reported times add up
   * exactly. The last entry of a failed execution is the failure, inside the failing task; that of
   * a stuck one is where its last task should have ended.
   */
  taskEndsMs: number[]
  /** Whole wall milliseconds before each task that belong to none. */
  setUpMs: number
  /** Waits for people, which `taskEndsMs` do not include; missing for none. */
  asks?: readonly Ask[]
}

/** A person is asked once the work of this task is done. */
export interface Ask {
  /** The task's place, from 0. */
  task: number
  /** Infinity: until somebody else answers. */
  forMs: number
  holdsWorker: boolean
}

/** Somebody is asked about a task; milliseconds after the start of its execution. */
export interface PersonAsked {
  task: number
  fromMs: number
  /** Infinity if nobody knows when the answer comes. */
  toMs: number
  /** What `POST /resume` answered; missing if the person answers by themselves. */
  approved?: boolean
}

/**
 * Longest execution: 49 days, beyond any real one. It must be finite because Infinity stands for
 * never.
 */
const MAX_EXECUTION_MS = 0xffff_fffe

/**
 * `random` is the execution's own stream. Each task forks its own and reads it in a fixed order,
 * whatever the result: failure, its point, and last the duration, which may take any number of
 * draws.
 */
export function drawDemand(profile: WorkProfile, random: Random): Demand {
  const stuck = random.next() < profile.stuckChance
  const taskEndsMs: number[] = []
  const overheadMicros = drawMicros(profile.overhead, random.fork('overhead', 0))
  const setUpMs = Math.round(overheadMicros / profile.tasks.length / MICROS_PER_MS)
  const asks: Ask[] = []
  let endMs = 0
  for (const [task, { duration, failure }] of profile.tasks.entries()) {
    const taskRandom = random.fork('task', task)
    const fails = taskRandom.next() < failure.chance && !stuck
    const failurePoint = taskRandom.next()
    const durationMicros = drawMicros(duration, taskRandom)
    const spentMicros = fails ? failurePoint * durationMicros : durationMicros
    const spentMs = Math.round(spentMicros / MICROS_PER_MS)
    endMs = Math.min(endMs + setUpMs + spentMs, MAX_EXECUTION_MS)
    taskEndsMs.push(endMs)
    if (fails) return demandOf('failed', { taskEndsMs, setUpMs }, asks)
    asks.push(...drawAsk(profile, task, random))
  }
  return demandOf(stuck ? 'stuck' : 'completed', { taskEndsMs, setUpMs }, asks)
}

function demandOf(
  fate: DrawnFate,
  times: Pick<Demand, 'taskEndsMs' | 'setUpMs'>,
  asks: readonly Ask[],
): Demand {
  return asks.length === 0 ? { fate, ...times } : { fate, ...times, asks }
}

/** A stream of its own, so that a crew that asks nobody draws what it always drew. */
function drawAsk({ tasks }: WorkProfile, task: number, random: Random): Ask[] {
  const { asks } = tasks[task]!
  if (asks === undefined) return []
  const askRandom = random.fork('asks', task)
  if (askRandom.next() >= asks.chance) return []
  const { holdsWorker } = asks
  if (asks.for === undefined) return [{ task, forMs: Infinity, holdsWorker }]
  const forMs = Math.round(drawMicros(asks.for, askRandom) / MICROS_PER_MS)
  return [{ task, forMs: Math.min(forMs, MAX_EXECUTION_MS), holdsWorker }]
}

/** Never negative. */
export function drawMicros(distribution: Distribution, random: Random): number {
  return Math.max(0, draw(distribution, random))
}

const MAX_OUTPUT_BYTES = 4 * 1024 * 1024

/** Bytes of one task's output, at most 4 MiB. */
export function drawOutputBytes(profile: WorkProfile, task: number, random: Random): number {
  const bytes = draw(profile.tasks[task]!.output, random.fork('output', task))
  return Math.round(Math.min(Math.max(0, bytes), MAX_OUTPUT_BYTES))
}
