/**
 * What to do about limits that were met, waits that were not kept, and a retry budget that was
 * spent.
 */
import type { Finding } from '../document.ts'
import { formatCount, formatMs, plural } from '../metrics/format-metric.ts'
import type { LimitResult, PushbackResult } from '../disturbances.ts'

const MS_PER_MINUTE = 60_000

/** `inFlight`: the most executions at once; 0 where nobody knows. */
export function pushbackFindings(
  { limits, waits, retries }: PushbackResult,
  inFlight: number,
): Finding[] {
  const found: Finding[] = limits.filter(isRateLimit).map((limit) => ({
    severity: 'warning',
    message: limit.operation === 'status' ? pollsRefused(limit, inFlight) : kickoffsRefused(limit),
  }))
  if (waits.early > 0) found.push(early(waits))
  if (retries.budgetSpent) {
    const message =
      'at times the retry budget was spent, and what failed was not retried: raise retry.budget only if the target can bear it'
    found.push({ severity: 'warning', message })
  }
  return found
}

/** 503 with a wait may as well be an outage, against which sending less is no help. */
function isRateLimit({ code }: LimitResult): boolean {
  return code !== 503
}

function pollsRefused(limit: LimitResult, inFlight: number): string {
  const { admittedPerMinute } = limit
  const refused = `${refusal(limit, 'poll')}: poll less often, or with a growing interval`
  if (admittedPerMinute === 0 || inFlight === 0) return refused
  const everyMs = (inFlight * MS_PER_MINUTE) / admittedPerMinute
  return `${refused}; ${formatCount(admittedPerMinute)} a minute got through at most, and that is one poll of each of ${plural(inFlight, 'execution')} in flight every ${formatMs(everyMs)}`
}

function kickoffsRefused(limit: LimitResult): string {
  const { admittedPerMinute } = limit
  const through =
    admittedPerMinute === 0
      ? ''
      : `; ${formatCount(admittedPerMinute)} a minute got through at most`
  return `${refusal(limit, 'kickoff')}: lower the rate of arrivals, or have clients come back later${through}`
}

function refusal({ code, count, requests }: LimitResult, noun: string): string {
  const verb = count === 1 ? 'was' : 'were'
  return `${formatCount(count)} of ${plural(requests, noun)} ${verb} refused with ${code}`
}

function early({ answers, early: broken, honoured }: PushbackResult['waits']): Finding {
  const message = `${formatCount(broken)} of ${plural(answers, 'wait')} that the target asked for were not kept`
  return honoured === false
    ? { severity: 'warning', message: `${message}: honourRetryAfter is off in the scenario` }
    : { severity: 'problem', message: `${message}, though the plan keeps them: report it as a bug` }
}
