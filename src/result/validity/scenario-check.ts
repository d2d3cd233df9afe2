/**
 * Whether the scenario's own functions worked: their errors are not faults of the crew, and not
 * measurements of it.
 */
import { formatCount, plural } from '../metrics/format.ts'
import type { Observations, ScenarioErrors } from '../observations.ts'
import type { TrustCheck } from './trust-check.ts'

/** Further checks are only counted. */
const PARTS_NAMED = 3

export function checkScenario({ scenarioErrors }: Observations): TrustCheck {
  const count = scenarioErrors.reduce((sum, each) => sum + each.count, 0)
  const more = scenarioErrors.length - PARTS_NAMED
  const told = [
    ...scenarioErrors.slice(0, PARTS_NAMED).map(words),
    ...(more > 0 ? [`and so did ${plural(more, 'more check')}`] : []),
  ]
  return {
    check: {
      name: 'scenario',
      measured: count === 0 ? 'no errors' : plural(count, 'error'),
      bound: 'no errors',
      meaning: "the scenario's functions (inputs, tags, checks) returned valid values every time",
    },
    state: count === 0 ? 'ok' : 'failed',
    reason: {
      code: 'scenario-error',
      message: `the scenario's own code failed: ${told.join('; ')}`,
      remedy: 'fix that function and run again: the crew is not the cause',
    },
  }
}

/**
 * `checks.mentions failed for 3 of 40 executions, first for arrival 5: TypeError: x is undefined
 * (mine.ts:4:3)`.
 */
function words({ part, count, calls, first }: ScenarioErrors): string {
  const what = part.startsWith('checks.') ? 'execution' : 'arrival'
  return (
    `${part} failed for ${formatCount(count)} of ${plural(calls, what)}, first for ` +
    `arrival ${first.index}: ${first.message}`
  )
}
