/** Conducts a comparison: reads the runs, and writes the document of what changed. */
import { readsOnly } from '../../frame/conduct/conducting.ts'
import type { Conducting } from '../../frame/conduct/conducting.ts'
import type { ComparisonDocument } from './document.ts'
import type { ComparisonOptions, ComparisonPlan } from './options.ts'
import { COMPARISON } from './options.ts'
import { comparison } from './study.ts'
import type { ComparedSides, StoredResult } from '../comparable.ts'
import { apart, doubts, obstacles } from '../comparable.ts'
import { changesBetween, metricsOf } from '../compare.ts'
import type { Terms, ShapesCompared } from '../shapes.ts'
import { failedBase, reachVerdict } from '../verdict.ts'
import type { StudyFacts } from '../../frame/envelope.ts'
import { findingsBy } from '../../frame/findings.ts'
import { FINDINGS } from './document.ts'
import type { Metric } from '../../../result/document.ts'
import { findMetric } from '../../../report/run/sections/waits/rows.ts'
import { formatShare } from '../../../base/numbers.ts'
import { compareAll } from '../metrics.ts'
import { UserError } from '../../../base/mistakes.ts'
import type { Mistake } from '../../../base/mistakes.ts'
import { judgedOf, termsOf } from '../options.ts'
import { readResult } from '../../frame/conduct/results.ts'

export const conducting: Conducting<
  ComparisonOptions,
  ComparisonDesign,
  ComparisonPlan,
  ComparisonDocument
> = {
  study: comparison,
  table: COMPARISON,
  design: designComparison,
  plan: ({ plan }) => plan,
  name: ({ sides }) => `${sides.new[0]?.result.run.scenario ?? 'runs'}-comparison`,
  ...readsOnly(),
  measure: async ({ design: { sides, plan }, facts }) =>
    analyseComparison(sides, { judged: plan.judged, terms: plan.terms, facts: facts() }),
}

/** Makes the document of what changed from the runs of one side to those of the other. */
export function analyseComparison(
  sides: ComparedSides,
  { judged, terms, facts }: { judged: readonly string[]; terms: Terms; facts: StudyFacts },
): ComparisonDocument {
  const { base, new: next } = sides
  const changes = changesBetween(sides, judged, terms)
  const { metrics } = changes
  const { run } = next[0]!.result
  const verdict = reachVerdict({
    metrics,
    obstacles: obstacles(sides),
    terms,
    runs: [base.length, next.length],
    caveat: failedBase(changes),
  })
  const isProven = verdict.outcome === 'regression' || verdict.outcome === 'improvement'
  return {
    schema: 'crewload/comparison/1',
    study: 'comparison',
    ...facts,
    target: run.target,
    profile: run.profile,
    scenario: run.scenario,
    seed: null,
    findings: [
      ...doubts(sides),
      ...findingsBy(
        FINDINGS,
        [
          ['sides-apart', () => (isProven ? apart(sides) : null)],
          ['longer-at-load', () => longerAtLoad(sides, terms)],
        ],
        null,
      ),
    ],
    verdict,
    ...changes,
  }
}

/** Loads that differ by less are one load. */
const HIGHER = 1.2

/** Null unless both sides are runs of one crew, and the whole interval is longer. */
export function longerAtLoad({ base, new: next }: ComparedSides, terms: Terms): string | null {
  const runs = [...base, ...next]
  if (new Set(runs.map(({ result: { run } }) => run.profile ?? run.target)).size > 1) return null
  const load = loadRatio(compareAll(metricsOf(base), metricsOf(next), [LOAD], terms))
  if (load === null || (load < HIGHER && load > 1 / HIGHER)) return null
  const work = ratioOf(compareAll(workOf(base), workOf(next), [WORK], terms))
  if (work === null) return null
  const longer = load > 1 ? work : inverse(work)
  const { value, low, high } = longer
  if (low === null || high === null || low <= 1) return null
  const more = Math.max(load, 1 / load).toFixed(1)
  const ledgers = runs.filter(({ result }) => result.distributions['queue'] !== undefined).length
  const source =
    ledgers === runs.length
      ? 'by the ledger'
      : `as the crew reports${ledgers === 0 ? '' : ', or by the ledger where there is one'}`
  return (
    `at ${more} times the load, executions are ${percent(value)} longer at work (median, ` +
    `${percent(low)} to ${percent(high)}), ${source}: something that all of them share may ` +
    'delay them, such as a quota of a language model or a processor; crewload capacity finds ' +
    'how far that limits the crew'
  )
}

const LOAD = 'throughput.accepted'
const WORK = 'running.p50'

function workOf(side: readonly StoredResult[]): Record<string, Metric>[] {
  return side.map(({ result }) => {
    const metric = findMetric(result, 'running', 'p50')
    return metric === null ? {} : { [WORK]: metric }
  })
}

interface Ratio {
  value: number
  low: number | null
  high: number | null
}

function loadRatio([compared]: readonly ShapesCompared[]): number | null {
  const [before, after] = [compared!.base.typical, compared!.new.typical]
  return typeof before === 'number' && typeof after === 'number' ? over(after, before) : null
}

/** Of the first; for single runs, within the ends of their own intervals. */
function ratioOf([compared]: readonly ShapesCompared[]): Ratio | null {
  const { change, base, new: next } = compared!
  if (change === null || !('ratio' in change)) return null
  const { ratio: value, low, high } = change
  if (Math.max(base.runs, next.runs) > 1) return { value, low, high }
  const [least, most] = [over(next.low, base.high), over(next.high, base.low)]
  return { value, low: least, high: most }
}

function over(one: number | null, other: number | null): number | null {
  return one === null || other === null || other === 0 ? null : one / other
}

function inverse({ value, low, high }: Ratio): Ratio {
  return { value: 1 / value, low: over(1, high), high: over(1, low) }
}

function percent(ratio: number): string {
  return formatShare(Number((ratio - 1).toFixed(3)))
}

/** Plans a comparison: reads the runs of both sides; sends nothing. */
interface ComparisonDesign {
  plan: ComparisonPlan
  sides: ComparedSides
}

/** Throws UserError with every mistake. */
async function designComparison(options: ComparisonOptions): Promise<ComparisonDesign> {
  const mistakes: Mistake[] = []
  const terms = termsOf(options, mistakes)
  const base = await readSide(options.base, 'BASE', mistakes)
  const next = await readSide(options.new, 'NEW', mistakes)
  const sides = { base, new: next }
  const judged = judgedOf(options, [...base, ...next], mistakes)
  mistakes.push(...twice(sides))
  if (mistakes.length > 0) throw new UserError(mistakes)
  return { plan: { base: options.base, new: options.new, judged, terms }, sides }
}

async function readSide(
  paths: readonly string[],
  side: string,
  mistakes: Mistake[],
): Promise<StoredResult[]> {
  if (paths.length === 0) {
    mistakes.push({ source: side, path: '', problem: 'expected at least one run folder' })
  }
  const read: StoredResult[] = []
  for (const folder of paths) {
    try {
      read.push({ folder, result: await readResult(folder) })
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      mistakes.push(...error.mistakes)
    }
  }
  return read
}

/** Finds runs that are named on both sides, or twice on one, since they would count as two. */
function twice({ base, new: next }: ComparedSides): Mistake[] {
  const seen = new Map<string, string>()
  return [...base, ...next].flatMap(({ folder, result: { run } }) => {
    const known = seen.get(run.id)
    seen.set(run.id, folder)
    if (known === undefined || run.id === '') return []
    return [{ source: folder, path: '', problem: `is the same run as ${known} (id ${run.id})` }]
  })
}
