/** A run that was cut, and what its resumption can and cannot make good. */
import { isUnsent } from '../../execution/machine.ts'
import { OUTCOMES } from '../../execution/record/record.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import type { Finding, Reason, RunInfo } from '../document.ts'
import { CREW_ENDED } from './endings.ts'
import { crewTimeWords } from '../crew-clock.ts'
import { formatCount, plural } from '../metrics/format-metric.ts'
import { instancesOf, runOrInstances } from '../validity/instance-names.ts'
import type { Observations, OpenExecution } from '../observations.ts'

/** Why there is no verdict on a run whose last lines are missing. */
export function crash({
  stopped,
  durationMs,
  speed,
  observations,
}: {
  stopped: RunInfo['stopped']
  durationMs: number
  speed: number
  observations: Observations
}): Reason[] {
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
      message: `${who} ${gone.length > 1 ? 'were' : 'was'} cut after ${crewTimeWords(durationMs, speed)} with ${openWords(open)}`,
      remedy:
        open.length > 0 && hasCrew ? 'crewload resume follows them to their end' : 'run again',
    },
  ]
}

/** No verdict on a run with a gap: what is missing is told, and that nothing can bring it back. */
export function resumption(
  { resumed, cutMicros, finished }: Observations,
  speed: number,
): Reason[] {
  if (cutMicros === null) return []
  const at = crewTimeWords(cutMicros / MICROS_PER_MS, speed)
  const picked = plural(resumed, 'execution')
  const message = hasCrewEnded(finished)
    ? `the run was cut after ${at}, and ${CREW_ENDED}: ${picked} could not be followed`
    : `the run was cut after ${at} and resumed: ${picked} picked up, and no kickoff sent any more`
  return [{ code: 'resumed', message, remedy: 'run again for a verdict' }]
}

/**
 * The crew of the run was a fake one of its own: what the run left in flight is gone with it, and
 * costs nothing.
 */
export function isOwnCrew(runs: Observations['runs']): boolean {
  return runs[0]?.ownCrew ?? false
}

/** Nothing was followed, for that crew was gone. */
function hasCrewEnded(finished: Observations['finished']): boolean {
  return finished.some(({ stopReason }) => stopReason === CREW_ENDED)
}

type CrashSources = Pick<
  Observations,
  'runs' | 'open' | 'resumed' | 'cutMicros' | 'lastDueMicros' | 'finished' | 'warmUpOutcomes'
>

/**
 * `open` has the warm-up's too: each of them may go on costing money, but for those of a fake crew
 * that is gone.
 */
export function crashFindings(observations: CrashSources): Finding[] {
  const { open, resumed, runs, finished } = observations
  const warmUp = warmUpFindings(observations)
  if (isOwnCrew(runs) && open.length > 0) {
    const message = `${openWords(open)} when the run was cut: ${CREW_ENDED}, so that nothing is left to follow`
    return [...warmUp, { severity: 'info', message }]
  }
  const left = openFindings(open)
  if (resumed === 0 || hasCrewEnded(finished)) return [...warmUp, ...left]
  const message = `${plural(resumed, 'execution')} picked up after a cut: their polls before it are missing, and of those that ended meanwhile how long they took`
  return [...warmUp, ...left, { severity: 'info', message }]
}

function openFindings(open: readonly OpenExecution[]): Finding[] {
  const found: Finding[] = []
  const ids = open.flatMap(({ kickoffId }) => kickoffId ?? [])
  if (ids.length > 0) {
    const message = `${plural(ids.length, 'execution')} accepted and left without an end, first ${ids[0]}: crewload resume follows them; the journal's accepted lines have their ids`
    found.push({ severity: 'problem', message })
  }
  const unheard = open.length - ids.length
  if (unheard > 0) {
    const message = `${plural(unheard, 'kickoff')} sent and never answered before the cut: each may have started; the journal's started lines have their arrivals`
    found.push({ severity: 'problem', message })
  }
  return found
}

/**
 * Of a run that ended before its plan: the warm-up's executions stand in no outcome that a report
 * shows, and were paid for like the others.
 */
function warmUpFindings(observations: CrashSources): Finding[] {
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
  const left = isLeft ? '; those aborted may still run on the target, and cost money' : ''
  const message = `${plural(total, 'execution')} of the warm-up, which count in no metric: ${told}${left}`
  return [{ severity: isLeft ? 'problem' : 'info', message }]
}

/** `3 executions in flight`; `3 executions in flight and 1 kickoff unanswered`. */
function openWords(open: readonly OpenExecution[]): string {
  const accepted = open.filter(({ kickoffId }) => kickoffId !== null).length
  const unheard = open.length - accepted
  const flying = `${plural(accepted, 'execution')} in flight`
  if (unheard === 0) return flying
  const words = `${plural(unheard, 'kickoff')} unanswered`
  return accepted === 0 ? words : `${flying} and ${words}`
}
