/** What structure the evidence has: re-admissions, and the limits that refusals imply. */
import type { Random } from '../../../../../base/random.ts'
import type { RequestGroup, Grouped } from '../evidence/group.ts'
import { isOfRequests } from '../evidence/group.ts'
import type { Clues, Hypothesis, Parameters } from '../hypotheses/hypothesis.ts'
import { parametersOf } from '../hypotheses/hypothesis.ts'
import type { SearchWork } from './work.ts'

/** No state ever refuses at this limit. */
const UNLIMITED = 1e9

export function cluesFor(
  hypothesis: Hypothesis,
  { groups, timing: { sigmaMs }, turn, promise }: Grouped,
  random: Random,
  work: SearchWork,
): Clues {
  return {
    groups,
    turn,
    promise,
    readmissions: readmissionsIn(groups),
    sigmaMs,
    random,
    limitsOf: (parameters) => {
      if (promise !== null) return [promise.limit]
      work.spend(groups.length)
      return limitsOf(hypothesis, parameters, groups, sigmaMs)
    },
  }
}

export function readmissionsIn(
  groups: readonly RequestGroup[],
): { fromMs: number; toMs: number }[] {
  let refused: RequestGroup | null = null
  return groups.slice(1).flatMap((group, i) => {
    const before = groups[i]!
    if (isOfRequests(before)) refused = before.refused > 0 ? before : null
    if (refused !== null && group.accepted > 0) {
      return [{ fromMs: refused.lastRefusedMs, toMs: group.firstMs }]
    }
    if (before.left === null || group.left === null) return []
    const isMore = group.accepted + group.left.count > before.left.count
    return isMore ? [{ fromMs: before.left.fromMs, toMs: group.firstMs }] : []
  })
}

function limitsOf(
  hypothesis: Hypothesis,
  parameters: Parameters,
  groups: readonly RequestGroup[],
  sigmaMs: number,
): readonly number[] {
  const model = hypothesis.model(parametersOf(parameters, { limit: UNLIMITED }), sigmaMs)
  const state = model.fresh()
  const implied: number[] = []
  let least = 1
  for (const group of groups) {
    const used = model.used(state, group.firstMs) + group.accepted
    if (group.refused > 0 && !Number.isNaN(used)) implied.push(used)
    else if (group.accepted > 0 && used > least) least = Math.floor(used)
    model.advance(state, group, group.refused)
  }
  if (implied.length === 0) return [least]
  implied.sort((a, b) => a - b)
  const middle = implied[implied.length >> 1]!
  const limits = new Set(
    [implied[0]!, middle, Math.ceil(middle), implied.at(-1)!, least].map(Math.floor),
  )
  return [...limits].filter((limit) => limit >= 1)
}
