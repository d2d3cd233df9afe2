/**
 * A run by chance, from a seed alone: what load a client puts on, and how the crew that it meets
 * behaves.
 */
import { HEADER_DIALECT_NAMES } from '../../fake-crew/model/limits/headers.ts'
import { RETRY_AFTER_FORMS } from '../../fake-crew/model/limits/headers.ts'
import { LIMIT_STATUSES } from '../../fake-crew/model/limits/profile.ts'
import type { Random } from '../../src/base/random.ts'
import { createRandom } from '../../src/base/random.ts'
import type { Scenario } from '../../src/scenario/define.ts'
import type { Arrivals, Polling, Retry } from '../../src/scenario/options.ts'
import type { WrittenFault } from './faults.ts'
import { anyFaults } from './faults.ts'

export interface Weather {
  seed: number
  scenario: Scenario
  /** The crew's profile as its author writes it (JSON is YAML), but for its faults. */
  profile: Readonly<Record<string, unknown>>
  faults: readonly WrittenFault[]
  /** At which arrival the run is stopped, and how; null for not at all. */
  stop: { atIndex: number; how: 'drain' | 'now' } | null
}

/** The same for the same seed, for ever. */
export function weatherOf(seed: number): Weather {
  const random = createRandom(seed).fork('weather')
  return {
    seed,
    scenario: anyScenario(random.fork('scenario'), seed),
    profile: anyProfile(random.fork('profile'), seed),
    faults: anyFaults(random.fork('faults')),
    stop: anyStop(random.fork('stop')),
  }
}

/** What anybody needs to see the same again. */
export function story({ seed, scenario, profile, faults, stop }: Weather): string {
  return JSON.stringify({ seed, scenario, profile, faults, stop })
}

const JITTERS = ['none', 'full', 'equal', 'decorrelated'] as const

function anyScenario(random: Random, seed: number): Scenario {
  const draw = (name: string): Random => random.fork(name)
  return {
    name: 'weather',
    seed,
    arrivals: anyArrivals(draw('arrivals')),
    inputs: { topic: 'storms', audience: 'sailors' },
    polling: anyPolling(draw('polling')),
    retry: draw('retry').int(4) === 0 ? 'none' : anyRetry(draw('retries')),
    honourRetryAfter: draw('honour').int(2) === 0,
    deadline: draw('deadline').pick(['200ms', '600ms', '1500ms']),
    notFoundGrace: draw('grace').pick(['0s', '50ms', '300ms']),
    human: draw('human').int(3) === 0,
    confirm: draw('confirm').pick([0, '50%', '100%']),
    drain: draw('drain').pick(['1ms', '300ms']),
    timeouts: {
      connect: '300ms',
      request: draw('timeout').pick(['100ms', '300ms']),
      firstCall: '2s',
    },
    connections: {
      max: draw('connections').pick([1, 3, 64]),
      preOpen: draw('preOpen').pick([0, 2]),
      keepAlive: draw('keepAlive').pick(['10ms', '1m']),
    },
    validity: { lateness: '1h', utilisation: 1 },
    ...some(draw('admission'), 'admission', (own) => ({
      maxInFlight: 1 + own.int(6),
      whenFull: own.pick(['queue', 'drop'] as const),
    })),
    ...some(draw('budget'), 'budget', (own) =>
      own.pick([{ kickoffs: own.int(14) }, { requests: 1 + own.int(60) }, { time: '500ms' }]),
    ),
    ...some(draw('circuit'), 'circuit', (own) =>
      own.pick(['off' as const, { after: '150ms', requests: 1 + own.int(6) }]),
    ),
  }
}

function anyArrivals(random: Random): Arrivals {
  const own = random.fork('numbers')
  const warmUp = own.pick(['0s', '0s', '200ms'])
  const process = own.pick(['uniform', 'poisson', { gamma: { cv: 3 } }] as const)
  switch (random.fork('shape').int(4)) {
    case 0:
      return {
        clients: 1 + own.int(6),
        iterations: 8 + own.int(8),
        think: own.pick(['0s', '20ms']),
        for: '2s',
        warmUp,
      }
    case 1:
      return { ramp: { from: '0/s', to: '30/s' }, for: '700ms', process, warmUp }
    case 2:
      return {
        spike: { base: '5/s', peak: '60/s', after: '300ms', for: '100ms' },
        for: '700ms',
        process,
        warmUp,
      }
    default:
      return { rate: own.pick(['6/s', '15/s']), for: '900ms', process, warmUp }
  }
}

function anyPolling(random: Random): Polling {
  const own = random.fork('numbers')
  switch (random.fork('shape').int(4)) {
    case 0:
      return { exponential: { initial: '15ms', max: '120ms', jitter: own.pick(JITTERS) } }
    case 1:
      return { schedule: ['5ms', '50ms', '20ms'] }
    case 2:
      return { progress: { min: '10ms', max: '100ms', pollsPerTask: 2 } }
    default:
      return { fixed: own.pick(['20ms', '60ms']), initialDelay: own.pick(['1ms', '100ms']) }
  }
}

function anyRetry(random: Random): Retry {
  return {
    status: random.int(4),
    kickoff: random.int(4),
    unknownKickoffs: random.pick(['leave', 'leave', 'repeat']),
    backoff: { initial: '5ms', max: random.pick(['5ms', '80ms']), jitter: random.pick(JITTERS) },
    budget: { ratio: random.pick([0, '20%', 1]), minimum: random.int(5) },
  }
}

function anyProfile(random: Random, seed: number): Weather['profile'] {
  const own = random.fork('numbers')
  const duration = own.pick(['1ms', '60ms', { uniform: { min: '5ms', max: '150ms' } }])
  return {
    name: 'weather',
    seed,
    dialect: own.pick(['interface', 'platform']),
    inputs: ['topic', 'audience'],
    tasks: ['research', 'writing'].map((id, task) => {
      const written = {
        id,
        agent: 'Agent',
        duration,
        failure: { chance: own.pick([0, 0.1]) },
        output: own.pick(['0B', '100B', '3kB']),
      }
      return Object.assign(written, some(own.fork('asks', task), 'asks', anyAsks))
    }),
    stuck: own.pick([0, 0, 0.1]),
    capacity: {
      workers: own.pick(['unlimited', 2]),
      queueLimit: own.pick(['unlimited', 1]),
      overLimit: { status: own.pick([429, 503]) },
      ...some(own.fork('cold'), 'coldStart', () => ({ delay: '50ms', idle: '100ms' })),
    },
    http: {
      latency: {
        kickoff: own.pick([0, '5ms']),
        status: own.pick([0, { uniform: { min: 0, max: '10ms' } }]),
      },
      ...some(own.fork('pool'), 'pool', () => ({ size: 2 })),
    },
    retention: own.pick(['forever', 'forever', '60ms']),
    limits: { headers: own.pick(HEADER_DIALECT_NAMES), rules: anyLimits(random.fork('limits')) },
  }
}

function anyAsks(random: Random): object {
  return {
    chance: random.pick([0.2, 1]),
    for: random.pick(['40ms', '1h']),
    shows: random.pick(['paused', 'not-found']),
    holdsWorker: random.pick([true, false]),
  }
}

const WINDOWED = ['fixedWindow', 'slidingLog', 'slidingCounter'] as const

/** None, one, or two at once. */
function anyLimits(random: Random): object[] {
  return Array.from({ length: Math.max(0, random.fork('count').int(5) - 2) }, (_, i) => {
    const own = random.fork('limit', i)
    return {
      name: `limit-${i}`,
      operations: own.pick([['kickoff'], ['status'], ['kickoff', 'status']]),
      quota: own.pick(['shared', 'each']),
      per: own.pick(['token', 'address', 'all']),
      ...anyAlgorithm(own.fork('algorithm')),
      rejected: own.pick(['free', 'counted']),
      ...some(own.fork('block'), 'block', () => '80ms'),
      refusal: { status: own.pick(LIMIT_STATUSES), retryAfter: own.pick(RETRY_AFTER_FORMS) },
    }
  })
}

function anyAlgorithm(random: Random): object {
  const limit = 1 + random.int(20)
  switch (random.fork('kind').int(4)) {
    case 0:
      return { tokenBucket: { rate: '20/s', capacity: limit } }
    case 1:
      return {
        leakyBucket: { rate: '40/s', burst: limit, excess: random.pick(['at once', 'delayed']) },
      }
    case 2:
      return { concurrency: { limit: 1 + random.int(3) } }
    default:
      return { [random.pick(WINDOWED)]: { limit, window: random.pick(['100ms', '1s']) } }
  }
}

function anyStop(random: Random): Weather['stop'] {
  if (random.fork('whether').int(8) > 0) return null
  return { atIndex: random.int(10), how: random.pick(['drain', 'now'] as const) }
}

function some<Key extends string, Value>(
  random: Random,
  key: Key,
  value: (own: Random) => Value,
): { [K in Key]?: Value } {
  if (random.fork('whether').int(3) > 0) return {}
  return { [key]: value(random) } as { [K in Key]?: Value }
}
