/** What became of executions whose crew was asking a person when their deadline passed. */
import { plural } from '../metrics/format.ts'
import type { Observations } from '../observations.ts'
import { isOwnCrew } from './resumption.ts'
import type { RunFinding } from '../findings-and-reasons.ts'
import { findingOf } from '../findings-and-reasons.ts'

/** Thresholds of the scenario on these judge them, and more precisely. */
const JUDGING: ReadonlySet<string> = new Set(['outcome.paused', 'outcome.completed'])

/**
 * A problem, because these people were not served, and no default promise counts them: whether the
 * crew would have served them depends on an answer that it never got.
 */
export function pausedFindings(
  { window, runs }: Pick<Observations, 'window' | 'runs'>,
  thresholds: readonly { metric: string }[],
): RunFinding[] {
  const { paused } = window.outcomes
  if (paused === 0) return []
  const isJudged = thresholds.some(({ metric }) => JUDGING.has(metric))
  const message =
    `${plural(paused, 'execution')} still waited for a person at the deadline: the crew may go ` +
    `on once somebody answers. Let somebody answer in time, or raise the deadline${later(runs)}`
  return [findingOf(isJudged ? 'paused-judged' : 'paused', message)]
}

/** A crew that ended with the run cannot be asked again. */
function later(runs: Observations['runs']): string {
  const [run] = runs
  const isGone = isOwnCrew(runs) || run?.engine === 'virtual'
  return run?.plan.human !== true || isGone
    ? ''
    : '; crewload resume asks again about those that waited'
}
