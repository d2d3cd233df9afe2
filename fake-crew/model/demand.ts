/** What an execution will need, drawn once at its kickoff from (seed, ordinal, purpose): its whole future but for the waiting. */
import type { Distribution } from '../../src/distribution.ts'
import { draw } from '../../src/distribution.ts'
import type { Random } from '../../src/random.ts'
import { MICROS_PER_MS } from '../../src/units.ts'
import type { Profile } from './profile.ts'

export type Fate = 'completed' | 'failed' | 'stuck'

export interface Demand {
  fate: Fate
  /**
   * End of each task, whole wall milliseconds after the start, so that reported times add up exactly. A failed execution's last
   * entry is the failure, inside the failing task; a stuck one's last entry is where its last task should have ended.
   */
  taskEndsMs: number[]
}

/** Longest task: what fits a `Uint32Array` of milliseconds (49 days) together with all others. */
const MAX_EXECUTION_MS = 0xffff_fffe

/** `random` is the execution's own stream. Times are divided by the profile's speed. */
export function drawDemand(profile: Profile, random: Random): Demand {
  const stuck = random.fork('stuck').next() < profile.stuckChance
  const taskEndsMs: number[] = []
  let endMs = 0
  for (const [task, { duration, failure }] of profile.tasks.entries()) {
    const fails = !stuck && random.fork('failure', task).next() < failure.chance
    const share = fails ? random.fork('failure point', task).next() : 1
    const durationMicros =
      share * drawMicros(duration, profile.speed, random.fork('duration', task))
    endMs = Math.min(endMs + Math.round(durationMicros / MICROS_PER_MS), MAX_EXECUTION_MS)
    taskEndsMs.push(endMs)
    if (fails) return { fate: 'failed', taskEndsMs }
  }
  return { fate: stuck ? 'stuck' : 'completed', taskEndsMs }
}

/** A time of the crew in wall microseconds: never negative, divided by `speed`. */
export function drawMicros(distribution: Distribution, speed: number, random: Random): number {
  return Math.max(0, draw(distribution, random)) / speed
}

const MAX_OUTPUT_BYTES = 4 * 1024 * 1024

/** Bytes of one task's output, at most 4 MiB. */
export function drawOutputBytes(profile: Profile, task: number, random: Random): number {
  const bytes = draw(profile.tasks[task]!.output, random.fork('output', task))
  return Math.round(Math.min(Math.max(0, bytes), MAX_OUTPUT_BYTES))
}
