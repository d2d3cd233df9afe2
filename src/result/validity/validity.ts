/**
 * Decides whether a run is VALID or INVALID: each check with its bound, and the reason if it fails.
 */
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../base/units.ts'
import type { PlanDocument } from '../../scenario/plan.schema.ts'
import type { InstanceTally } from '../counting/tallies/instances.ts'
import type { GeneratorCheck, ResultDocument } from '../document.ts'
import { isOwnCrew } from '../ending/resumption.ts'
import { reasonOf } from '../sentence-tables.ts'
import type { SomeInstances } from '../sentences/instances.ts'
import { INSTANCES_NAMED, someOf } from '../sentences/instances.ts'
import type { RunReason } from '../sentences/reasons.ts'
import { REASONS } from '../sentences/reasons.ts'
import { due } from '../metrics/family-measures.ts'
import type { RunNote } from '../../execution/record/notes.ts'
import type { Observations } from '../observations.ts'
import { instancesOf } from '../instances.ts'
import type { Threshold } from '../../scenario/plan.ts'
import type { ValidityCheck } from './check.ts'
import { validityCheck, worstIn, worstOf } from './check.ts'
import { checkLateness } from './lateness.ts'

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
    ...start(observations),
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
  return notes.flatMap((note): RunReason[] => {
    if (note.code !== 'generator-failed' && note.code !== 'machine-short') return []
    const of = note.code === 'machine-short' ? 'machine' : 'crewload'
    return [reasonOf(REASONS, 'generator-error', { of, error: note.error })]
  })
}

/** The highest utilisation of the event loop held for five seconds: judged in each instance. */
function utilisation({ finished, runs }: Observations, { validity }: PlanDocument): ValidityCheck {
  const of = instancesOf(runs)
  const loops = finished.flatMap(({ instance, host }) =>
    host.utilisationSustained === null ? [] : [{ instance, value: host.utilisationSustained }],
  )
  const worst = worstOf(loops)
  const busy = loops.filter(({ value }) => value > validity.utilisation)
  const isShort = finished.some(({ host }) => host.utilisationMean !== null)
  const bound = validity.utilisation
  return validityCheck(
    {
      name: 'utilisation',
      unit: 'share',
      measured: worst?.value ?? null,
      bound,
      ok: busy.length === 0,
      ...(worst === null && { why: isShort ? 'short-run' : 'unknown-host' }),
      ...worstIn(worst, of, busy.length),
    },
    reasonOf(REASONS, 'utilisation', {
      utilisation: worst?.value ?? 0,
      bound,
      busy: someOf(busy, of),
    }),
  )
}

/**
 * Little's law, L = lambda W: L T is the live integral of the engine's own counter, lambda W T the
 * sum of times in flight from the records. The residual |L - lambda W| / L reveals records that are
 * missing, duplicated or wrong.
 */
function little(observations: Observations, { validity }: PlanDocument): ValidityCheck {
  const { finished, runs, inFlightSumMicros, cutMicros } = observations
  const integral = finished.reduce((sum, { engine }) => sum + engine.inFlightIntegralMicros, 0)
  const known = finished.length >= runs.length && finished.length > 0 && cutMicros === null
  const residual =
    integral > 0 ? Math.abs(integral - inFlightSumMicros) / integral : inFlightSumMicros > 0 ? 1 : 0
  const bound = validity.littleResidual
  return validityCheck(
    {
      name: 'little',
      unit: 'share',
      measured: known ? residual : null,
      bound,
      ok: residual <= bound,
      ...(!known && { why: cutMicros === null ? 'unfinished' : 'resumed' }),
    },
    reasonOf(REASONS, 'little', { residual, bound }),
  )
}

/** Every arrival has its record, and every instance its complete journal. */
function records(observations: Observations): ValidityCheck {
  const { endedLines, runs, instances, open } = observations
  const of = instancesOf(runs)
  const leftOf = (instance: number): number =>
    open.filter((each) => each.instance === instance).length
  const missing = missingOf(instances, of)
  const beheaded = instances.filter(({ run }) => run === null)
  const cut = instances.filter(({ run, finished }) => run !== null && finished === null)
  const uneven = unevenOf(instances)
  const troubles = [missing.count, beheaded.length, cut.length, uneven.length]
  return validityCheck(
    {
      name: 'records',
      unit: 'count',
      measured: endedLines,
      bound: instances.reduce((sum, { instance, finished, endedLines: ended }) => {
        return sum + (finished?.engine.arrivals ?? ended + leftOf(instance))
      }, 0),
      ok: troubles.every((trouble) => trouble === 0),
      ...(missing.count > 0
        ? { why: 'no-journal' }
        : beheaded.length > 0 && { why: 'no-beginning' }),
    },
    reasonOf(REASONS, 'records', {
      missing,
      beheaded: someOf(beheaded, of),
      unfinished: someOf(cut, of),
      open: cut.reduce((sum, { instance }) => sum + leftOf(instance), 0),
      uneven: uneven.slice(0, INSTANCES_NAMED),
      unevenMore: Math.max(0, uneven.length - INSTANCES_NAMED),
      isOwnCrew: isOwnCrew(runs),
    }),
  )
}

/** Those without a journal. */
function missingOf(instances: readonly InstanceTally[], of: number): SomeInstances {
  const known = new Set(instances.map(({ instance }) => instance))
  const first: { instance: number }[] = []
  for (let instance = 0; instance < of && first.length < INSTANCES_NAMED; instance++) {
    if (!known.has(instance)) first.push({ instance })
  }
  return someOf(first, of, Math.max(0, of - known.size))
}

/** Per instance: one with too few records could hide behind another with too many. */
function unevenOf(instances: readonly InstanceTally[]) {
  return instances.flatMap(({ instance, finished, endedLines: records }) => {
    const arrivals = finished?.engine.arrivals ?? records
    return arrivals === records ? [] : [{ instance, records, arrivals }]
  })
}

function journal(
  { journalErrors, journalTrouble }: Observations,
  { unreadableLines, firstUnreadable = null, doubledLines = 0 }: JournalAsRead,
): ValidityCheck {
  const measured = journalErrors + unreadableLines + doubledLines
  return validityCheck(
    { name: 'journal', unit: 'count', measured, bound: 0, ok: measured === 0 },
    reasonOf(REASONS, 'journal', {
      unwritten: journalErrors,
      trouble: journalTrouble,
      unread: unreadableLines,
      firstUnread: firstUnreadable,
      doubled: doubledLines,
    }),
  )
}

function clock({ clockSteps }: Observations): ValidityCheck {
  return validityCheck(
    { name: 'clock', unit: 'count', measured: clockSteps, bound: 0, ok: clockSteps === 0 },
    reasonOf(REASONS, 'clock', { steps: clockSteps }),
  )
}

/** Further checks are only counted. */
const PARTS_NAMED = 3

/**
 * Whether the scenario's own functions worked: their errors are not faults of the crew, and not
 * measurements of it.
 */
function scenario({ scenarioErrors }: Observations): ValidityCheck {
  const count = scenarioErrors.reduce((sum, each) => sum + each.count, 0)
  return validityCheck(
    { name: 'scenario', unit: 'count', measured: count, bound: 0, ok: count === 0 },
    reasonOf(REASONS, 'scenario', {
      errors: scenarioErrors.slice(0, PARTS_NAMED),
      more: Math.max(0, scenarioErrors.length - PARTS_NAMED),
    }),
  )
}

/** If they start further apart, the total load no longer follows the schedule. */
const APART_AT_MOST_MICROS = MICROS_PER_SECOND

/**
 * Checks that instances began together, within the errors of their anchors. Returns no check for a
 * run with a single instance.
 */
function start({ runs }: Observations): ValidityCheck[] {
  const [early, ...others] = runs.toSorted((a, b) => a.anchorUnixMs - b.anchorUnixMs)
  const late = others.at(-1)
  if (early === undefined || late === undefined) return []
  const apartMicros = (late.anchorUnixMs - early.anchorUnixMs) * MICROS_PER_MS
  const surelyMicros = apartMicros - early.anchorErrorMicros - late.anchorErrorMicros
  const [apartMs, boundMs] = [apartMicros / MICROS_PER_MS, APART_AT_MOST_MICROS / MICROS_PER_MS]
  const ok = surelyMicros <= APART_AT_MOST_MICROS
  const facts = { instances: instancesOf(runs), apartMs, boundMs, last: late.instance }
  return [
    validityCheck(
      { name: 'start', unit: 'ms', measured: apartMs, bound: boundMs, ok },
      reasonOf(REASONS, 'start', facts),
    ),
  ]
}

/** What the generator did not send, it did not measure: the load was not the planned one. */
function admission({ window }: Observations, { maxDropped }: PlanDocument): ValidityCheck {
  const { dropped } = window.outcomes
  const arrivals = due(window) + dropped
  const share = arrivals === 0 ? 0 : dropped / arrivals
  return validityCheck(
    {
      name: 'admission',
      unit: 'share',
      measured: share,
      bound: maxDropped,
      ok: share <= maxDropped,
    },
    reasonOf(REASONS, 'admission', { dropped, arrivals, bound: maxDropped }),
  )
}

/**
 * Whoever reads the folder later finds nothing, or the reports of before: the run must not pass
 * where it ended.
 */
export function invalidWithoutReports(document: ResultDocument, error: string): ResultDocument {
  const { verdict } = document
  const reason = reasonOf(REASONS, 'reports-unwritten', { of: 'run', error })
  const reasons = [reason, ...verdict.reasons]
  return { ...document, verdict: { outcome: 'invalid', valid: false, problems: 0, reasons } }
}
