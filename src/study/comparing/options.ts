/** The options of every comparison of runs: which metrics it judges, and which change counts. */
import { nearestName } from '../../base/mistakes.ts'
import type { Mistake } from '../../base/mistakes.ts'
import { text } from '../../base/options/kinds.ts'
import type { OptionsOf, OptionTable } from '../../base/options/table.ts'
import { kept } from '../../base/options/table.ts'
import { parseShare } from '../../base/units.ts'
import type { StoredResult } from './comparable.ts'
import type { Terms } from './shapes.ts'

/**
 * The metrics that are judged by default. They are few, because each further one costs all of them
 * power.
 */
export const DEFAULT_JUDGED = [
  'execution.p50',
  'execution.p95',
  'kickoff.response.p95',
  'outcome.unserved',
  'execution.failed',
] as const

export const CHANGE = {
  /** Names of metrics. */
  metrics: kept('--metrics <names>', 'judged metrics, separated by commas', text, {
    otherwise: DEFAULT_JUDGED.join(', '),
  }),
  smallestChange: kept('--min-change <share>', 'smallest change that counts', text, {
    otherwise: '"5%"',
  }),
  equivalent: kept(
    '--equivalent <share>',
    'test whether both sides are the same within a margin, like "5%"',
    text,
  ),
} satisfies OptionTable

type ChangeOptions = OptionsOf<typeof CHANGE>

/** The fewest runs per side: with fewer, their spread is not known well enough. */
export const FEWEST_RUNS = 3
/** The most runs per side in one gate. */
export const MOST_RUNS = 100

const SMALLEST_CHANGE = 0.05
/** One percentage point. */
const SMALLEST_DIFFERENCE = 0.01
const LEVEL = 0.01

/** What all comparisons count. */
export function termsOf(
  { smallestChange }: Pick<ChangeOptions, 'smallestChange'>,
  mistakes: Mistake[],
): Omit<Terms, 'equivalent'> {
  return {
    smallestChange: shareOptionOf('--min-change', smallestChange, mistakes) ?? SMALLEST_CHANGE,
    smallestDifference: SMALLEST_DIFFERENCE,
    level: LEVEL,
  }
}

/** Null if nothing was given, or nothing valid. */
export function shareOptionOf(
  source: string,
  share: string | undefined,
  mistakes: Mistake[],
): number | null {
  if (share === undefined) return null
  const value = parseShare(share)
  if (value !== undefined && value > 0 && value <= 1) return value
  const problem = `must be more than 0 and at most 100 %, like "5%" (found "${share}")`
  mistakes.push({ source, problem })
  return null
}

/** The judged metrics. A name that none of `runs` measured is a mistake, if there are runs. */
export function judgedMetrics(
  { metrics }: ChangeOptions,
  runs: readonly StoredResult[],
  mistakes: Mistake[],
): readonly string[] {
  if (metrics === undefined) return DEFAULT_JUDGED
  const known = [...new Set(runs.flatMap(({ result }) => Object.keys(result.metrics)))]
  const names = metrics.split(',').map((name) => name.trim())
  for (const name of names.filter((each) => known.length > 0 && !known.includes(each))) {
    const nearest = nearestName(name, known)
    const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`
    const problem = `no run has a metric "${name}"${hint}`
    mistakes.push({ source: '--metrics', problem })
  }
  return [...new Set(names)]
}
