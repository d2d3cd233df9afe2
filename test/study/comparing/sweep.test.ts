/**
 * Comparisons, gates and histories of odd values: `never`, none, 0, no spread, one outlier, one run,
 * two units. What got worse never ends with exit code 0, and nothing crashes.
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Metric } from '../../../src/result/document.ts'
import { renderPage } from '../../../src/report/frame/render/page.ts'
import { analyseComparison } from '../../../src/study/comparing/comparison/analyse.ts'
import { comparisonSchema } from '../../../src/study/comparing/comparison/document.ts'
import type { ComparisonDocument } from '../../../src/study/comparing/comparison/document.ts'
import { comparison } from '../../../src/study/comparing/comparison/study.ts'
import type { StoredResult } from '../../../src/study/comparing/comparable.ts'
import type { HistoryLine } from '../../../src/study/comparing/history.ts'
import { DEFAULT_JUDGED } from '../../../src/study/comparing/options.ts'
import { lookAt } from '../../../src/study/comparing/gate/analyse/analyse.ts'
import { historySchema } from '../../../src/study/comparing/history/document.ts'
import { history } from '../../../src/study/comparing/history/study.ts'
import { areExperimentsRun } from '../../experiments.ts'
import { metricOf } from '../../support/ci/gates.ts'
import { sampleFacts } from '../../support/study-samples.ts'
import { runsWith, sidesOf } from './comparison/sample-comparisons.ts'
import { TERMS } from './gate/sample-gates.ts'
import { documentOf, gatesOf } from './history/sample-histories.ts'

const CASES = { seed: 20_261_126, numRuns: 400 }
const SIZE = `${CASES.numRuns} cases, seed ${CASES.seed}`
/** Their documents and pages are made for each case. */
const SHOWN = { ...CASES, numRuns: areExperimentsRun ? 400 : 60 }
const JUDGED = 'execution.p95'

type Value = Metric['value']
type Side = readonly Value[]

const template = sidesOf({ runs: 1 }, { runs: 1 }).base[0]!

const time = fc.oneof(
  fc.constantFrom<Value>(0, 1, 1_000, 1_200, 'never', null),
  fc.double({ min: 0.001, max: 1e7, noNaN: true }),
)
const plain = fc.double({ min: 900, max: 1_100, noNaN: true })

/** Values of one side: of any kind, without spread, or those of a usual crew. */
function sideOf(minLength: number): fc.Arbitrary<Value[]> {
  const size = { minLength, maxLength: 9 }
  return fc.oneof(
    fc.array(time, size),
    fc.array(plain, size),
    fc
      .tuple(time, fc.integer({ min: minLength, max: 9 }))
      .map(([value, n]) => Array<Value>(n).fill(value)),
  )
}

const rank = (value: Value): number => (value === 'never' ? Infinity : (value ?? -1))

/** A side of which each value is at least 6 % worse than all of the base. */
function worseThan(base: Side, factors: readonly (number | 'never')[]): Value[] {
  const worst = Math.max(...base.map(rank))
  return factors.map((factor) => (factor === 'never' ? factor : Math.max(worst, 1) * factor))
}

const factor: fc.Arbitrary<number | 'never'> = fc.oneof(
  fc.double({ min: 1.06, max: 1e6, noNaN: true }),
  fc.constantFrom<(number | 'never')[]>(1.2, 'never'),
)

function storedOf(side: string, values: Side, unit: Metric['unit'] = 'ms'): StoredResult[] {
  return values.map((value, i) => {
    const run = { ...template.result.run, id: `${side}${i}`, seed: i }
    const metrics = { ...template.result.metrics, [JUDGED]: metricOf(unit, value, 300) }
    return {
      folder: `${side}/${i}`,
      result: { ...template.result, run, metrics, distributions: {} },
    }
  })
}

function compared(base: Side, next: Side, unit?: Metric['unit']): ComparisonDocument {
  return analyseComparison(
    { base: storedOf('base', base), new: storedOf('new', next, unit) },
    {
      judged: DEFAULT_JUDGED,
      terms: { ...TERMS, equivalent: null },
      facts: sampleFacts('crewload compare base/* -- new/*'),
    },
  )
}

type Decides = (base: Side, next: Side) => ReturnType<typeof lookAt>

const gated: Decides = (base, next) => {
  const [before, after] = [base, next].map((values) =>
    values.map((value) => ({ [JUDGED]: metricOf('ms', value, 300) })),
  )
  const sides = { base: runsWith('base', before!), new: runsWith('new', after!) }
  const terms = { ...TERMS, looks: [{ at: next.length, level: 0.01 }] }
  return lookAt(next.length, { ...sides, pairs: [], refused: [] }, { judged: [JUDGED], terms })
}

/** Whatever is wholly worse fails from 7 runs per side on, and never passes. */
function worseNeverPasses(decides: Decides): { failed: boolean; counterexample: unknown } {
  const finite = sideOf(3).filter((side) => side.every((value) => typeof value === 'number'))
  const factors = fc.array(factor, { minLength: 3, maxLength: 9 })
  const holds = fc.property(finite, factors, (base, worse) => {
    const decision = decides(base, worseThan(base, worse))
    return Math.min(base.length, worse.length) >= 7 ? decision === 'fail' : decision !== 'pass'
  })
  const { failed, counterexample } = fc.check(holds, CASES)
  return { failed, counterexample }
}

/** Planted: runs that never came to it are dropped. */
const dropping: Decides = (base, next) =>
  gated(
    base,
    next.filter((value) => value !== 'never'),
  )

/** Planted: a change without spread is taken for none. */
const blind: Decides = (base, next) =>
  new Set(base).size === 1 && new Set(next).size === 1 ? 'pass' : gated(base, next)

describe(`a gate (${SIZE})`, () => {
  test('never passes what is wholly worse, and fails it from 7 runs on', () => {
    expect(worseNeverPasses(gated)).toMatchObject({ failed: false, counterexample: null })
  })

  test.each([
    ['drops runs that never came to it', dropping],
    ['takes a change without spread for none', blind],
  ])('is found out if it %s', (_fault, decides) => {
    expect(worseNeverPasses(decides).failed).toBe(true)
  })

  test('that fails does not pass when runs of the candidate get worse', () => {
    const runs = fc.integer({ min: 1, max: 9 })
    const holds = fc.property(sideOf(3), sideOf(3), runs, factor, (base, next, count, by) => {
      const known = [...base, ...next].map((value) => (value === 'never' ? 1 : value))
      const [worse] = worseThan(known, [by])
      const worsened = next.map((value, i) =>
        i < count && rank(value) < rank(worse!) ? worse! : value,
      )
      return gated(base, next) !== 'fail' || gated(base, worsened) !== 'pass'
    })
    expect(fc.check(holds, CASES)).toMatchObject({ failed: false, counterexample: null })
  })
})

describe(`a comparison (${SHOWN.numRuns} cases)`, () => {
  test('of what is wholly worse ends with 1 or 4, and with 1 from 7 runs on', () => {
    const finite = sideOf(2).filter((side) => side.every((value) => typeof value === 'number'))
    fc.assert(
      fc.property(finite, fc.array(factor, { minLength: 2, maxLength: 9 }), (base, factors) => {
        const exit = comparison.exit(compared(base, worseThan(base, factors)))
        const isEnough = Math.min(base.length, factors.length) >= 7
        expect(isEnough ? ['failed'] : ['failed', 'inconclusive']).toContain(exit)
      }),
      SHOWN,
    )
  })

  test('of any values follows its schema, has no hole, and names why it is undecided', () => {
    const unit = fc.constantFrom<Metric['unit']>('ms', 'ms', 'ms', 'count', 'share')
    fc.assert(
      fc.property(sideOf(1), sideOf(1), unit, (base, next, other) => {
        const document = compared(base, next, other)
        comparisonSchema.parse(JSON.parse(JSON.stringify(document)))
        expect(renderPage(comparison.report(document))).not.toMatch(/NaN|Infinity|undefined/)
        const exit = comparison.exit(document)
        expect(exit !== 'inconclusive' || document.verdict.reasons.length > 0).toBe(true)
      }),
      SHOWN,
    )
  })
})

describe(`a history (${SHOWN.numRuns} cases)`, () => {
  const dead: readonly HistoryLine['metrics'][string][] = [
    { unit: 'ms', value: 'never' },
    { unit: 'ms', value: null },
    { unit: 'ms', value: 1e6 },
  ]

  test('of a crew that gets worse or dies, three gates ago or more, is worse', () => {
    const end = fc.constantFrom(...dead)
    const count = fc.integer({ min: 10, max: 40 })
    fc.assert(
      fc.property(
        end,
        count,
        fc.integer({ min: 3, max: 9 }),
        fc.nat(999),
        (metric, all, last, seed) => {
          const lines = gatesOf(seed, 0, all + last)
          for (const line of lines.slice(all)) line.metrics[JUDGED] = metric
          expect(documentOf(lines).verdict.outcome).toBe('worse')
        },
      ),
      SHOWN,
    )
  })

  test('of any values follows its schema and has no hole', () => {
    fc.assert(
      fc.property(fc.array(time, { minLength: 1, maxLength: 30 }), (values) => {
        const lines = gatesOf(1, 0, values.length)
        for (const [i, value] of values.entries())
          lines[i]!.metrics = { [JUDGED]: { unit: 'ms', value } }
        const document = documentOf(lines)
        historySchema.parse(JSON.parse(JSON.stringify(document)))
        expect(renderPage(history.report(document))).not.toMatch(/NaN|Infinity|undefined/)
      }),
      SHOWN,
    )
  })
})
