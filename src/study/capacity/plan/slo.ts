/** The promises to users: `execution.p95 < 120s, outcome.unserved < 2%`. */
import type { Mistake } from '../../../base/mistakes.ts'
import { atSpeed, parseThreshold } from '../../../scenario/thresholds/thresholds.ts'
import type { Criterion } from '../analyse/model/criteria.ts'
import { ANSWERABLE, criterionOf } from '../analyse/model/criteria.ts'
import type { CapacityOptions } from '../options.ts'

const SOURCE = '--slo'

/** Adds every mistake to `mistakes`. A time-lapse divides their times. */
export function criteriaOf(
  { slo, run: { speed = 1 } }: Pick<CapacityOptions, 'slo' | 'run'>,
  mistakes: Mistake[],
): Criterion[] {
  const parts = slo.split(',').map((part) => part.trim())
  return parts.flatMap((part) => {
    const [, metric, comparison] = /^([^\s<>]+)\s*([<>].*)$/.exec(part) ?? []
    if (metric === undefined || comparison === undefined) {
      const problem = 'expected promises like "execution.p95 < 120s, outcome.unserved < 2%"'
      mistakes.push({ source: SOURCE, path: '', found: `"${part}"`, problem })
      return []
    }
    const threshold = parseThreshold(metric, comparison)
    if ('problem' in threshold) {
      const { problem, nearest } = threshold
      const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`
      mistakes.push({ source: SOURCE, path: metric, found: part, problem: `${problem}${hint}` })
      return []
    }
    const criterion = criterionOf(atSpeed(threshold, speed))
    if (criterion !== null) return criterion
    const problem = isUpsideDown(metric, comparison)
      ? 'sets a lower bound on a metric that should be small: write < instead of >'
      : `is unknown before the load is applied; expected one of ${ANSWERABLE}`
    mistakes.push({ source: SOURCE, path: metric, found: part, problem })
    return []
  })
}

/** Whether it would be a promise if its bound were an upper one. */
function isUpsideDown(metric: string, comparison: string): boolean {
  if (!comparison.startsWith('>')) return false
  const turned = parseThreshold(metric, comparison.replace('>', '<'))
  return !('problem' in turned) && criterionOf(turned) !== null
}
