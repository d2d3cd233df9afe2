/** Runs of a drawn crew, one behind another: what a search sees of them, with a ledger. */
import type { Random } from '../../../src/base/random.ts'
import { createRandom } from '../../../src/base/random.ts'
import type { Load, LoadSeen } from '../../../src/study/capacity/analyse/learn/seen.ts'
import type { WorkerCrew } from '../../../test/support/targets/worker-crew.ts'
import { executionsOf } from '../../../test/support/targets/worker-crew.ts'
import type { DrawnCrew } from './crews.ts'
import { failedShare, slowdown, unitService } from './crews.ts'

/** Of a crew that sleeps, in mean service times. */
const COLD = 0.3
/** The limiter lets so many through in an hour, of what the workers could carry. */
const LIMITED = 0.6
/**
 * The pool in front holds so many of them at once, and each for so long, of the mean service time.
 */
const POOL = { share: 0.6, service: 0.5 }

export class World {
  readonly #crew: DrawnCrew
  readonly #random: Random
  /** Over all runs: a crew that drifts goes on drifting. */
  #clock = 0
  #runs = 0

  constructor(crew: DrawnCrew) {
    this.#crew = crew
    this.#random = createRandom(crew.seed).fork('world')
  }

  put(load: Load): LoadSeen {
    const random = this.#random.fork('run', this.#runs++)
    const executions = executionsOf(workersOf(this.#crew, load, random, this.#clock), load, random)
    this.#clock += Math.max(...executions.map(({ intended, ended }) => ended ?? intended))
    return { load, executions, truth: 'ledger', polls: { refused: 0, all: 0, tookMicros: 0 } }
  }
}

/** In a run that begins at `since` on the clock of all runs. */
function workersOf(crew: DrawnCrew, load: Load, random: Random, since: number): WorkerCrew {
  const { kind, slots, queueLimit, meanMicros } = crew
  // Those that begin with the load begin beside each other.
  const together = load.kind === 'closed' ? Math.min(slots, load.clients) : 0
  return {
    slots,
    queueLimit,
    lastComeFirst: kind === 'last come first',
    work({ now, place, busy, waiting }) {
      const times = slowdown(crew, {
        busy: Math.max(busy, now === 0 ? together : 0),
        waiting,
        atMicros: since + now,
      })
      return {
        serviceMicros: meanMicros * times * unitService(crew, random),
        delayMicros: kind === 'cold start' && place === 0 ? COLD * meanMicros : 0,
        fails: random.next() < failedShare(crew, busy),
      }
    },
    ...(kind === 'limiter' ? { refusal: tokenBucket(slots, (LIMITED * slots) / meanMicros) } : {}),
    ...(kind === 'pool in front' ? { pool: poolOf(crew, random) } : {}),
  }
}

function tokenBucket(size: number, perMicro: number): (now: number) => number | null {
  let tokens = size
  let at = 0
  return (now) => {
    tokens = Math.min(size, tokens + (now - at) * perMicro)
    at = now
    if (tokens < 1) return 429
    tokens--
    return null
  }
}

function poolOf({ slots, meanMicros }: DrawnCrew, random: Random): WorkerCrew['pool'] & {} {
  return {
    slots: Math.max(1, Math.round(POOL.share * slots)),
    micros: () => POOL.service * meanMicros * random.exponential(),
  }
}
