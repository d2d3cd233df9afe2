/** A run that was cut: what its resumption can recover and what it cannot. */
import { isUnsent } from '../../execution/machine.ts'
import { OUTCOMES } from '../../execution/record/record.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import type { RunInfo } from '../document.ts'
import { CREW_ENDED } from '../../execution/record/reason.ts'
import { formatCount, formatMs, plural } from '../../base/numbers.ts'
import { instancesOf, subject } from '../instances.ts'
import type { Observations } from '../observations.ts'
import type { OpenExecution } from '../counting/open-executions.ts'
import type { RunFinding } from '../finding.ts'
import type { RunReason } from '../reason.ts'
import { findingOf } from '../finding.ts'

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

/** Why there is no verdict on a run whose last lines are missing. */
export function crash(
  { stopped, durationMs }: Pick<RunInfo, 'stopped' | 'durationMs'>,
  { open, instances, runs }: Observations,
): RunReason[] {
  if (stopped !== 'crashed') return []
  const gone = instances.filter(({ finished }) => finished === null)
  const who = subject('the run', gone, instancesOf(runs))
  const message = `${who} cut after ${formatMs(durationMs)} with ${openWords(open)}`
  const remedy =
    open.length > 0 && !isOwnCrew(runs) ? 'continue them with crewload resume' : 'run again'
  return [{ code: 'crashed', message, remedy }]
}

/**
 * A run with a gap gets no verdict: the reason names what is missing, which nothing can restore.
 */
export function resumption({ resumed, cutMicros, wasCut, finished }: Observations): RunReason[] {
  if (cutMicros === null) return []
  const at = formatMs(cutMicros / MICROS_PER_MS)
  const picked = plural(resumed, 'execution')
  const message = !wasCut
    ? `the run ended after ${at} and was resumed to ask again about ${picked} that waited for a person`
    : hasCrewEnded(finished)
      ? `the run was cut after ${at}, and ${CREW_ENDED}: ${picked} could not be continued`
      : `the run was cut after ${at} and resumed, which continued ${picked} and sent no more kickoffs`
  return [{ code: 'resumed', message, remedy: 'run again for a verdict' }]
}

/** The run used its own fake crew: what was left in flight is gone with it and costs nothing. */
export function isOwnCrew(runs: Observations['runs']): boolean {
  return runs[0]?.ownCrew ?? false
}

/** Whether nothing was continued because that crew was gone. */
function hasCrewEnded(finished: Observations['finished']): boolean {
  return finished.some(({ stopReason }) => stopReason?.code === 'crew-ended')
}

/**
 * `open` includes the warm-up's: each of them may still cost money, unless it was on a fake crew
 * that is gone.
 */
export function crashFindings(observations: Observations): RunFinding[] {
  const { open, resumed, runs, finished, wasCut } = observations
  const found = warmUpFindings(observations)
  if (isOwnCrew(runs) && open.length > 0) {
    const message = `${openWords(open)} when the run was cut: ${CREW_ENDED}: nothing is left to continue`
    return [...found, findingOf('left-with-crew', message)]
  }
  const ids = open.flatMap(({ kickoffId }) => kickoffId ?? [])
  if (ids.length > 0) {
    const message =
      `${plural(ids.length, 'execution')} accepted but not ended, first ${ids[0]}: ` +
      `continue with crewload resume; the journal's accepted lines have the ids`
    found.push(findingOf('left-in-flight', message))
  }
  const unheard = open.length - ids.length
  if (unheard > 0) {
    const message =
      `${plural(unheard, 'kickoff')} sent but not answered before the cut: each may ` +
      `have started an execution; the journal's started lines name their arrivals`
    found.push(findingOf('left-unanswered', message))
  }
  if (resumed > 0 && !hasCrewEnded(finished)) {
    const message =
      `${plural(resumed, 'execution')} continued after ${wasCut ? 'a cut' : 'the end'}: their polls ` +
      'before it are missing, and how long those took that ended in between is unknown'
    found.push(findingOf('resumed', message))
  }
  return found
}

/**
 * For a run that ended before its plan was complete: the warm-up's executions are in no reported
 * outcome, but were paid for like the others.
 */
function warmUpFindings(observations: Observations): RunFinding[] {
  const { finished, cutMicros, lastDueMicros, warmUpOutcomes, runs } = observations
  const wasStopped = finished.some(({ stopped }) => stopped !== null)
  if (!wasStopped && cutMicros === null && lastDueMicros === null) return []
  const started = OUTCOMES.flatMap((outcome) => {
    const count = warmUpOutcomes[outcome] ?? 0
    return count === 0 || isUnsent(outcome) ? [] : [{ outcome, count }]
  })
  if (started.length === 0) return []
  const total = started.reduce((sum, { count }) => sum + count, 0)
  const told = started.map(({ outcome, count }) => `${formatCount(count)} ${outcome}`).join(', ')
  const isLeft = !isOwnCrew(runs) && (warmUpOutcomes.aborted ?? 0) > 0
  const left = isLeft ? '; aborted ones may still be running on the target and costing money' : ''
  const message = `${plural(total, 'warm-up execution')}, not counted in any metric: ${told}${left}`
  return [findingOf(isLeft ? 'warm-up-left' : 'warm-up-cut', message)]
}

/** `3 executions in flight and 1 kickoff unanswered`: only those that there are. */
function openWords(open: readonly OpenExecution[]): string {
  const accepted = open.filter(({ kickoffId }) => kickoffId !== null).length
  const unheard = open.length - accepted
  return [
    accepted > 0 || unheard === 0 ? `${plural(accepted, 'execution')} in flight` : '',
    unheard > 0 ? `${plural(unheard, 'kickoff')} unanswered` : '',
  ]
    .filter((part) => part !== '')
    .join(' and ')
}
