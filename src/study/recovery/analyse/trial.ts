/**
 * Analyses one trial of a recovery test: service over time, amplification, backlog, its outcome,
 * and its course as a figure shows it.
 */
import { unreachable } from '../../../base/assert.ts'
import { isUnsent } from '../../../execution/machine.ts'
import type { ExecutionRecord } from '../../../execution/record/record.ts'
import { requestsIn } from '../../../execution/record/request.ts'
import type { Micros } from '../../../base/units.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../../base/units.ts'
import type { Quantity } from '../../../result/document.ts'
import { toRunClock } from '../../../result/clock.ts'
import type { Ledger } from '../../../result/ledger/reconcile.ts'
import type { RunReader } from '../../frame/executions/reader.ts'
import type { PhaseRatios, RecoveryTrial, RecoveryCourse } from '../document.ts'
import type { Unclear } from '../sentences.ts'
import type {
  Disturbance,
  Recovery,
  RecoveryState,
  Service,
} from '../../../result/ledger/recovery-time.ts'
import {
  FEWEST_WANTED,
  RESTORED_SHARE,
  recoveryOf,
  servedShareOf,
} from '../../../result/ledger/recovery-time.ts'
import { shareInterval } from '../../../result/statistics/shares.ts'

/** One arrival, as far as recovery is concerned. */
export interface ArrivalSeen {
  intendedMicros: Micros
  /** When each kickoff was handed over to be sent. */
  attemptsMicros: readonly Micros[]
  endedMicros: Micros
  /**
   * Whether it completed within its deadline, counted from its intended time: a user waits in any
   * case.
   */
  served: boolean
  /** Whether it was never sent because the run was stopped or its budget was spent. */
  dropped: boolean
}

export function visitOf(record: ExecutionRecord, deadlineMicros: Micros): ArrivalSeen {
  const { intendedMicros, endedMicros, outcome, kickoff } = record
  return {
    intendedMicros,
    endedMicros,
    attemptsMicros: requestsIn(kickoff, intendedMicros).map(
      ({ sentMicros, waitMicros }) => sentMicros - waitMicros,
    ),
    served: outcome === 'completed' && endedMicros - intendedMicros <= deadlineMicros,
    dropped: isUnsent(outcome) || outcome === 'aborted',
  }
}

/** One kickoff that the crew accepted, on the run's clock. */
interface CrewStart {
  acceptedMicros: Micros
  /** Infinity when it never started. */
  startedMicros: Micros
  endedMicros: Micros
}

export function startsOf({ rows, clock }: Ledger): CrewStart[] {
  const at = (ms: number | null): Micros => (ms === null ? Infinity : toRunClock(ms, clock))
  return rows.map(({ accepted_ms: accepted, started_ms: started, ended_ms: ended }) => ({
    acceptedMicros: at(accepted),
    startedMicros: at(started),
    endedMicros: at(ended),
  }))
}

/** Everything that was observed in one run of the scenario. */
export interface RunSeen {
  visits: readonly ArrivalSeen[]
  /** Null without a ledger. */
  starts: readonly CrewStart[] | null
}

export function visitsSeenIn(
  { ended }: RunReader,
  ledger: Ledger | null,
  deadlineMicros: Micros,
): RunSeen {
  return {
    visits: ended.map((record) => visitOf(record, deadlineMicros)),
    starts: ledger === null ? null : startsOf(ledger),
  }
}

export interface TrialFacts {
  seed: number
  run: RunSeen
  /** The run with the same seed without the trigger; null for none. */
  control: RunSeen | null
  span: Disturbance
  stepMicros: Micros
  withinMicros: Micros
}

export function measureTrial(facts: TrialFacts): RecoveryTrial {
  const { seed, run, control, span, stepMicros } = facts
  const recovery = recoveryOf(serviceOf(run.visits, stepMicros), span)
  const after = lastQuarter(span)
  const servedControl =
    control === null ? null : servedShare(control.visits, [span.fromMicros, span.untilMicros])
  const { windowMicros, state } = recovery
  const outcome = outcomeOf(facts, recovery, servedControl)
  const isBack = outcome.why === null && state.kind === 'recovered'
  return {
    seed,
    ...outcome,
    before: recovery.former,
    windowMs: windowMicros === null ? null : windowMicros / MICROS_PER_MS,
    recoveryMs: isBack ? state.afterMicros / MICROS_PER_MS : null,
    servedTrigger: servedShare(run.visits, [span.fromMicros, span.toMicros]),
    servedAfter: servedShare(run.visits, after),
    servedControl,
    attempts: ratios(
      run.visits.flatMap(({ attemptsMicros }) => attemptsMicros),
      run.visits,
      span,
    ),
    started:
      run.starts === null
        ? null
        : ratios(
            run.starts.map(({ acceptedMicros }) => acceptedMicros),
            run.visits,
            span,
          ),
    backlog: run.starts === null ? null : backlogOf(run.starts, span),
    inFlightEnd: run.visits.filter((visit) => isUnderWay(visit, span.untilMicros)).length,
  }
}

function serviceOf(visits: readonly ArrivalSeen[], stepMicros: Micros): Service {
  const last = visits.reduce((most, { intendedMicros }) => Math.max(most, intendedMicros), 0)
  const wanted = Array.from({ length: Math.floor(last / stepMicros) + 1 }, () => 0)
  const served = wanted.map(() => 0)
  const unresolved = wanted.map(() => 0)
  for (const visit of visits) {
    const step = Math.floor(visit.intendedMicros / stepMicros)
    const counts = visit.dropped ? unresolved : wanted
    counts[step]! += 1
    if (visit.served) served[step]! += 1
  }
  return { stepMicros, wanted, served, unresolved }
}

type TrialOutcome = Pick<RecoveryTrial, 'outcome' | 'why'>

function unclear(why: Unclear): TrialOutcome {
  return { outcome: 'unclear', why }
}

function outcomeOf(
  { run, span, withinMicros }: TrialFacts,
  { former, state }: Recovery,
  servedControl: Quantity | null,
): TrialOutcome {
  const cut = run.visits.some(
    ({ dropped, intendedMicros }) => dropped && intendedMicros < span.untilMicros,
  )
  if (cut) return unclear({ code: 'cut-short' })
  const carried = servedControl?.value ?? 1
  if (carried < RESTORED_SHARE * servedShareOf(former)) {
    return unclear({ code: 'degraded-anyway' })
  }
  if (former.wanted < FEWEST_WANTED) {
    return unclear({ code: 'few-before', arrivals: former.wanted, needed: FEWEST_WANTED })
  }
  return stateOutcome(state, withinMicros)
}

function stateOutcome(state: RecoveryState, withinMicros: Micros): TrialOutcome {
  switch (state.kind) {
    case 'recovered': {
      const slow = state.afterMicros > withinMicros
      return { outcome: slow ? 'recovers-slowly' : 'recovers', why: null }
    }
    case 'not-recovered':
      return { outcome: 'does-not-recover', why: null }
    case 'too-few':
      return unclear({ code: 'few-in-window', needed: state.needed })
    case 'unsteady':
    case 'overloaded':
      return unclear({ code: state.kind })
    default:
      return unreachable(state)
  }
}

function lastQuarter({ toMicros, untilMicros }: Disturbance): [Micros, Micros] {
  return [untilMicros - (untilMicros - toMicros) / 4, untilMicros]
}

function servedShare(
  visits: readonly ArrivalSeen[],
  [from, to]: readonly [Micros, Micros],
): Quantity {
  const wanted = visits.filter(
    ({ intendedMicros }) => intendedMicros >= from && intendedMicros < to,
  )
  return shareOfAll(wanted.filter((visit) => visit.served).length, wanted.length)
}

export function shareOfAll(count: number, n: number): Quantity {
  const { low = null, high = null } = shareInterval(count, n) ?? {}
  return { value: n === 0 ? null : count / n, unit: 'share', low, high, n, needed: null }
}

/** The number of these events in each phase, per arrival in that phase. */
function ratios(
  happenedMicros: readonly Micros[],
  visits: readonly ArrivalSeen[],
  span: Disturbance,
): PhaseRatios {
  const intended = visits.map(({ intendedMicros }) => intendedMicros)
  const ratio = (from: Micros, to: Micros): number | null => {
    const wanted = countWithin(intended, from, to)
    return wanted === 0 ? null : countWithin(happenedMicros, from, to) / wanted
  }
  return {
    before: ratio(span.steadyFromMicros, span.steadyToMicros),
    trigger: ratio(span.fromMicros, span.toMicros),
    after: ratio(...lastQuarter(span)),
  }
}

function countWithin(times: readonly Micros[], from: Micros, to: Micros): number {
  return times.reduce((count, time) => (time >= from && time < to ? count + 1 : count), 0)
}

function isUnderWay({ intendedMicros, endedMicros }: ArrivalSeen, atMicros: Micros): boolean {
  return intendedMicros <= atMicros && endedMicros > atMicros
}

function backlogOf(starts: readonly CrewStart[], span: Disturbance): RecoveryTrial['backlog'] {
  const steps = 1_000
  const stepMicros = (span.untilMicros - span.fromMicros) / steps
  const levels = levelsOf(starts.map(waitOf), { fromMicros: span.fromMicros, stepMicros, steps })
  return { peak: levels.reduce((most, level) => Math.max(most, level), 0), end: levels.at(-1) ?? 0 }
}

/** A stay from one time until another; Infinity for no end. */
type CrewStay = readonly [fromMicros: Micros, toMicros: Micros]

/** The number of stays that continue at the end of each step. */
function levelsOf(
  stays: readonly CrewStay[],
  { fromMicros, stepMicros, steps }: { fromMicros: Micros; stepMicros: Micros; steps: number },
): number[] {
  const changes = Array.from({ length: steps + 1 }, () => 0)
  const stepAt = (micros: Micros): number =>
    Math.min(steps, Math.max(0, Math.ceil((micros - fromMicros) / stepMicros) - 1))
  for (const [from, to] of stays) {
    changes[stepAt(from)]! += 1
    changes[stepAt(to)]! -= 1
  }
  let level = 0
  return changes.slice(0, steps).map((change) => (level += change))
}

/** The number of columns that a figure can show. */
const COLUMNS = 240
const NICE_STEP_MICROS = 100_000

interface CourseFacts {
  trial: RecoveryTrial
  run: RunSeen
  control: RunSeen | null
  span: Disturbance
}

export function courseOf({ trial, run, control, span }: CourseFacts): RecoveryCourse {
  const fromMicros = span.steadyFromMicros
  const lengthMicros = span.untilMicros - fromMicros
  const stepMicros = Math.max(
    NICE_STEP_MICROS,
    Math.ceil(lengthMicros / COLUMNS / NICE_STEP_MICROS) * NICE_STEP_MICROS,
  )
  const grid = { fromMicros, stepMicros, steps: Math.floor(lengthMicros / stepMicros) }
  const { visits, starts } = run
  const { recoveryMs } = trial
  return {
    seed: trial.seed,
    outcome: trial.outcome,
    fromMs: ms(fromMicros),
    stepMs: ms(stepMicros),
    triggerFromMs: ms(span.fromMicros),
    triggerToMs: ms(span.toMicros),
    restoredMs: recoveryMs === null ? null : ms(span.toMicros) + recoveryMs,
    wantedPerSecond: rates(visits.map(wantedAt), grid),
    goodputPerSecond: goodput(visits, grid),
    controlPerSecond: control === null ? null : goodput(control.visits, grid),
    attemptsPerSecond: rates(
      visits.flatMap(({ attemptsMicros }) => attemptsMicros),
      grid,
    ),
    inFlight: levelsOf(
      visits.map((visit): CrewStay => [visit.intendedMicros, visit.endedMicros]),
      grid,
    ),
    waiting: starts === null ? null : levelsOf(starts.map(waitOf), grid),
    running: starts === null ? null : levelsOf(starts.map(workOf), grid),
  }
}

function ms(micros: Micros): number {
  return micros / MICROS_PER_MS
}

interface Grid {
  fromMicros: Micros
  stepMicros: Micros
  steps: number
}

function goodput(visits: readonly ArrivalSeen[], grid: Grid): number[] {
  const served = visits.filter((visit) => visit.served)
  return rates(served.map(wantedAt), grid)
}

function wantedAt({ intendedMicros }: ArrivalSeen): Micros {
  return intendedMicros
}

function waitOf({ acceptedMicros, startedMicros }: CrewStart): CrewStay {
  return [acceptedMicros, startedMicros]
}

function workOf({ startedMicros, endedMicros }: CrewStart): CrewStay {
  return [startedMicros, endedMicros]
}

/** Events per second in each step. */
function rates(times: readonly Micros[], { fromMicros, stepMicros, steps }: Grid): number[] {
  const counts = Array.from({ length: steps }, () => 0)
  for (const time of times) {
    const step = Math.floor((time - fromMicros) / stepMicros)
    if (step >= 0 && step < steps) counts[step]! += 1
  }
  return counts.map((count) => (count * MICROS_PER_SECOND) / stepMicros)
}
