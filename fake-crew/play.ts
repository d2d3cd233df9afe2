/**
 * Plays known work on what the executions of a crew share, for those who learn that from a ledger.
 */
import { assert } from '../src/base/assert.ts'
import { createRandom } from '../src/base/random.ts'
import type { Micros } from '../src/base/units.ts'
import type { CapacityProfile } from './model/work/profile.ts'
import type { Demand } from './model/work/demand.ts'
import type { TaskWaits } from './model/work/shared/shared-work.ts'
import { SharedWork, sharingOf } from './model/work/shared/shared-work.ts'
import { fixedTimes } from './model/work/shared/provider.ts'

export type SharedCapacity = Pick<CapacityProfile, 'workers' | 'quota' | 'slowdown' | 'scaling'>

export interface PlayedWork {
  /** When a worker may take it: its acceptance, or the end of a cold start. */
  readyMicros: Micros
  demand: Demand
}

export interface Played {
  /** Infinity if no worker took it. */
  startedMicros: Micros
  /** What its tasks waited, in order, as far as they ended. */
  tasks: readonly TaskWaits[]
}

/** Later than everything that ends. */
const END: Micros = 1e18

/** The works in the order in which they are ready; the capacity shares more than workers. */
export function play(capacity: SharedCapacity, works: readonly PlayedWork[]): Played[] {
  const random = createRandom(1)
  const randomOf = (ordinal: number) => random.fork('execution', ordinal)
  const sharing = sharingOf({ capacity, fixed: fixedTimes(1), tasks: [] }, randomOf)
  assert(sharing !== null, 'a capacity of workers alone needs no play')
  const played = works.map(() => ({ startedMicros: Infinity, tasks: [] as TaskWaits[] }))
  const shared = new SharedWork(sharing, {
    begins: (ordinal, atMicros) => (played[ordinal]!.startedMicros = atMicros),
    taskEnds: (ordinal, _, __, waits) => played[ordinal]!.tasks.push(waits),
    asks: () => {},
    isRefused: () => {},
    ends: () => {},
  })
  for (const [ordinal, { readyMicros, demand }] of works.entries()) {
    shared.until(readyMicros)
    shared.admit(ordinal, demand, readyMicros)
  }
  shared.until(END)
  return played
}
