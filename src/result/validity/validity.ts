/**
 * Decides whether a run is VALID or INVALID: each check with its bound, and the reason if it fails.
 */
import { formatShare } from '../../base/units.ts'
import type { GeneratorCheck } from '../document.ts'
import { due } from '../metrics/families.ts'
import { formatCount, plural } from '../metrics/format.ts'
import type { TrustCheck } from './instances.ts'
import {
  checkStart,
  INSTANCES_NAMED,
  instanceNames,
  instancesOf,
  runOrInstances,
} from './instances.ts'
import type { LatenessPlan } from './lateness.ts'
import { checkLateness } from './lateness.ts'
import { noteReasons } from '../notes.ts'
import type { Observations } from '../observations.ts'
import type { ScenarioErrors } from '../counting/tallies/findings.ts'
import type { InstanceTally } from '../counting/tallies/instances.ts'
import type { PlanDocument } from '../../scenario/plan.schema.ts'
import type { RunReason } from '../findings-and-reasons.ts'
import { isOwnCrew } from '../ending/resumption.ts'
import type { FinishedLine } from '../../execution/record/journal-lines.ts'

/** Whether the generator's event loop was busy for a long time: judged in each instance. */
interface Loop {
  instance: number
  /** Highest utilisation held for five seconds, 0 to 1. */
  share: number
}

function checkUtilisation(
  { finished, runs }: Observations,
  { validity }: Pick<PlanDocument, 'validity'>,
): TrustCheck {
  const of = instancesOf(runs)
  const loops = finished.flatMap(loopOf)
  const highest = highestOf(loops)
  const busy = loops.filter(({ share }) => share > validity.utilisation)
  const bound = formatShare(validity.utilisation)
  return {
    check: {
      name: 'utilisation',
      measured: highest === null ? unknown(finished) : measured(highest, busy.length, of),
      bound,
      meaning:
        'highest event-loop utilisation held for five seconds: near 100 % the generator ' +
        'measures itself',
    },
    state: highest === null ? 'skipped' : busy.length === 0 ? 'ok' : 'failed',
    reason: {
      code: 'utilisation',
      message:
        `${accused(busy, of)} busy: event loop at ${formatShare(highest?.share ?? 0)} ` +
        `for five seconds, bound ${bound}`,
      remedy: 'lower the rate, poll less often, or distribute the load over several instances',
    },
  }
}

function loopOf({ instance, host }: FinishedLine): Loop[] {
  return host.utilisationSustained === null ? [] : [{ instance, share: host.utilisationSustained }]
}

function highestOf(loops: readonly Loop[]): Loop | null {
  return loops.reduce<Loop | null>(
    (most, loop) => (most === null || loop.share > most.share ? loop : most),
    null,
  )
}

function unknown(finished: readonly FinishedLine[]): string {
  const short = finished.some(({ host }) => host.utilisationMean !== null)
  return short ? 'unknown: the run was shorter than five seconds' : 'not known on this host'
}

/**
 * Formats the measured utilisation: `20.0 %`; with several instances,
 * `91.0 % in instance 3, the highest of 10; 2 over the bound`.
 */
function measured({ instance, share }: Loop, busy: number, of: number): string {
  if (of === 1) return formatShare(share)
  const count = busy === 0 ? '' : `; ${formatCount(busy)} over the bound`
  return `${formatShare(share)} in instance ${instance}, the highest of ${formatCount(of)}${count}`
}

function accused(busy: readonly Loop[], of: number): string {
  if (of === 1 || busy.length === 0) return 'the generator was'
  const names = instanceNames(
    busy.map(({ instance }) => instance),
    of,
  )
  return `${names} ${busy.length === 1 ? 'was' : 'were'}`
}

/** Whether every arrival has its record, and every instance its complete journal. */
function checkRecords(observations: Observations): TrustCheck {
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

function missing(instances: readonly InstanceTally[], of: number): string[] {
  const known = new Set(instances.map(({ instance }) => instance))
  const count = of - known.size
  if (count <= 0) return []
  const first: number[] = []
  for (let i = 0; i < of && first.length < INSTANCES_NAMED; i++) if (!known.has(i)) first.push(i)
  const verb = count === 1 ? 'has' : 'have'
  return [`${instanceNames(first, of, count)} ${verb} no journal here`]
}

function beheaded(instances: readonly InstanceTally[], of: number): string[] {
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
function uneven(instances: readonly InstanceTally[], of: number): string[] {
  const found = instances.flatMap((each) => unevenness(each, of))
  const more = found.length - INSTANCES_NAMED
  if (more <= 0) return found
  return [...found.slice(0, INSTANCES_NAMED), `and so in ${plural(more, 'more instance')}`]
}

function unevenness({ instance, finished, endedLines }: InstanceTally, of: number): string[] {
  const arrivals = finished?.engine.arrivals ?? endedLines
  if (arrivals === endedLines) return []
  const place = of === 1 ? '' : ` of instance ${instance}`
  const lost = arrivals - endedLines
  if (lost < 0)
    return [`${plural(endedLines, 'record')} for ${plural(arrivals, 'arrival')}${place}`]
  const verb = lost === 1 ? 'is' : 'are'
  return [`${formatCount(lost)} of ${plural(arrivals, 'record')}${place} ${verb} missing`]
}

function who(instances: readonly InstanceTally[], of: number): string {
  return runOrInstances(
    instances.map(({ instance }) => instance),
    of,
  )
}

/** Further checks are only counted. */
const PARTS_NAMED = 3

function checkScenario({ scenarioErrors }: Observations): TrustCheck {
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

interface ValidityResult {
  checks: GeneratorCheck[]
  /** One for each failed check, and one for a failure of crewload itself. */
  reasons: RunReason[]
}

/** What reading the journal has shown. */
export interface JournalAsRead {
  /** Lines that could not be read. */
  unreadableLines: number
  /** Where the first of them is, like `steady/executions.ndjson:12`. Default: not known. */
  firstUnreadable?: string | null
  /** Lines that it holds once too often. Default: 0. */
  doubledLines?: number
}

export function checkValidity(
  observations: Observations,
  plan: LatenessPlan,
  asRead: JournalAsRead,
): ValidityResult {
  const checks = [
    checkLateness(observations, plan),
    checkUtilisation(observations, plan),
    little(observations, plan),
    checkRecords(observations),
    journal(observations, asRead),
    clock(observations),
    checkScenario(observations),
    ...checkStart(observations),
    admission(observations, plan),
  ]
  return {
    checks: checks.map(({ check, state }) => ({
      ...check,
      ok: state !== 'failed',
      skipped: state === 'skipped',
    })),
    reasons: [
      ...noteReasons(observations.notes),
      ...checks.filter(({ state }) => state === 'failed').map(({ reason }) => reason),
    ],
  }
}

/**
 * Little's law, L = lambda W: L T is the live integral of the engine's own counter, lambda W T the
 * sum of times in flight from the records. The residual |L - lambda W| / L reveals records that are
 * missing, duplicated or wrong.
 */
function little(observations: Observations, { validity }: PlanDocument): TrustCheck {
  const { finished, runs, inFlightSumMicros, cutMicros } = observations
  const integral = finished.reduce((sum, { engine }) => sum + engine.inFlightIntegralMicros, 0)
  const known = finished.length >= runs.length && finished.length > 0 && cutMicros === null
  const residual =
    integral > 0 ? Math.abs(integral - inFlightSumMicros) / integral : inFlightSumMicros > 0 ? 1 : 0
  const bound = formatShare(validity.littleResidual)
  return {
    check: {
      name: 'little',
      measured: known ? formatShare(residual) : unknownCount(cutMicros),
      bound,
      meaning:
        "Little's law: executions in flight, counted live, against arrival rate times " +
        'duration from the records',
    },
    state: !known ? 'skipped' : residual <= validity.littleResidual ? 'ok' : 'failed',
    reason: {
      code: 'little',
      message:
        `the records do not add up: Little's residual ${formatShare(residual)}, ` +
        `bound ${bound}`,
      remedy:
        'records are missing or wrong: check the ledger and the journal, and report it as a bug',
    },
  }
}

function unknownCount(cutMicros: Observations['cutMicros']): string {
  return cutMicros === null
    ? 'no final count: an instance did not finish'
    : 'no live count: the run was cut and resumed'
}

const UNWRITTEN_REMEDY =
  'keep the run folder where it is, and check free space and write permission with crewload doctor'
/** Complete lines were truncated or damaged on their way here. */
const UNREAD_REMEDY =
  'fetch the complete journal or log of each instance again (kubectl logs ' +
  '--follow, from the start of its pod) and merge those'

function journal(
  { journalErrors, journalTrouble }: Observations,
  { unreadableLines, firstUnreadable = null, doubledLines = 0 }: JournalAsRead,
): TrustCheck {
  const what = doubledLines > 0 ? 'damaged' : 'incomplete'
  const place = firstUnreadable === null ? '' : ` (first: ${firstUnreadable})`
  const why = journalTrouble === null ? '' : ` (${journalTrouble})`
  const parts = [
    journalErrors > 0 ? `${plural(journalErrors, 'line')} could not be written${why}` : '',
    unreadableLines > 0 ? `${plural(unreadableLines, 'line')} could not be read${place}` : '',
    doubledLines > 0 ? `${plural(doubledLines, 'line')} too many, each a copy of another` : '',
  ].filter((part) => part !== '')
  return {
    check: {
      name: 'journal',
      measured: parts.length === 0 ? 'no errors' : parts.join(', '),
      bound: 'no errors',
      meaning: 'every line of the journal was written and could be read back',
    },
    state: parts.length === 0 ? 'ok' : 'failed',
    reason: {
      code: 'journal-error',
      message: `the journal is ${what}: ${parts.join(', ')}`,
      remedy: journalErrors > 0 ? UNWRITTEN_REMEDY : UNREAD_REMEDY,
    },
  }
}

/** What the generator did not send, it did not measure: the load was not the planned one. */
function admission({ window }: Observations, { maxDropped }: PlanDocument): TrustCheck {
  const { dropped } = window.outcomes
  const offered = due(window) + dropped
  const share = offered === 0 ? 0 : dropped / offered
  return {
    check: {
      name: 'admission',
      measured: `${formatShare(share)} dropped`,
      bound: formatShare(maxDropped),
      meaning: 'arrivals that the generator did not send: no place in flight, or inputs that threw',
    },
    state: share <= maxDropped ? 'ok' : 'failed',
    reason: {
      code: 'admission',
      message:
        `the planned load was not sent: ${formatCount(dropped)} of ` +
        `${plural(offered, 'arrival')} were dropped by the generator, bound ` +
        formatShare(maxDropped),
      remedy:
        'raise admission.maxInFlight, fix inputs that throw, or allow it with ' +
        'admission.maxDropped',
    },
  }
}

function clock({ clockSteps }: Observations): TrustCheck {
  const steps = `${clockSteps} ${clockSteps === 1 ? 'step' : 'steps'}`
  return {
    check: {
      name: 'clock',
      measured: steps,
      bound: '0 steps',
      meaning:
        'wall clock and monotonic clock agreed: the machine did not sleep, and its ' +
        'time was not changed',
    },
    state: clockSteps === 0 ? 'ok' : 'failed',
    reason: {
      code: 'clock-step',
      message: `the clock stepped during the run: ${steps}`,
      remedy: 'keep the machine awake and its clock synchronised, and run again',
    },
  }
}
