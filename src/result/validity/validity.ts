/**
 * Decides whether a run is VALID or INVALID: each check with its bound, and the reason if it fails.
 */
import { formatShare, formatCount, plural } from '../../base/numbers.ts'
import type { PlanDocument } from '../../scenario/plan.schema.ts'
import type { ScenarioErrors } from '../counting/tallies/incidents.ts'
import type { InstanceTally } from '../counting/tallies/instances.ts'
import type { GeneratorCheck } from '../document.ts'
import { isOwnCrew } from '../ending/resumption.ts'
import type { RunReason } from '../reason.ts'
import { due } from '../metrics/families.ts'
import type { RunNote } from '../../execution/record/notes.ts'
import type { Observations } from '../observations.ts'
import type { TrustCheck } from '../instances.ts'
import {
  checkStart,
  INSTANCES_NAMED,
  instanceNames,
  instancesOf,
  runOrInstances,
  subject,
  trustCheck,
  worstIn,
  worstOf,
} from '../instances.ts'
import type { Threshold } from '../../scenario/plan.ts'
import { checkLateness } from '../lateness.ts'

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
  plan: PlanDocument,
  inDoubt: readonly Threshold[],
  asRead: JournalAsRead,
): ValidityResult {
  const checks = [
    checkLateness(observations, plan, inDoubt),
    utilisation(observations, plan),
    little(observations, plan),
    records(observations),
    journal(observations, asRead),
    clock(observations),
    scenario(observations),
    ...checkStart(observations),
    admission(observations, plan),
  ]
  return {
    checks: checks.map(({ reason: _reason, ...check }) => check),
    reasons: [
      ...noteReasons(observations.notes),
      ...checks.filter(({ ok }) => !ok).map(({ reason }) => reason),
    ],
  }
}

/** Reasons for INVALID: the generator, not the target, was at fault. */
function noteReasons(notes: readonly RunNote[]): RunReason[] {
  const code = 'generator-error'
  return notes.flatMap((note): RunReason[] => {
    if (note.code === 'generator-failed') {
      const remedy = 'fix the scenario if the error comes from it; otherwise report it as a bug'
      return [{ code, message: `crewload itself failed: ${note.error}`, remedy }]
    }
    if (note.code !== 'machine-short') return []
    const remedy = 'raise the limit of open files with "ulimit -n", or lower connections.max'
    const message = `this machine ran out of what a connection needs: ${note.error}`
    return [{ code, message, remedy }]
  })
}

/** The highest utilisation of the event loop held for five seconds: judged in each instance. */
function utilisation({ finished, runs }: Observations, { validity }: PlanDocument): TrustCheck {
  const of = instancesOf(runs)
  const loops = finished.flatMap(({ instance, host }) =>
    host.utilisationSustained === null ? [] : [{ instance, value: host.utilisationSustained }],
  )
  const worst = worstOf(loops)
  const busy = loops.filter(({ value }) => value > validity.utilisation)
  const isShort = finished.some(({ host }) => host.utilisationMean !== null)
  const bound = validity.utilisation
  return trustCheck(
    {
      name: 'utilisation',
      unit: 'share',
      measured: worst?.value ?? null,
      bound,
      ok: busy.length === 0,
      ...(worst === null && { why: isShort ? 'short-run' : 'unknown-host' }),
      ...worstIn(worst, of, busy.length),
    },
    `${subject('the generator', busy, of)} busy: event loop at ${formatShare(worst?.value ?? 0)} ` +
      `for five seconds, bound ${formatShare(bound)}`,
    'lower the rate, poll less often, or distribute the load over several instances',
  )
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
  const bound = validity.littleResidual
  return trustCheck(
    {
      name: 'little',
      unit: 'share',
      measured: known ? residual : null,
      bound,
      ok: residual <= bound,
      ...(!known && { why: cutMicros === null ? 'unfinished' : 'resumed' }),
    },
    `the records do not add up: Little's residual ${formatShare(residual)}, bound ` +
      formatShare(bound),
    'records are missing or wrong: check the ledger and the journal, and report it as a bug',
  )
}

/** Every arrival has its record, and every instance its complete journal. */
function records(observations: Observations): TrustCheck {
  const { endedLines, runs, instances, open } = observations
  const of = instancesOf(runs)
  const lacking = missing(instances, of)
  const troubles = [...lacking, ...incomplete(observations, of), ...uneven(instances, of)]
  const isBeheaded = instances.some(({ run }) => run === null)
  const arrivals = instances.reduce((sum, { instance, finished, endedLines: ended }) => {
    const left = open.filter((each) => each.instance === instance).length
    return sum + (finished?.engine.arrivals ?? ended + left)
  }, 0)
  const remedy =
    of > 1
      ? 'merge the journal of each instance exactly once; after a crash, run again'
      : isOwnCrew(runs)
        ? 'run again'
        : 'run again; after a crash, first finish its executions with crewload resume'
  return trustCheck(
    {
      name: 'records',
      unit: 'count',
      measured: endedLines,
      bound: arrivals,
      ok: troubles.length === 0,
      ...(lacking.length > 0 ? { why: 'no-journal' } : isBeheaded && { why: 'no-beginning' }),
    },
    troubles.join('; '),
    remedy,
  )
}

function missing(instances: readonly InstanceTally[], of: number): string[] {
  const known = new Set(instances.map(({ instance }) => instance))
  const count = of - known.size
  if (count <= 0) return []
  const first: number[] = []
  for (let i = 0; i < of && first.length < INSTANCES_NAMED; i++) if (!known.has(i)) first.push(i)
  return [`no journal of ${instanceNames(first, of, count)}`]
}

function incomplete({ instances, open }: Observations, of: number): string[] {
  const beheaded = instances.filter(({ run }) => run === null)
  const cut = instances.filter(({ run, finished }) => run !== null && finished === null)
  const left = open.filter((each) => cut.some(({ instance }) => instance === each.instance)).length
  return [
    ...(beheaded.length === 0
      ? []
      : [`${runOrInstances(beheaded, of)} lost the beginning of the journal`]),
    ...(cut.length === 0
      ? []
      : [`${runOrInstances(cut, of)} did not finish: ${plural(left, 'execution')} without an end`]),
  ]
}

/** Per instance: one with too few records could hide behind another with too many. */
function uneven(instances: readonly InstanceTally[], of: number): string[] {
  const found = instances.flatMap(({ instance, finished, endedLines }) => {
    const arrivals = finished?.engine.arrivals ?? endedLines
    const place = of === 1 ? '' : ` of instance ${instance}`
    return arrivals === endedLines
      ? []
      : [`${plural(endedLines, 'record')} for ${plural(arrivals, 'arrival')}${place}`]
  })
  const more = found.length - INSTANCES_NAMED
  if (more <= 0) return found
  return [...found.slice(0, INSTANCES_NAMED), `and so in ${plural(more, 'more instance')}`]
}

const UNWRITTEN_REMEDY =
  'keep the run folder where it is, and check free space and write permission with crewload doctor'
/** Complete lines were truncated or damaged on their way here. */
const UNREAD_REMEDY =
  'fetch each instance’s complete journal or log again (kubectl logs --follow, from the start of ' +
  'its pod) and merge those'

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
  const measured = journalErrors + unreadableLines + doubledLines
  return trustCheck(
    { name: 'journal', unit: 'count', measured, bound: 0, ok: measured === 0 },
    `the journal is ${what}: ${parts.join(', ')}`,
    journalErrors > 0 ? UNWRITTEN_REMEDY : UNREAD_REMEDY,
  )
}

function clock({ clockSteps }: Observations): TrustCheck {
  return trustCheck(
    { name: 'clock', unit: 'count', measured: clockSteps, bound: 0, ok: clockSteps === 0 },
    `the clock stepped during the run: ${plural(clockSteps, 'step')}`,
    'keep the machine awake and its clock synchronised, and run again',
  )
}

/** Further checks are only counted. */
const PARTS_NAMED = 3

/**
 * Whether the scenario's own functions worked: their errors are not faults of the crew, and not
 * measurements of it.
 */
function scenario({ scenarioErrors }: Observations): TrustCheck {
  const count = scenarioErrors.reduce((sum, each) => sum + each.count, 0)
  const more = scenarioErrors.length - PARTS_NAMED
  const told = [
    ...scenarioErrors.slice(0, PARTS_NAMED).map(errorWords),
    ...(more > 0 ? [`and so did ${plural(more, 'more check')}`] : []),
  ]
  return trustCheck(
    { name: 'scenario', unit: 'count', measured: count, bound: 0, ok: count === 0 },
    `the scenario's own code failed: ${told.join('; ')}`,
    'fix that function and run again: the crew is not the cause',
  )
}

/**
 * `checks.mentions failed for 3 of 40 executions, first for arrival 5: TypeError: x is undefined
 * (mine.ts:4:3)`.
 */
function errorWords({ part, count, calls, first }: ScenarioErrors): string {
  const what = part.startsWith('checks.') ? 'execution' : 'arrival'
  return (
    `${part} failed for ${formatCount(count)} of ${plural(calls, what)}, first for ` +
    `arrival ${first.index}: ${first.message}`
  )
}

/** What the generator did not send, it did not measure: the load was not the planned one. */
function admission({ window }: Observations, { maxDropped }: PlanDocument): TrustCheck {
  const { dropped } = window.outcomes
  const offered = due(window) + dropped
  const share = offered === 0 ? 0 : dropped / offered
  return trustCheck(
    {
      name: 'admission',
      unit: 'share',
      measured: share,
      bound: maxDropped,
      ok: share <= maxDropped,
    },
    `the planned load was not sent: ${formatCount(dropped)} of ${plural(offered, 'arrival')} ` +
      `were dropped by the generator, bound ${formatShare(maxDropped)}`,
    'raise admission.maxInFlight, fix inputs that throw, or allow it with admission.maxDropped',
  )
}
