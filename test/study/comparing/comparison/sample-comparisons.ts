/** Comparisons of runs that were never made, on the document of a run that was. */
import type { DistributionResult, ResultDocument } from '../../../../src/result/document.ts'
import { reasonOf } from '../../../../src/result/sentence-tables.ts'
import { REASONS } from '../../../../src/result/sentences/reasons.ts'
import { createRandom } from '../../../../src/base/random.ts'
import { analyseComparison } from '../../../../src/study/comparing/comparison/analyse.ts'
import type { ComparedSides, StoredResult } from '../../../../src/study/comparing/comparable.ts'
import type { ComparisonDocument } from '../../../../src/study/comparing/comparison/document.ts'
import type { SideMetrics } from '../../../../src/study/comparing/metrics.ts'
import type { Terms } from '../../../../src/study/comparing/shapes.ts'
import { DEFAULT_JUDGED } from '../../../../src/study/comparing/options.ts'
import type { Crew } from '../../../support/ci/gates.ts'
import { runsOf } from '../../../support/ci/gates.ts'
import { madeOnce } from '../../../support/samples.ts'
import { SAMPLE_TERMS, sampleFacts } from '../../../support/study-samples.ts'
import { virtualRun } from '../../../support/virtual-run.ts'

const makeRun = await madeOnce('run-of-comparisons', async () => virtualRun({ seed: 7 }))
const made = makeRun()

export interface SideOf extends Partial<Crew> {
  runs: number
  /** Changes to the `run` of each. */
  run?: Partial<ResultDocument['run']>
  verdict?: Partial<ResultDocument['verdict']>
  /** Metrics that its runs are too short to tell. */
  untold?: readonly string[]
}

const MADE_UP = { kind: 'virtual', profile: 'made up' } as const

function sideOf(
  name: string,
  { runs, run, verdict, untold = [], ...crew }: SideOf,
): StoredResult[] {
  const random = createRandom(11).fork(name)
  return runsOf(runs, { noise: 0.02, ...crew }, random).map((metrics, index) => {
    const own = { id: `${name}${index}`, seed: index, place: MADE_UP, ...run }
    const result = {
      ...made,
      run: { ...made.run, ...own },
      verdict: { ...made.verdict, valid: true, ...verdict },
      arrivals: 700,
      metrics: { ...metrics, ...withoutValue(metrics, untold) },
      distributions: { execution: scaled(metrics) },
    }
    return { folder: `${name}/${index}`, result }
  })
}

/** A run for each of these metrics, of which nothing else is known. */
export function runsWith(side: string, metrics: SideMetrics): StoredResult[] {
  const verdict = { ...made.verdict, valid: true }
  return metrics.map((own, index) => {
    const run = { ...made.run, id: `${side}${index}`, seed: index }
    const result = { ...made, run, verdict, metrics: own, distributions: {} }
    return { folder: `${side}/${index}`, result }
  })
}

function withoutValue(
  metrics: StoredResult['result']['metrics'],
  names: readonly string[],
): StoredResult['result']['metrics'] {
  return Object.fromEntries(names.map((name) => [name, { ...metrics[name]!, value: null }]))
}

/** The distribution of the run that was made, through the quantiles that these metrics tell. */
function scaled(metrics: StoredResult['result']['metrics']): DistributionResult {
  const execution = made.distributions['execution']!
  const factorAt = (name: string, q: number): number =>
    (metrics[name]!.value as number) / execution.quantiles.find((each) => each.q === q)!.value
  const [middle, tail] = [factorAt('execution.p50', 0.5), factorAt('execution.p95', 0.95)]
  const quantiles = execution.quantiles.map(({ q, value, low, high }) => {
    const factor = middle ** (1 - (q - 0.5) / 0.45) * tail ** ((q - 0.5) / 0.45)
    const times = <T>(end: T): T | number => (typeof end === 'number' ? end * factor : end)
    return { q, value: value * factor, low: times(low), high: times(high) }
  })
  return { ...execution, quantiles }
}

export function sidesOf(base: SideOf, next: SideOf): ComparedSides {
  return { base: sideOf('base', base), new: sideOf('new', next) }
}

const TERMS: Terms = { ...SAMPLE_TERMS, equivalent: null }

export function comparisonOf(
  base: SideOf,
  next: SideOf,
  terms: Partial<Terms> = {},
): ComparisonDocument {
  return analyseComparison(sidesOf(base, next), {
    judged: DEFAULT_JUDGED,
    terms: { ...TERMS, ...terms },
    facts: sampleFacts('crewload compare base/* -- new/*'),
  })
}

const late = { numbers: [0], count: 1, of: 1 }
const LATE = {
  ...reasonOf(REASONS, 'lateness', { p99Ms: 38, boundMs: 5, basis: null, late }),
  message: 'requests were sent late',
}

export const SAMPLES: Record<string, () => ComparisonDocument> = {
  slower: () => comparisonOf({ runs: 5 }, { runs: 5, slower: 1.2 }),
  faster: () => comparisonOf({ runs: 6 }, { runs: 6, slower: 0.8 }),
  losing: () => comparisonOf({ runs: 5 }, { runs: 5, unserved: 0.04 }),
  alike: () => comparisonOf({ runs: 5 }, { runs: 5 }),
  equal: () => comparisonOf({ runs: 8 }, { runs: 8 }, { equivalent: 0.05 }),
  single: () => comparisonOf({ runs: 1 }, { runs: 1, slower: 1.5 }),
  short: () => comparisonOf({ runs: 5 }, { runs: 5, untold: ['execution.p95'] }),
  invalid: () =>
    comparisonOf(
      { runs: 3 },
      {
        runs: 3,
        verdict: {
          valid: false,
          outcome: 'invalid',
          reasons: [LATE],
        },
        run: { scenario: 'another', engine: 'node' },
      },
    ),
}
