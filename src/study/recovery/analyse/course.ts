/** The course of one trial over time, as its figure shows it. */
import type { Micros } from '../../../base/units.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../../base/units.ts'
import type { RecoveryCourse, RecoveryTrial } from '../document.ts'
import type { RunSeen, CrewStart, CrewStay, ArrivalSeen } from './trial.ts'
import { levelsOf } from './trial.ts'
import type { Disturbance } from '../../../result/ledger/recovery-time.ts'

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
