/** Agreement: runs of one seed under several engines, each compared with the first. */
import type { Micros } from '../../../base/units.ts'
import { MICROS_PER_MS } from '../../../base/units.ts'
import type { StudyFacts } from '../../frame/envelope.ts'
import type { ComparedRun } from './aspects.ts'
import { ascending, atShare, compare, executionTimes, outcomesOf } from './aspects.ts'
import type {
  AgreementBounds,
  AgreementDocument,
  AgreementRun,
  KickoffSchedule,
} from '../document.ts'
import { reachAgreement } from './verdict.ts'
import { areTooMany } from '../../../analysis/validity/lateness.ts'
import { planFacts } from '../../../analysis/plan-facts.ts'

/** The default bounds of the differences between runs of one seed. */
export const DEFAULT_BOUNDS: AgreementBounds = {
  quantileShare: 0.05,
  leastP: 0.001,
  arrivalMicros: 1,
}

/**
 * The shares at which the figures' curves have values: every half per cent, including 0 and 1, the
 * ends of the sample.
 */
export const ECDF_SHARES: readonly number[] = Array.from({ length: 201 }, (_, i) => i / 200)

/**
 * The first run is the reference. Counts must be equal: the fake crew draws from (profile, seed,
 * order of acceptance), so the set of executions does not depend on the engine. Times must be
 * similar, not equal: polls meet the end of an execution in another phase, and close kickoffs may
 * overtake each other.
 *
 * The Kolmogorov-Smirnov test assumes independent values, which those of one run are not: it
 * detects any peculiarity of a run, such as one more millisecond for every request, however little
 * that matters. So the decision requires a distance above the bound on quantiles, in addition to p.
 * This is not a method for comparing runs of different seeds, where the unit is the run, not the
 * request.
 */
export function analyseAgreement(
  compared: readonly ComparedRun[],
  bounds: AgreementBounds,
  facts: AgreementFacts,
): AgreementDocument {
  const [reference, ...others] = compared
  const runs = compared.map(runOf)
  const comparisons =
    reference === undefined ? [] : others.map((other) => compare(reference, other, bounds))
  return {
    schema: 'crewload/agreement/2',
    study: 'agreement',
    ...facts,
    verdict: reachAgreement(runs, comparisons, facts.ended),
    target: reference?.document.run.target ?? facts.target,
    bounds,
    trials: runs,
    comparisons,
    findings: [],
  }
}

/** The facts that the runs themselves do not contain. */
export type AgreementFacts = StudyFacts &
  Pick<AgreementDocument, 'target' | 'profile' | 'scenario' | 'seed' | 'speed'>

function runOf(compared: ComparedRun): AgreementRun {
  const { name, folder, document, detectionMicros } = compared
  const { run, ledger } = document
  return {
    name,
    folder,
    engine: run.engine,
    instances: run.instances,
    id: run.id,
    durationMs: run.durationMs,
    stopped: run.stopped,
    verdict: document.verdict,
    arrivals: compared.executions.length,
    warmUpArrivals: document.warmUpArrivals,
    outcomes: outcomesOf(compared),
    schedule: scheduleOf(compared),
    ledger:
      ledger === null
        ? null
        : {
            rows: ledger.rows,
            agreed: ledger.agreed,
            disagreements: ledger.disagreements.reduce((sum, { count }) => sum + count, 0),
            clockErrorMs: compared.clockErrorMicros / MICROS_PER_MS,
          },
    curves: {
      execution: curve(executionTimes(compared)),
      detectionDelay: curve(detectionMicros),
    },
  }
}

/**
 * Kickoffs alone, against the lateness bound for all requests of the run's own plan. A run counts
 * as late when chance does not explain it, as in the run's own check.
 */
function scheduleOf({ executions, document }: ComparedRun): KickoffSchedule | null {
  const late = ascending(executions.flatMap(({ lateMicros }) => lateMicros ?? []))
  if (late.length === 0) return null
  const bound = planFacts(document.plan).validity.latenessP99Micros
  const p99Ms = atShare(late, 0.99) / MICROS_PER_MS
  const p50Ms = atShare(late, 0.5) / MICROS_PER_MS
  const beyond = late.filter((micros) => micros > bound).length
  const ok = !areTooMany(beyond, late.length)
  return { n: late.length, p50Ms, p99Ms, boundMs: bound / MICROS_PER_MS, ok }
}

function curve(micros: readonly Micros[]): number[] {
  if (micros.length === 0) return []
  const sorted = ascending(micros)
  return ECDF_SHARES.map((share) => atShare(sorted, share) / MICROS_PER_MS)
}
