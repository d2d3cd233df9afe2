/** A run that was cut: what its resumption can recover and what it cannot. */
import { endsWithRun } from '../../execution/record/crew-place.ts'
import { isUnsent } from '../../execution/machine.ts'
import { OUTCOMES } from '../../execution/record/record.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import type { RunInfo } from '../document.ts'
import { reasonOf } from '../sentence-tables.ts'
import { instancesOf } from '../instances.ts'
import type { Observations } from '../observations.ts'
import type { OpenExecution } from '../counting/open-executions.ts'
import { someOf } from '../sentences/instances.ts'
import type { RunReason } from '../sentences/reasons.ts'
import { REASONS } from '../sentences/reasons.ts'

/** Those that still waited for a person at the deadline. */
export function pausedExecutions({ window, runs }: Pick<Observations, 'window' | 'runs'>) {
  const { paused } = window.outcomes
  const [run] = runs
  // A crew that ended with the run cannot be asked again.
  const isGone = isOwnCrew(runs) || run?.engine === 'virtual'
  return paused === 0
    ? null
    : { executions: paused, isAskedAgain: run?.plan.human === true && !isGone }
}

/** Why there is no verdict on a run whose last lines are missing. */
export function crash(
  { stopped, durationMs }: Pick<RunInfo, 'stopped' | 'durationMs'>,
  { open, instances, runs }: Observations,
): RunReason[] {
  if (stopped !== 'crashed') return []
  const gone = instances.filter(({ finished }) => finished === null)
  const facts = { cut: someOf(gone, instancesOf(runs)), atMs: durationMs, ...openCounts(open) }
  return [reasonOf(REASONS, 'crashed', { ...facts, isOwnCrew: isOwnCrew(runs) })]
}

/**
 * A run with a gap gets no verdict: the reason names what is missing, which nothing can restore.
 */
export function resumption({ resumed, cutMicros, wasCut, finished }: Observations): RunReason[] {
  if (cutMicros === null) return []
  const how = !wasCut ? 'asked-again' : hasCrewEnded(finished) ? 'crew-ended' : 'continued'
  const facts = { how, atMs: cutMicros / MICROS_PER_MS, executions: resumed } as const
  return [reasonOf(REASONS, 'resumed', facts)]
}

/** The run used its own fake crew: what was left in flight is gone with it and costs nothing. */
export function isOwnCrew(runs: Observations['runs']): boolean {
  return runs[0] !== undefined && endsWithRun(runs[0].place)
}

/** Whether nothing was continued because that crew was gone. */
function hasCrewEnded(finished: Observations['finished']): boolean {
  return finished.some(({ stopReason }) => stopReason?.code === 'crew-ended')
}

/**
 * What a cut left, the warm-up's included: each of them may still cost money, unless it was on a
 * fake crew that is gone.
 */
export function leftAtCut({ open, runs }: Observations) {
  const { inFlight, unanswered } = openCounts(open)
  const [first] = open.flatMap(({ kickoffId }) => kickoffId ?? [])
  const isGone = isOwnCrew(runs)
  return {
    withCrew: isGone && open.length > 0 ? { inFlight, unanswered } : null,
    inFlight: isGone || first === undefined ? null : { executions: inFlight, first },
    unanswered: isGone || unanswered === 0 ? null : { kickoffs: unanswered },
  }
}

export function continued({ open, resumed, runs, finished, wasCut }: Observations) {
  const isNone = resumed === 0 || hasCrewEnded(finished) || (isOwnCrew(runs) && open.length > 0)
  return isNone ? null : { executions: resumed, wasCut }
}

/**
 * For a run that ended before its plan was complete: the warm-up's executions are in no reported
 * outcome, but were paid for like the others.
 */
export function warmUpLeft(observations: Observations) {
  const { finished, cutMicros, lastDueMicros, warmUpOutcomes, runs } = observations
  const wasStopped = finished.some(({ stopped }) => stopped !== null)
  if (!wasStopped && cutMicros === null && lastDueMicros === null) return null
  const outcomes = OUTCOMES.flatMap((outcome) => {
    const count = warmUpOutcomes[outcome] ?? 0
    return count === 0 || isUnsent(outcome) ? [] : [{ outcome, count }]
  })
  const mayRun = !isOwnCrew(runs) && (warmUpOutcomes.aborted ?? 0) > 0
  return outcomes.length === 0 ? null : { outcomes, mayRun }
}

function openCounts(open: readonly OpenExecution[]) {
  const inFlight = open.filter(({ kickoffId }) => kickoffId !== null).length
  return { inFlight, unanswered: open.length - inFlight }
}
