/**
 * Decides whether a run is VALID or INVALID: each check with its bound, and the reason if it fails.
 */
import { formatShare } from '../../base/units.ts'
import type { GeneratorCheck } from '../document.ts'
import { due } from '../metrics/counts.ts'
import { formatCount, plural } from '../metrics/format.ts'
import { checkStart } from './instances.ts'
import { checkLateness } from './lateness.ts'
import type { LatenessPlan } from './lateness.ts'
import { noteReasons } from '../notes.ts'
import type { Observations } from '../observations.ts'
import type { PlanDocument } from '../../scenario/plan.schema.ts'
import { checkRecords } from './records-check.ts'
import { checkScenario } from './scenario-check.ts'
import type { TrustCheck } from './trust-check.ts'
import { checkUtilisation } from './utilisation.ts'
import type { RunReason } from '../findings-and-reasons.ts'

export interface ValidityResult {
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
