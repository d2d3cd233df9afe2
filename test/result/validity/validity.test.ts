/**
 * When a late generator makes a run INVALID: never by its first few requests, surely by hundreds.
 */
import { expect, test } from 'vitest'
import type { GeneratorCheck, ResultDocument } from '../../../src/result/document.ts'
import type { PlanDocument } from '../../../src/scenario/plan.schema.ts'
import type { Threshold } from '../../../src/scenario/plan.ts'
import { documentOf, journalLines } from '../lines.ts'
import { testBound, testThreshold } from '../../support/plan.ts'

const BOUND_MICROS = 5_000

/** A run whose first requests, in the order of its executions, were handed over too late. */
function runWithLate(
  late: number,
  executions: number,
  plan: Partial<PlanDocument> = {},
): ResultDocument {
  let left = late
  const lines = journalLines({
    executions,
    plan,
    spoil: ({ kickoff, polls }) => {
      for (const { lateMicros } of [kickoff, polls]) {
        for (let i = 0; i < lateMicros.length && left > 0; i++, left--) {
          lateMicros[i] = BOUND_MICROS * 8
        }
      }
    },
  })
  return documentOf(lines)
}

function lateness({ generator }: ResultDocument): GeneratorCheck {
  return generator.checks.find(({ name }) => name === 'lateness')!
}

test.each<[number, number, boolean]>([
  [2, 2, true],
  [2, 10, true],
  [4, 4, false],
  [17, 200, true],
  [18, 200, false],
  [300, 200, false],
])('%d late requests in a run of %d executions: trusted %s', (late, executions, ok) => {
  const document = runWithLate(late, executions)
  expect(lateness(document)).toMatchObject({ ok, measured: expect.any(Number) })
  expect(document.verdict.valid).toBe(ok)
})

test('the 99th percentile is shown, whatever it proves', () => {
  const document = runWithLate(2, 2)
  expect(lateness(document)).toMatchObject({ measured: 40, unit: 'ms', bound: 5, ok: true })
  expect(document.metrics['lateness.p99']?.n).toBe(document.generator.requests)
})

const RELATIVE = {
  validity: {
    latenessP99Micros: BOUND_MICROS,
    latenessShare: 0.05,
    utilisation: 0.7,
    littleResidual: 0.05,
  },
}
/** The kickoffs of a made-up run take 3 ms. */
function onKickoffs(metric: string, operator: Threshold['operator'], bound: number) {
  const written = testBound(`${operator} ${bound / 1_000}ms`)
  return { ...RELATIVE, thresholds: [testThreshold(metric, bound, written)] }
}

test('40 ms beside executions of two seconds leave the run valid, and response times a remark', () => {
  const document = runWithLate(300, 200, RELATIVE)
  expect(document.verdict.valid).toBe(true)
  const basis = { share: 0.05, of: 'execution', isCapped: false }
  expect(lateness(document)).toMatchObject({ ok: true, measured: 40, basis })
  expect(document.findings.map(({ message }) => message)).toContainEqual(
    expect.stringContaining('requests were sent up to 40.0 ms late (p99)'),
  )
})

test.each<[string, Threshold['operator'], number, string]>([
  ['kickoff.response.p50', '<', 1_000_000, 'met with all lateness counted in'],
  ['kickoff.service.p50', '<', 2_000, 'missed by a time that holds no lateness'],
  ['kickoff.response.p50', '>', 500_000, 'missed with and without it'],
])('a threshold on %s %s %d us, %s, is in no doubt', (metric, operator, bound) => {
  const { verdict } = runWithLate(300, 200, onKickoffs(metric, operator, bound))
  expect(verdict.valid).toBe(true)
})

test.each<[string, Threshold['operator'], number]>([
  ['kickoff.response.p50', '<', 2_000],
  ['kickoff.response.p95', '<', 2_999],
  ['kickoff.response.p50', '>', 2_000],
])('%s %s %d us, which lateness may have decided, makes it INVALID', (metric, operator, bound) => {
  const document = runWithLate(300, 200, onKickoffs(metric, operator, bound))
  expect(document.verdict.outcome).toBe('invalid')
  expect(new Set(document.thresholds.map(({ status }) => status))).toEqual(new Set(['notJudged']))
  const [reason] = document.verdict.reasons
  expect(reason).toMatchObject({ code: 'lateness' })
  expect(reason?.remedy).toContain("validity: { lateness: '50ms' }")
})
