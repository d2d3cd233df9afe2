/** Which of k6's executors begins the iterations, and with how many VUs. */
import type { Options, Scenario } from 'k6/options'
import type { PortablePlan } from '../../scenario/portable.ts'
import type { Micros } from '../../base/units.ts'
import type { ScriptFacts } from './options.ts'
import { afterLastMicros, clientOptions, duration, LONGEST_RUN_MICROS } from './options.ts'

/** No `url`: it holds an id, and each would be a time series. */
const SYSTEM_TAGS = [
  'check',
  'error_code',
  'expected_response',
  'method',
  'name',
  'scenario',
  'status',
]

export interface IterationsFacts extends ScriptFacts {
  /** Arrivals of the schedule; 0 for closed clients. */
  scheduled: number
  /** From the begin of the executor to the run's zero, at most. */
  leadMicros: Micros
}

type Timed = Pick<PortablePlan, 'arrivals' | 'deadlineMicros' | 'drainMicros' | 'http'>

/**
 * A schedule's arrivals are `shared-iterations`: whichever VU is free takes the next, and waits for its time. k6's arrival-rate executors know even spacing
 * alone, and tell an iteration neither which tick it is nor how many were dropped before it: told from the clock, 6 % of iterations at 100/s on a busy machine were
 * taken for another. Closed clients are VUs that live as long as they.
 */
export function iterationsOptions(plan: Timed, facts: IterationsFacts): Options {
  return {
    ...clientOptions(plan, facts),
    scenarios: { crewload: executor(plan, facts) },
    systemTags: SYSTEM_TAGS,
  }
}

function executor(plan: Timed, { vus, scheduled, leadMicros }: IterationsFacts): Scenario {
  const { arrivals } = plan
  const gracefulStop = duration(afterLastMicros(plan))
  if (arrivals.kind !== 'closed') {
    const iterations = Math.max(1, scheduled)
    return {
      executor: 'shared-iterations',
      vus: Math.min(vus, iterations),
      iterations,
      maxDuration: duration(LONGEST_RUN_MICROS),
      gracefulStop,
    }
  }
  const forWhole = duration(leadMicros + arrivals.forMicros)
  const { clients, iterations } = arrivals
  if (iterations === null) {
    return { executor: 'constant-vus', vus: clients, duration: forWhole, gracefulStop }
  }
  return {
    executor: 'per-vu-iterations',
    vus: clients,
    iterations: Math.ceil(iterations / clients),
    maxDuration: forWhole,
    gracefulStop,
  }
}
