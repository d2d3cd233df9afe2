/**
 * Requests of this study to other operations, or of its preparation: they may have used up the same
 * limit. What became of them is known, and they are no evidence: their limit may be another one.
 */
import type { LimitEvidence, Observed } from '../interface.ts'
import type { RequestGroup, Grouped } from './group.ts'
import { emptyGroup } from './group.ts'
import { burstOf } from './bursts.ts'

/** As if all of them had used up the limit that the groups met. */
export function withSharedUse(grouped: Grouped, earlier: LimitEvidence): Grouped {
  const wayMs = grouped.timing.usualMs / 2
  const bursts = new Map<number, Observed[]>()
  for (const each of earlier) {
    if (each.answer === 'failed') continue
    const burst = bursts.get(burstOf(each))
    if (burst === undefined) bursts.set(burstOf(each), [each])
    else burst.push(each)
  }
  const first = grouped.groups[grouped.settled]
  const groups = [...[...bursts.values()].map((burst) => groupOf(burst, wayMs)), ...grouped.groups]
  groups.sort((a, b) => a.firstMs - b.firstMs)
  const settled = first === undefined ? Infinity : groups.indexOf(first)
  return { ...grouped, groups, settled }
}

/** Those that were let in come first, as in a burst that uses the limit up. */
function groupOf(burst: readonly Observed[], wayMs: number): RequestGroup {
  const times = burst.map(({ sentMs }) => sentMs + wayMs)
  const [firstMs, lastMs] = [Math.min(...times), Math.max(...times)]
  const accepted = burst.filter(({ answer }) => answer === 'accepted').length
  const refused = burst.length - accepted
  return {
    ...emptyGroup(firstMs, lastMs),
    accepted,
    refused,
    ...(accepted > 0 ? { lastAcceptedMs: lastMs } : {}),
    ...(refused > 0 ? { firstRefusedMs: lastMs, lastRefusedMs: lastMs } : {}),
    isOthers: true,
  }
}
