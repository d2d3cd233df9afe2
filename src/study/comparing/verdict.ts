/** Reaches the verdict over runs that are compared. */
import type { ChangeOutcome, Changes, ShapesCompared } from './shapes.ts'
import { hasFailed } from './comparable.ts'
import { byNotice, undecidedOf, unmeasured } from './named-metrics.ts'
import type { ChangeReason, ChangeVerdict, RunsSaid } from './sentences.ts'
import {
  CHANGE_REASONS,
  changed,
  failedWords,
  undecidedReason,
  verdictSentence,
} from './sentences.ts'
import { reasonOf } from '../../result/sentence-tables.ts'

interface Compare extends RunsSaid {
  metrics: readonly ShapesCompared[]
}

type ChangeReached = Omit<ChangeVerdict, 'reasons'> & { reasons: ChangeReason[] }

/**
 * Returns a clause like `. But 3 of the 8 base runs failed by their own verdict`; empty if none
 * failed.
 */
export function failedBase({ base }: Pick<Changes, 'base'>): string {
  const failed = base.filter(hasFailed).length
  return failed === 0 ? '' : `. But ${failedWords(failed, base.length, 'base')}`
}

export function reachChangeVerdict(compare: Compare): ChangeReached {
  const judged = compare.metrics.filter((metric) => metric.judged)
  const outcome = outcomeOf(judged, compare)
  return {
    outcome,
    reasons: reasonsOf(judged, compare),
    sentence: verdictSentence(outcome, judged, compare),
    stated: statedBy(outcome, compare),
  }
}

function statedBy(outcome: ChangeOutcome, { obstacles }: Compare): ChangeVerdict['stated'] {
  if (outcome === 'regression') return 'worse'
  if (outcome === 'improvement') return 'better'
  return obstacles.length > 0 ? 'not-comparable' : null
}

function outcomeOf(
  judged: readonly ShapesCompared[],
  { obstacles, terms }: Compare,
): ChangeOutcome {
  if (obstacles.length > 0 || isNothingMeasured(judged)) return 'not-comparable'
  const proven = judged.filter(({ significant }) => significant)
  if (proven.some(({ direction }) => direction === 'worse')) return 'regression'
  if (proven.length > 0) return 'improvement'
  if (terms.equivalent !== null && judged.every(({ equal }) => equal === true)) return 'equal'
  return 'none-proven'
}

function isNothingMeasured(judged: readonly ShapesCompared[]): boolean {
  return unmeasured(judged).length === judged.length
}

function reasonsOf(
  judged: readonly ShapesCompared[],
  { obstacles, runs }: Compare,
): ChangeReason[] {
  const isLonely = runs.some((count) => count < 2)
  return [
    ...obstacles.map((obstacle) => reasonOf(CHANGE_REASONS, 'not-comparable', { obstacle })),
    ...(isNothingMeasured(judged)
      ? [reasonOf(CHANGE_REASONS, 'nothing-measured', {})]
      : undecidedOf(judged).flatMap((metric) => undecidedReason(metric) ?? [])),
    ...(isLonely ? [reasonOf(CHANGE_REASONS, 'one-run', {})] : []),
    ...byNotice(
      judged.filter(({ significant }) => significant),
      judged,
    ).map((metric) => reasonOf(CHANGE_REASONS, metric.direction ?? 'other', changed(metric))),
  ]
}
