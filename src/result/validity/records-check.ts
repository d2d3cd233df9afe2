/** Whether every arrival has its record, and every instance its complete journal. */
import { INSTANCES_NAMED, instanceNames, instancesOf, runOrInstances } from './instance-names.ts'
import { isOwnCrew } from '../ending/resumption.ts'
import { formatCount, plural } from '../metrics/format.ts'
import type { InstanceObservations, Observations } from '../observations.ts'
import type { TrustCheck } from './trust-check.ts'

export function checkRecords(observations: Observations): TrustCheck {
  const troubles = recordTroubles(observations).join('; ')
  const { endedLines, runs } = observations
  return {
    check: {
      name: 'records',
      measured:
        troubles === '' ? `${formatCount(endedLines)} of ${formatCount(endedLines)}` : troubles,
      bound: 'every arrival',
      meaning: 'every arrival that the engine counted has exactly one record in the journal',
    },
    state: troubles === '' ? 'ok' : 'failed',
    reason: {
      code: 'records-missing',
      message: troubles,
      remedy: remedyOf(runs),
    },
  }
}

function remedyOf(runs: Observations['runs']): string {
  if (instancesOf(runs) > 1) {
    return 'merge the journal of each instance exactly once; after a crash, run again'
  }
  if (isOwnCrew(runs)) return 'run again'
  return 'run again; after a crash, first finish its executions with crewload resume'
}

function recordTroubles(observations: Observations): string[] {
  const { instances, runs } = observations
  const of = instancesOf(runs)
  return [
    ...missing(instances, of),
    ...beheaded(instances, of),
    ...unfinished(observations, of),
    ...uneven(instances, of),
  ]
}

function missing(instances: readonly InstanceObservations[], of: number): string[] {
  const known = new Set(instances.map(({ instance }) => instance))
  const count = of - known.size
  if (count <= 0) return []
  const first: number[] = []
  for (let i = 0; i < of && first.length < INSTANCES_NAMED; i++) if (!known.has(i)) first.push(i)
  const verb = count === 1 ? 'has' : 'have'
  return [`${instanceNames(first, of, count)} ${verb} no journal here`]
}

function beheaded(instances: readonly InstanceObservations[], of: number): string[] {
  const found = instances.filter(({ run }) => run === null)
  return found.length === 0 ? [] : [`${who(found, of)} lost the beginning of the journal`]
}

function unfinished({ instances, open }: Observations, of: number): string[] {
  const found = instances.filter(({ run, finished }) => run !== null && finished === null)
  if (found.length === 0) return []
  const numbers = new Set(found.map(({ instance }) => instance))
  const left = open.filter(({ instance }) => numbers.has(instance)).length
  return [`${who(found, of)} did not finish: ${plural(left, 'execution')} without an end`]
}

/** Per instance: one with too few records could hide behind another with too many. */
function uneven(instances: readonly InstanceObservations[], of: number): string[] {
  const found = instances.flatMap((each) => unevenness(each, of))
  const more = found.length - INSTANCES_NAMED
  if (more <= 0) return found
  return [...found.slice(0, INSTANCES_NAMED), `and so in ${plural(more, 'more instance')}`]
}

function unevenness(
  { instance, finished, endedLines }: InstanceObservations,
  of: number,
): string[] {
  const arrivals = finished?.engine.arrivals ?? endedLines
  if (arrivals === endedLines) return []
  const place = of === 1 ? '' : ` of instance ${instance}`
  const lost = arrivals - endedLines
  if (lost < 0)
    return [`${plural(endedLines, 'record')} for ${plural(arrivals, 'arrival')}${place}`]
  const verb = lost === 1 ? 'is' : 'are'
  return [`${formatCount(lost)} of ${plural(arrivals, 'record')}${place} ${verb} missing`]
}

function who(instances: readonly InstanceObservations[], of: number): string {
  return runOrInstances(
    instances.map(({ instance }) => instance),
    of,
  )
}
