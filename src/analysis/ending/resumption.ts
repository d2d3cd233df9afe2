/** A run that was cut, and what its resumption can and cannot make good. */
import { isUnsent } from '../../execution/machine.ts'
import { OUTCOMES } from '../../execution/record.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import type { Finding, Reason, RunInfo } from '../document.ts'
import { formatCount, formatMs, plural } from '../metrics/format-metric.ts'
import { instancesOf, runOrInstances } from '../validity/instance-names.ts'
import type { Observations, OpenExecution } from '../observations.ts'

/** Why there is no verdict on a run whose last lines are missing. */
export function crash({
  stopped,
  durationMs,
  observations,
}: {
  stopped: RunInfo['stopped']
  durationMs: number
  observations: Observations
}): Reason[] {
  if (stopped !== 'crashed') return []
  const { open, instances, runs } = observations
  const gone = instances.filter(({ finished }) => finished === null)
  const who = runOrInstances(
    gone.map(({ instance }) => instance),
    instancesOf(runs),
  )
  return [
    {
      code: 'crashed',
      message: `${who} ${gone.length > 1 ? 'were' : 'was'} cut after ${formatMs(durationMs)} with ${openWords(open)}`,
      remedy: open.length === 0 ? 'run again' : 'crewload resume follows them to their end',
    },
  ]
}

/** No verdict on a run with a gap: what is missing is told, and that nothing can bring it back. */
export function resumption({ resumed, cutMicros }: Observations): Reason[] {
  if (cutMicros === null) return []
  const at = formatMs(cutMicros / MICROS_PER_MS)
  return [
    {
      code: 'resumed',
      message: `the run was cut after ${at} and resumed: ${plural(resumed, 'execution')} picked up, and no kickoff sent any more`,
      remedy: 'run again for a verdict',
    },
  ]
}

/** `open` has the warm-up's too: each of them may go on costing money. */
export function crashFindings(
  observations: Pick<
    Observations,
    'open' | 'resumed' | 'cutMicros' | 'lastDueMicros' | 'finished' | 'warmUpOutcomes'
  >,
): Finding[] {
  const { open, resumed } = observations
  const found: Finding[] = [...warmUpFindings(observations)]
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
  if (resumed > 0) {
    const message = `${plural(resumed, 'execution')} picked up after a cut: their polls before it are missing, and of those that ended meanwhile how long they took`
    found.push({ severity: 'info', message })
  }
  return found
}

/**
 * Of a run that ended before its plan: the warm-up's executions stand in no outcome that a report shows, and were paid for like the others.
 */
function warmUpFindings({
  finished,
  cutMicros,
  lastDueMicros,
  warmUpOutcomes,
}: Pick<Observations, 'finished' | 'cutMicros' | 'lastDueMicros' | 'warmUpOutcomes'>): Finding[] {
  const wasStopped = finished.some(({ stopped }) => stopped !== null)
  if (!wasStopped && cutMicros === null && lastDueMicros === null) return []
  const started = OUTCOMES.map((outcome) => ({
    outcome,
    count: warmUpOutcomes[outcome] ?? 0,
  })).filter(({ outcome, count }) => count > 0 && !isUnsent(outcome))
  if (started.length === 0) return []
  const total = started.reduce((sum, { count }) => sum + count, 0)
  const told = started.map(({ outcome, count }) => `${formatCount(count)} ${outcome}`).join(', ')
  const isLeft = started.some(({ outcome }) => outcome === 'aborted')
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
