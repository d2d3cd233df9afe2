/**
 * Turns the checked scenario into a plan: every time of the crew is divided by the speed, every
 * rate multiplied by it.
 */
import { unreachable } from '../../base/assert.ts'
import type { Distribution } from '../../base/distribution.ts'
import { scale } from '../../base/distribution.ts'
import { createRandom } from '../../base/random.ts'
import type { Micros, Rate } from '../../base/units.ts'
import { createInputSource } from '../author/inputs.ts'
import type { ArrivalPlan, HttpPlan, Plan, RetryPolicy, WebhooksPlan } from '../plan.ts'
import { timedPolicy } from '../polling/index.ts'
import { atSpeed } from '../thresholds/thresholds.ts'
import type { ParsedArrivals } from './arrivals.ts'
import type { ScenarioFiles } from './overrides.ts'
import type { ParsedScenario } from './scenario.ts'

export function toPlan(
  parsed: ParsedScenario,
  { seed, speed, files }: { seed: number; speed: number; files: ScenarioFiles },
): Plan {
  const lapse = timeLapse(speed)
  const { arrivals, admission } = parsed
  const { rows = [], replayOffsetsMicros = [] } = files
  return {
    name: parsed.name,
    description: parsed.description,
    seed,
    speed,
    arrivals: arrivalPlan(arrivals, lapse, replayOffsetsMicros),
    warmUpMicros: lapse.time(arrivals.warmUpMicros),
    admission: {
      maxInFlight: admission.maxInFlight ?? null,
      whenFull: admission.whenFull,
    },
    maxDropped: admission.maxDropped,
    polling: timedPolicy(parsed.polling, lapse.time),
    honourRetryAfter: parsed.honourRetryAfter,
    retry: retryPolicy(parsed.retry, lapse),
    deadlineMicros: lapse.time(parsed.deadline),
    notFoundGraceMicros: lapse.time(parsed.notFoundGrace),
    human: parsed.human,
    confirmShare: parsed.confirm,
    drainMicros: lapse.time(Math.min(parsed.drain, parsed.deadline)),
    http: httpPlan(parsed),
    ...(parsed.paths === undefined ? {} : { paths: parsed.paths }),
    ...(parsed.webhooks === undefined ? {} : { webhooks: webhooksPlan(parsed.webhooks, lapse) }),
    circuit: parsed.circuit,
    budget: parsed.budget,
    inputs: createInputSource(
      {
        inputs: parsed.inputs,
        ...(parsed.kickoff === undefined ? {} : { kickoff: parsed.kickoff }),
        tags: parsed.tags,
        rows,
      },
      createRandom(seed),
    ),
    checks: parsed.checks,
    thresholds: parsed.thresholds.map((threshold) => atSpeed(threshold, speed)),
    undecided: 'inconclusive',
    validity: parsed.validity,
  }
}

interface TimeLapse {
  time: (micros: Micros) => Micros
  rate: (rate: Rate) => Rate
  distribution: (distribution: Distribution) => Distribution
}

/**
 * A time other than 0 remains at least a microsecond: a policy with an interval of zero would loop
 * without end.
 */
function timeLapse(speed: number): TimeLapse {
  return {
    time: (micros) => (micros === 0 ? 0 : Math.max(1, Math.round(micros / speed))),
    rate: ({ count, perMicros }) => ({ count: count * speed, perMicros }),
    distribution: (distribution) => (speed === 1 ? distribution : scale(distribution, 1 / speed)),
  }
}

function arrivalPlan(
  arrivals: ParsedArrivals,
  lapse: TimeLapse,
  offsetsMicros: readonly Micros[],
): ArrivalPlan {
  switch (arrivals.kind) {
    case 'open': {
      const segments = arrivals.segments.map(({ from, to, forMicros }) => ({
        from: lapse.rate(from),
        to: lapse.rate(to),
        forMicros: lapse.time(forMicros),
      }))
      return { kind: 'open', segments, process: arrivals.process }
    }
    case 'closed':
      return {
        kind: 'closed',
        clients: arrivals.clients,
        forMicros: lapse.time(arrivals.forMicros),
        iterations: arrivals.iterations,
        think: lapse.distribution(arrivals.think),
        rampUpMicros: lapse.time(arrivals.rampUpMicros),
      }
    case 'replay':
      return { kind: 'replay', offsetsMicros: offsetsMicros.map((offset) => lapse.time(offset)) }
    default:
      return unreachable(arrivals)
  }
}

function retryPolicy(policy: RetryPolicy, { time }: TimeLapse): RetryPolicy {
  const { backoff, budget } = policy
  return {
    ...policy,
    backoff: {
      ...backoff,
      initialMicros: time(backoff.initialMicros),
      maxMicros: time(backoff.maxMicros),
    },
    budget: { ...budget, windowMicros: time(budget.windowMicros) },
  }
}

function webhooksPlan(
  { listen, publicUrl, send, wait }: NonNullable<ParsedScenario['webhooks']>,
  { time }: TimeLapse,
): WebhooksPlan {
  return { ...listen, publicUrl: publicUrl ?? null, hooks: send, waitMicros: time(wait) }
}

/** HTTP times are real: the time-lapse does not shorten the network's times. */
function httpPlan({ timeouts, connections, headers }: ParsedScenario): HttpPlan {
  return {
    connectTimeoutMicros: timeouts.connect,
    requestTimeoutMicros: timeouts.request,
    firstCallTimeoutMicros: timeouts.firstCall,
    maxBodyBytes: connections.maxBody,
    maxConnections: connections.max,
    preOpenConnections: Math.min(connections.preOpen, connections.max),
    keepAliveMicros: connections.keepAlive,
    headers,
  }
}
