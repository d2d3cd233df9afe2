/**
 * Carries out runs of a drawn crew one after another, and returns what a search observes, with a
 * ledger.
 */
import type { Random } from '../../../src/base/random.ts'
import { createRandom } from '../../../src/base/random.ts'
import type { AppliedLoad, LoadSeen } from '../../../src/study/capacity/analyse/seen.ts'
import type { WorkerCrew } from '../../../test/support/targets/worker-crew.ts'
import { executionsOf } from '../../../test/support/targets/worker-crew.ts'
import type { DrawnCrew } from './crews.ts'
import { failedShare, slowdown, unitService } from './crews.ts'

/** The delay of the first execution of a crew with a cold start, in mean service times. */
const COLD = 0.3
/** The rate of the limiter, as a share of what the workers can finish. */
const LIMITED = 0.6
/**
 * The pool of connections in front of the crew: its size as a share of the workers, and how long it
 * holds each execution, in mean service times.
 */
const POOL = { share: 0.6, service: 0.5 }

export class World {
  readonly #crew: DrawnCrew
  readonly #random: Random
  /**
   * The time since the first run. It continues from run to run, so that a crew that drifts
   * continues to drift.
   */
  #clock = 0
  #runs = 0

  constructor(crew: DrawnCrew) {
    this.#crew = crew
    this.#random = createRandom(crew.seed).fork('world')
  }

  put(load: AppliedLoad): LoadSeen {
    const random = this.#random.fork('run', this.#runs++)
    const executions = executionsOf(workersOf(this.#crew, load, random, this.#clock), load, random)
    this.#clock += Math.max(...executions.map(({ intended, ended }) => ended ?? intended))
    return { load, executions, truth: 'ledger', polls: { refused: 0, all: 0, tookMicros: 0 } }
  }
}

/** The crew in a run that begins at `since`, on the clock of all runs. */
function workersOf(crew: DrawnCrew, load: AppliedLoad, random: Random, since: number): WorkerCrew {
  const { kind, slots, queueLimit, meanMicros } = crew
  // Clients of a closed load all begin at time 0, so each of their executions counts the others as
  // busy.
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
