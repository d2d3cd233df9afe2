/** A run that was cut: what its resumption can recover and what it cannot. */
import { isUnsent } from '../../execution/machine.ts'
import { OUTCOMES } from '../../execution/record/record.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import type { RunInfo } from '../document.ts'
import { CREW_ENDED } from '../../execution/record/reason.ts'
import { formatCount, formatMs, plural } from '../metrics/format.ts'
import { instancesOf, runOrInstances } from '../validity/instances.ts'
import type { Observations } from '../observations.ts'
import type { OpenExecution } from '../counting/open-executions.ts'
import type { RunFinding, RunReason } from '../findings-and-reasons.ts'
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

/** Why there is no verdict on a run whose last lines are missing. */
export function crash({
  stopped,
  durationMs,
  observations,
}: {
  stopped: RunInfo['stopped']
  durationMs: number
  observations: Observations
}): RunReason[] {
  if (stopped !== 'crashed') return []
  const { open, instances, runs } = observations
  const hasCrew = !isOwnCrew(runs)
  const gone = instances.filter(({ finished }) => finished === null)
  const who = runOrInstances(
    gone.map(({ instance }) => instance),
    instancesOf(runs),
  )
  return [
    {
      code: 'crashed',
      message:
        `${who} ${gone.length > 1 ? 'were' : 'was'} cut after ` +
        `${formatMs(durationMs)} with ${openWords(open)}`,
      remedy: open.length > 0 && hasCrew ? 'continue them with crewload resume' : 'run again',
    },
  ]
}

/**
 * A run with a gap gets no verdict: the reason names what is missing, which nothing can restore.
 */
export function resumption({ resumed, cutMicros, wasCut, finished }: Observations): RunReason[] {
  if (cutMicros === null) return []
  const at = formatMs(cutMicros / MICROS_PER_MS)
  const picked = plural(resumed, 'execution')
  if (!wasCut) return [{ code: 'resumed', message: askedAgain(at, picked), remedy: AGAIN }]
  const message = hasCrewEnded(finished)
    ? `the run was cut after ${at}, and ${CREW_ENDED}: ${picked} could not be continued`
    : `the run was cut after ${at} and resumed, which continued ${picked} and sent ` +
      'no further kickoffs'
  return [{ code: 'resumed', message, remedy: AGAIN }]
}

const AGAIN = 'run again for a verdict'

function askedAgain(at: string, picked: string): string {
  return (
    `the run had ended after ${at} while ${picked} waited for a person, and was resumed to ask ` +
    'about them again'
  )
}

/** The run used its own fake crew: what was left in flight is gone with it and costs nothing. */
export function isOwnCrew(runs: Observations['runs']): boolean {
  return runs[0]?.ownCrew ?? false
}

/** Whether nothing was continued because that crew was gone. */
function hasCrewEnded(finished: Observations['finished']): boolean {
  return finished.some(({ stopReason }) => stopReason?.code === 'crew-ended')
}

type CrashSources = Pick<
  Observations,
  | 'runs'
  | 'open'
  | 'resumed'
  | 'cutMicros'
  | 'wasCut'
  | 'lastDueMicros'
  | 'finished'
  | 'warmUpOutcomes'
>

/**
 * `open` includes the warm-up's: each of them may still cost money, unless it was on a fake crew
 * that is gone.
 */
export function crashFindings(observations: CrashSources): RunFinding[] {
  const { open, resumed, runs, finished, wasCut } = observations
  const warmUp = warmUpFindings(observations)
  if (isOwnCrew(runs) && open.length > 0) {
    const message =
      `${openWords(open)} when the run was cut: ${CREW_ENDED}, so there is nothing ` +
      'left to continue'
    return [...warmUp, findingOf('left-with-crew', message)]
  }
  const left = openFindings(open)
  if (resumed === 0 || hasCrewEnded(finished)) return [...warmUp, ...left]
  const message =
    `${plural(resumed, 'execution')} continued after ${wasCut ? 'a cut' : 'the end'}: their polls ` +
    'before it are missing, and how long those took that ended in between is unknown'
  return [...warmUp, ...left, findingOf('resumed', message)]
}

function openFindings(open: readonly OpenExecution[]): RunFinding[] {
  const found: RunFinding[] = []
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
  return found
}

/**
 * For a run that ended before its plan was complete: the warm-up's executions are in no reported
 * outcome, but were paid for like the others.
 */
function warmUpFindings(observations: CrashSources): RunFinding[] {
  const { finished, cutMicros, lastDueMicros, warmUpOutcomes, runs } = observations
  const wasStopped = finished.some(({ stopped }) => stopped !== null)
  if (!wasStopped && cutMicros === null && lastDueMicros === null) return []
  const started = OUTCOMES.map((outcome) => ({
    outcome,
    count: warmUpOutcomes[outcome] ?? 0,
  })).filter(({ outcome, count }) => count > 0 && !isUnsent(outcome))
  if (started.length === 0) return []
  const total = started.reduce((sum, { count }) => sum + count, 0)
  const told = started.map(({ outcome, count }) => `${formatCount(count)} ${outcome}`).join(', ')
  const isLeft = !isOwnCrew(runs) && started.some(({ outcome }) => outcome === 'aborted')
  const left = isLeft ? '; aborted ones may still be running on the target and costing money' : ''
  const message = `${plural(total, 'warm-up execution')}, not counted in any metric: ${told}${left}`
  return [findingOf(isLeft ? 'warm-up-left' : 'warm-up-cut', message)]
}

/**
 * Counts open executions: `3 executions in flight`;
 * `3 executions in flight and 1 kickoff unanswered`.
 */
function openWords(open: readonly OpenExecution[]): string {
  const accepted = open.filter(({ kickoffId }) => kickoffId !== null).length
  const unheard = open.length - accepted
  const flying = `${plural(accepted, 'execution')} in flight`
  if (unheard === 0) return flying
  const words = `${plural(unheard, 'kickoff')} unanswered`
  return accepted === 0 ? words : `${flying} and ${words}`
}
