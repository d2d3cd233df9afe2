/** A crew that a search can be driven against without HTTP, and what is seen of it. */
import { createRandom } from '../../../src/base/random.ts'
import type { Random } from '../../../src/base/random.ts'
import type { AppliedLoad, LoadSeen, Seen } from '../../../src/study/capacity/analyse/seen.ts'
import type { LastingStaff } from './lasting-staff.ts'
import type { WorkerCrew } from '../../support/targets/worker-crew.ts'
import { runOf } from '../../support/targets/worker-crew.ts'

export interface TestCrew {
  slots: number
  /** The number of workers at a time of each run, at most `slots`; default always all. */
  slotsAt?: (now: number) => number
  /** A crew that lives on between loads, whose workers follow them. */
  staff?: LastingStaff
  /** Executions that may wait; default no limit. */
  queueLimit?: number
  /** By the number that run with it, and the number that wait. */
  serviceMicros: (random: Random, busy: number, waiting: number) => number
  /** By the number that run with it; default none does. */
  failedShare?: (busy: number) => number
  /** Somebody else's executions, of the same service times. */
  neighboursPerHour?: number
  /** A step before the workers that so many can be in at once. */
  pool?: { slots: number; micros: (random: Random) => number }
  seed?: number
  /** Takes the last that came instead of the first. */
  lastComeFirst?: boolean
  /** Nothing tells when an execution begins. */
  hides?: boolean
  /** Ends are seen by polls at this interval, and starts by what the crew reports of itself. */
  pollMicros?: number
  /** From an end until the client of a closed load begins its next execution; default 0. */
  clientLateMicros?: number
  /** Kickoffs within an hour; more are refused. */
  perHour?: number
}

const HOUR = 3_600_000_000

/** One run of it from empty. */
export function put(crew: TestCrew, load: AppliedLoad, run: number): LoadSeen {
  const random = createRandom(crew.seed ?? 1).fork('run', run)
  crew.staff?.begin()
  const { executions, others } = runOf(workersOf(crew, load, random), load, random)
  const polls = { refused: 0, all: 0, tookMicros: 0 }
  const lasts = crew.staff === undefined ? {} : { lasts: true as const }
  const { pollMicros } = crew
  if (pollMicros !== undefined) {
    const seenByPolls = executions.map((each) => byPolls(each, pollMicros))
    return { load, executions: seenByPolls, truth: 'reported', polls, ...lasts }
  }
  if (crew.hides !== true) return { load, executions, truth: 'ledger', polls, others, ...lasts }
  const hidden = executions.map((each) => Object.assign({}, each, { started: null }))
  return { load, executions: hidden, truth: 'polls', polls }
}

function byPolls(each: Seen, pollMicros: number): Seen {
  const { accepted, started, ended } = each
  if (accepted === null || started === null || ended === null) return each
  const polls = Math.ceil((ended - accepted) / pollMicros)
  const middle = accepted + (polls - 0.5) * pollMicros
  return {
    ...each,
    ended: middle,
    endedWithin: pollMicros,
    started: Math.max(accepted, middle - (ended - started)),
  }
}

function workersOf(crew: TestCrew, load: AppliedLoad, random: Random): WorkerCrew {
  const { slots, queueLimit = Infinity, lastComeFirst = false, perHour = Infinity } = crew
  const { pool, neighboursPerHour, clientLateMicros = 0 } = crew
  return {
    slots,
    ...(crew.slotsAt === undefined ? {} : { slotsAt: crew.slotsAt }),
    ...(crew.staff === undefined ? {} : { staff: crew.staff }),
    queueLimit,
    lastComeFirst,
    clientLateMicros,
    work: ({ now, busy, waiting }) => {
      // Those that begin with the load begin beside each other.
      const together = now === 0 && load.kind === 'closed' ? Math.min(slots, load.clients) : busy
      return {
        serviceMicros: crew.serviceMicros(random, together, waiting),
        fails: crew.failedShare !== undefined && random.next() < crew.failedShare(together),
      }
    },
    ...(pool === undefined ? {} : { pool: { ...pool, micros: () => pool.micros(random) } }),
    ...(neighboursPerHour === undefined
      ? {}
      : {
          neighbours: {
            perHour: neighboursPerHour,
            micros: () => crew.serviceMicros(random, slots, 0),
          },
        }),
    refusal: hourlyLimit(perHour),
  }
}

function hourlyLimit(limit: number): (now: number) => number | null {
  const taken: number[] = []
  return (now) => {
    if (taken.filter((at) => at > now - HOUR).length >= limit) return 429
    taken.push(now)
    return null
  }
}
