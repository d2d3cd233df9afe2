/**
 * What k6 does with a script before its VUs begin: it reads the options (one long iteration per VU,
 * and no measurement by k6 itself unless requested), and tries the author's functions.
 */
import type { Options } from 'k6/options'
import type { Rehearsal } from '../../scenario/author/rehearsal.ts'
import { rehearse } from '../../scenario/author/rehearsal.ts'
import type { Plan } from '../../scenario/plan.ts'
import type { PortablePlan } from '../../scenario/portable.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../base/units.ts'
import type { Micros } from '../../base/units.ts'
import type { World } from './world.ts'

/**
 * The engine ends a run, and k6 must not end it first: arrivals may wait for a place in flight,
 * closed clients may stop after a number of executions, and both take as long as the crew takes.
 */
const LONGEST_RUN_MICROS = 7 * 24 * 3_600 * MICROS_PER_SECOND
/** A margin for the last requests and confirmations, and for a machine that is slow to start. */
const MARGIN_MICROS = 600 * MICROS_PER_SECOND

interface ScriptFacts {
  vus: number
  userAgent: string
  insecure: boolean
  /** k6 has outputs, which need tags on their samples. */
  measured: boolean
}

/** Without `url`: it contains an id, and each would be a separate time series. */
const SYSTEM_TAGS = [
  'check',
  'error_code',
  'expected_response',
  'method',
  'name',
  'scenario',
  'status',
]

/**
 * `batch` limits how many idle connections k6 keeps. Cookies, redirects and exceptions for failed
 * requests are off, and without outputs tags, too.
 */
export function k6Options(
  plan: Pick<PortablePlan, 'deadlineMicros' | 'drainMicros' | 'http'>,
  { vus, userAgent, insecure, measured }: ScriptFacts,
): Options {
  return {
    batch: plan.http.maxConnections,
    batchPerHost: plan.http.maxConnections,
    insecureSkipTLSVerify: insecure,
    maxRedirects: 0,
    noCookiesReset: true,
    throw: false,
    userAgent,
    scenarios: {
      crewload: {
        executor: 'per-vu-iterations',
        vus,
        iterations: 1,
        maxDuration: duration(LONGEST_RUN_MICROS),
        gracefulStop: duration(afterLastMicros(plan)),
      },
    },
    systemTags: measured ? SYSTEM_TAGS : [],
  }
}

/** The longest time from the last arrival to the end of the run. */
function afterLastMicros(plan: Pick<PortablePlan, 'deadlineMicros' | 'drainMicros'>): Micros {
  return plan.deadlineMicros + plan.drainMicros + MARGIN_MICROS
}

/** Formats a duration as k6 reads it. */
function duration(micros: Micros): string {
  return `${Math.ceil(micros / MICROS_PER_MS)}ms`
}

/**
 * If k6's JavaScript engine lacks something, the script ends before anything is sent. Once per
 * process. Throws an Error that names each function that fails, and what is missing.
 */
export function demandRehearsed(
  world: Pick<World, 'isFirstReading'>,
  plan: Plan,
  { rehearsed }: { rehearsed: Rehearsal['answered'] },
): void {
  if (!world.isFirstReading()) return
  const { mistakes } = rehearse(plan, rehearsed)
  if (mistakes.length === 0) return
  const told = mistakes.map(({ part, message }) => `${part}: ${message}${lack(message)}`)
  throw new Error(`the scenario does not work in k6: ${told.join('; ')}`)
}

const UNDEFINED = /^ReferenceError: (\w+) is not defined/
/** goja's message for a missing method. */
const NO_MEMBER = /^TypeError: Object has no member '(\w+)'/

function lack(message: string): string {
  const [, missing] = UNDEFINED.exec(message) ?? NO_MEMBER.exec(message) ?? []
  return missing === undefined ? '' : `: k6's JavaScript engine has no ${missing}`
}
