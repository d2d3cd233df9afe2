/** Compares the judged metrics by ranks alone. The result is shown, but decides nothing. */
import type { Metric } from '../../../result/document.ts'
import { compareRanks } from '../../../result/statistics/comparing/two-ranks.ts'
import type { SideMetrics } from './metrics.ts'
import type { Change, Changes } from './shapes.ts'

/** The shifts by rank of metrics that 2 to 20 runs measured on each side. */
export function rankShifts(
  base: SideMetrics,
  next: SideMetrics,
  names: readonly string[],
): Changes['ranks'] {
  return names.flatMap((name) => {
    const [first, second] = [measured(base, name), measured(next, name)]
    if (Math.min(first.length, second.length) < 2) return []
    const isShare = first[0]!.unit === 'share'
    const found = compareRanks(first.map(valueOf), second.map(valueOf))
    if (found === null) return []
    // Ranks are those of the values; the shift of a time is a ratio, hence the logarithms.
    const shift = isShare ? found : compareRanks(first.map(logOf), second.map(logOf))!
    return [{ name, p: found.p, change: changeOf(shift, isShare) }]
  })
}

function measured(side: SideMetrics, name: string): Metric[] {
  return side.flatMap((run) => run[name] ?? []).filter(({ value }) => value !== null)
}

function valueOf({ value }: Metric): number {
  return value === 'never' ? Infinity : value!
}

function logOf(metric: Metric): number {
  return Math.log(valueOf(metric))
}

function changeOf(
  { value, low, high }: NonNullable<ReturnType<typeof compareRanks>>,
  isShare: boolean,
): Change | null {
  if (value === null || low === null || high === null) return null
  return isShare
    ? { difference: value, low, high }
    : { ratio: Math.exp(value), low: Math.exp(low), high: Math.exp(high) }
}
