/** Gates of runs that were never made. */
import { reasonOf } from '../../../../src/result/sentence-tables.ts'
import type { ThresholdResult } from '../../../../src/result/document.ts'
import { REASONS } from '../../../../src/result/sentences/reasons.ts'
import { looksOf } from '../../../../src/result/statistics/comparing/levels.ts'
import { gateDocument } from '../../../../src/study/comparing/gate/analyse/analyse.ts'
import { FEWEST_RUNS } from '../../../../src/study/comparing/options.ts'
import type { GateDocument } from '../../../../src/study/comparing/gate/document.ts'
import type { GateTerms } from '../../../../src/study/comparing/gate/sentences.ts'
import { DEFAULT_JUDGED } from '../../../../src/study/comparing/options.ts'
import { SAMPLE_TERMS, sampleFacts } from '../../../support/study-samples.ts'
import type { SideOf } from '../comparison/sample-comparisons.ts'
import { sidesOf } from '../comparison/sample-comparisons.ts'
import { testBound } from '../../../support/plan.ts'

const RUNS = 8

export const TERMS: GateTerms = {
  ...SAMPLE_TERMS,
  margin: 0.1,
  marginDifference: 0.02,
  runs: RUNS,
  looks: looksOf(RUNS, FEWEST_RUNS, SAMPLE_TERMS.level),
}

interface GateOf {
  base: SideOf
  new: SideOf
  ended?: GateDocument['ended']
  refused?: GateDocument['refused']
  /** There was no baseline, and so many runs were written. */
  written?: number
}

function gateOf({
  base,
  new: next,
  ended = 'complete',
  refused = [],
  written,
}: GateOf): GateDocument {
  const hadNone = written !== undefined
  const sides = sidesOf(base, next)
  const made = { base: hadNone ? [] : [...sides.base], new: [...sides.new], pairs: [], refused }
  const { place, scenario } = sides.base[0]!.result.run
  const asked = {
    judged: DEFAULT_JUDGED,
    terms: TERMS,
    about: { place, scenario, seed: 1, commit: 'c0ffee42' },
    invalid: [],
    facts: sampleFacts('crewload gate steady --profile slow.yaml --baseline ci/baseline', {
      ended,
      durationMs: 3_600_000,
      requests: 40_000,
      kickoffs: 5_600,
      budget: { requests: 100_000, kickoffs: 8_000 },
    }),
  }
  const baseline = { folder: 'ci/baseline', written: written ?? 0 }
  return gateDocument(made, asked, { baseline, gatesBefore: hadNone ? 0 : null })
}

const MISSED: ThresholdResult = {
  metric: 'execution.p95',
  ...testBound('< 120s'),
  bound: 120_000,
  status: 'missed',
  doubt: null,
  judged: 'interval',
  source: 'scenario',
  measured: {
    value: 208_000,
    unit: 'ms',
    low: null,
    high: null,
    n: 100,
    needed: null,
    never: 0,
    effective: null,
  },
  more: null,
  next: null,
  hint: null,
}

const FAILED: NonNullable<SideOf['verdict']> = {
  outcome: 'failed',
  reasons: [
    {
      ...reasonOf(REASONS, 'threshold', { ...MISSED, isEarly: false }),
      message: 'execution.p95 is 208 s, and must be below 120 s',
    },
  ],
}

export const SAMPLES: Record<string, () => GateDocument> = {
  fail: () => gateOf({ base: { runs: 8 }, new: { runs: 6, slower: 1.15 } }),
  pass: () => gateOf({ base: { runs: 8 }, new: { runs: 8 } }),
  three: () => gateOf({ base: { runs: 3, noise: 0.06 }, new: { runs: 3, noise: 0.06 } }),
  first: () => gateOf({ base: { runs: 1 }, new: { runs: 8 }, written: 8 }),
  'failed-base': () =>
    gateOf({
      base: { runs: 8, verdict: FAILED },
      new: { runs: 8, verdict: FAILED },
      refused: [
        {
          side: 'base',
          run: 'ci/baseline/run-9.json',
          outcome: 'invalid',
          because: { code: 'lateness', message: 'requests were sent late', remedy: '' },
        },
      ],
    }),
  short: () =>
    gateOf({
      base: { runs: 8, untold: ['execution.p95'], executions: 40 },
      new: { runs: 8, untold: ['execution.p95'], executions: 40 },
    }),
  'first-short': () =>
    gateOf({ base: { runs: 1 }, new: { runs: 8, untold: ['execution.p95'] }, written: 8 }),
  stopped: () => gateOf({ base: { runs: 8 }, new: { runs: 0 }, ended: 'interrupted' }),
  cut: () => gateOf({ base: { runs: 8 }, new: { runs: 2 }, ended: 'budget' }),
}
