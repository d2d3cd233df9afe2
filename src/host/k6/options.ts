/** The options of a k6 script: one long iteration a VU, and nothing measured by k6 itself. */
import type { Options } from 'k6/options'
import { describe } from '../../scenario/arrivals/index.ts'
import type { PortablePlan } from '../../scenario/portable.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../units.ts'
import type { Micros } from '../../units.ts'

/** Closed clients that stop after so many executions say nothing of how long that takes. */
export const UNKNOWN_LENGTH_MICROS = 7 * 24 * 3_600 * MICROS_PER_SECOND
/** For the last requests and confirmations, and a machine that is slow to start. */
const MARGIN_MICROS = 600 * MICROS_PER_SECOND

export interface ScriptFacts {
  vus: number
  userAgent: string
  insecure: boolean
}

/** `batch` bounds how many idle connections k6 keeps. Cookies, redirects, tags and exceptions for failed requests are all off. */
export function k6Options(
  plan: Pick<PortablePlan, 'arrivals' | 'deadlineMicros' | 'drainMicros' | 'http'>,
  { vus, userAgent, insecure }: ScriptFacts,
): Options {
  const afterLast = afterLastMicros(plan)
  return {
    scenarios: {
      crewload: {
        executor: 'per-vu-iterations',
        vus,
        iterations: 1,
        maxDuration: duration(scheduleMicros(plan) + afterLast),
        gracefulStop: duration(afterLast),
      },
    },
    batch: plan.http.maxConnections,
    batchPerHost: plan.http.maxConnections,
    insecureSkipTLSVerify: insecure,
    maxRedirects: 0,
    noCookiesReset: true,
    systemTags: [],
    throw: false,
    userAgent,
  }
}

/** From the last arrival to the end of everything, at most. */
export function afterLastMicros(
  plan: Pick<PortablePlan, 'deadlineMicros' | 'drainMicros'>,
): Micros {
  return plan.deadlineMicros + plan.drainMicros + MARGIN_MICROS
}

function scheduleMicros({ arrivals }: Pick<PortablePlan, 'arrivals'>): Micros {
  if (arrivals.kind === 'closed' && arrivals.iterations !== null) return UNKNOWN_LENGTH_MICROS
  return describe(arrivals).durationMicros
}

/** As k6 reads it. */
export function duration(micros: Micros): string {
  return `${Math.ceil(micros / MICROS_PER_MS)}ms`
}
