/** Agreement: runs of one seed under several engines, each held against the first. */
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

/** How far apart runs of one seed may lie by default. */
export const DEFAULT_BOUNDS: AgreementBounds = {
  quantileShare: 0.05,
  leastP: 0.001,
  arrivalMicros: 1,
}

/**
 * Shares at which the figures' curves have their values: every half per cent, 0 and 1 being the
 * ends of the sample.
 */
export const ECDF_SHARES: readonly number[] = Array.from({ length: 201 }, (_, i) => i / 200)

/**
 * The first run is the reference. Counts must be equal: the fake crew draws from (profile, seed,
 * order of acceptance), so that the set of executions is the same whoever starts them. Times must
 * be alike, not equal: polls meet the end of an execution in another phase, and close kickoffs may
 * overtake each other. The test of Kolmogorov and Smirnov takes values for independent, which those
 * of one run are not: what a run has of its own, a millisecond more for every request, it finds
 * however little that matters. So it decides by what lies further apart than the bound of
 * quantiles, as well as by p. It is no way to compare runs of different seeds, whose unit is the
 * run and not the request.
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

/** What the runs themselves do not tell. */
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
 * Kickoffs alone, against the bound for all requests of the run's own plan; late when no chance
 * explains it, as in the run's own check.
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
