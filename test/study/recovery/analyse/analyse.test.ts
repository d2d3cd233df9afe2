/** The verdict over all seeds, and the tipping point by bisection. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { SizeResult } from '../../../../src/study/recovery/analyse/tipping.ts'
import { nextSize, tippingPoint } from '../../../../src/study/recovery/analyse/tipping.ts'
import { createRandom } from '../../../../src/base/random.ts'
import { recoveryOfTrials } from '../sample-recoveries.ts'

describe('the verdict', () => {
  test.each([
    [[180, 180, 180], 'recovers'],
    [[300, 290, 310], 'recovers-slowly'],
    [[1_000, 1_000, 1_000], 'does-not-recover'],
    [[180], 'recovers'],
    [[1_000], 'does-not-recover'],
    [[180, 1_000, 180, 1_000], 'inconclusive'],
    [[...Array.from({ length: 19 }, () => 1_000), 180], 'does-not-recover'],
    [[...Array.from({ length: 19 }, () => 180), 1_000], 'recovers'],
    [[], 'inconclusive'],
  ])('service back at %j: %s', (seconds, outcome) => {
    const { verdict, trials } = recoveryOfTrials(seconds)
    expect(verdict.outcome).toBe(outcome)
    expect(Object.values(verdict.counts).reduce((sum, count) => sum + count, 0)).toBe(trials.length)
  })

  test('of seeds that disagree says how many, and what would tell', () => {
    const { verdict } = recoveryOfTrials([180, 1_000, 180, 1_000])
    expect(verdict.reasons).toMatchObject([{ code: 'disagreement' }])
    expect(verdict.reasons[0]?.message).toContain('2 of 4 do not recover')
  })

  test('is invalid before anything else when the measurement cannot be trusted', () => {
    const reason = { code: 'lateness', message: 'generator late', remedy: 'slower' } as const
    const { verdict } = recoveryOfTrials([1_000], { invalid: [reason] })
    expect(verdict).toMatchObject({ outcome: 'invalid', reasons: [reason] })
  })

  test.each([
    [{ code: 'few-before', arrivals: 4, needed: 10 }, 'before the trigger (--before)'],
    [{ code: 'few-in-window', needed: 247 }, 'after the trigger (--observe)'],
    [{ code: 'unsteady' }, 'longer warm-up'],
    [{ code: 'overloaded' }, 'lower the rate'],
    [{ code: 'cut-short' }, 'raise the budget'],
  ] as const)('of an unclear trial (%j) advises what helps', (why, advice) => {
    const [trial] = recoveryOfTrials([180]).trials
    const trials = [{ ...trial!, outcome: 'unclear' as const, why }]
    const { verdict } = recoveryOfTrials([180], { trials })
    expect(verdict.reasons[0]?.remedy).toContain(advice)
    expect(verdict.reasons[0]).toMatchObject({ why, trials: 1, ofTrials: 1 })
  })

  test('of a time-lapse says once what a second stands for', () => {
    const { plan } = recoveryOfTrials([180, 180])
    const { findings } = recoveryOfTrials([180, 180], { plan: { ...plan, speed: 60 } })
    expect(findings).toEqual([
      {
        code: 'time-lapse',
        severity: 'info',
        message: expect.stringMatching(/one second stands for a minute/) as string,
        speed: 60,
      },
    ])
  })

  test('names retries that go on long after the trigger', () => {
    const { findings } = recoveryOfTrials([1_000, 1_000])
    expect(findings.map(({ message }) => message).join(' ')).toContain(
      'Retries keep the crew overloaded',
    )
    expect(recoveryOfTrials([180, 180]).findings).toEqual([])
  })
})

test('a trigger that took nothing away is told', () => {
  const [finding] = recoveryOfTrials([0, 0]).findings
  expect(finding?.message).toContain('reduced goodput in no trial')
})

/** Half at 20 s. */
function chance(sizeMs: number): number {
  return 1 / (1 + Math.exp(-(sizeMs - 20_000) / 1_000))
}

function size(sizeMs: number, tipped: number): SizeResult {
  return { sizeMs, tipped, of: 10 }
}

/** Bisects from `startMs` with what `tips` says of a trial. */
function bisected(startMs: number, tips: (sizeMs: number) => boolean, trials = 10): SizeResult[] {
  const limits = { leastMs: startMs / 100, mostMs: startMs * 16 }
  const results: SizeResult[] = []
  const add = (sizeMs: number): void => {
    const tipped = Array.from({ length: trials }, () => tips(sizeMs)).filter(Boolean).length
    results.push({ sizeMs, tipped, of: trials })
  }
  add(startMs)
  for (let next = nextSize(results, limits); next !== null; next = nextSize(results, limits))
    add(next)
  return results
}

describe('the tipping point', () => {
  test('lies in the bracket, which is at most 10 % wide, wherever it is', () => {
    fc.assert(
      fc.property(fc.double({ min: 1_000, max: 400_000, noNaN: true }), (trueMs) => {
        const results = bisected(30_000, (sizeMs) => sizeMs > trueMs)
        const { kind, lowMs, highMs } = tippingPoint(results)
        expect(kind).toBe('between')
        expect(lowMs!).toBeLessThanOrEqual(trueMs)
        expect(highMs!).toBeGreaterThan(trueMs)
        expect(highMs! / lowMs!).toBeLessThanOrEqual(1.1)
        expect(results.length).toBeLessThanOrEqual(16)
      }),
    )
  })

  test('of trials that chance decides: the bracket lies where about half tip', () => {
    const random = createRandom(3)
    const { lowMs, highMs, sizes } = tippingPoint(
      bisected(30_000, (sizeMs) => random.next() < chance(sizeMs), 40),
    )
    expect(lowMs).toBeGreaterThan(16_000)
    expect(highMs).toBeLessThan(24_000)
    for (const { low, high, tipped, of } of sizes) {
      expect(low).toBeLessThanOrEqual(tipped / of)
      expect(high).toBeGreaterThanOrEqual(tipped / of)
    }
  })

  test('above all sizes, below all sizes, or not known', () => {
    const none = tippingPoint(bisected(30_000, () => false))
    expect(none).toMatchObject({ kind: 'above', lowMs: 480_000, highMs: null })
    const all = tippingPoint(bisected(30_000, () => true))
    expect(all).toMatchObject({ kind: 'below', lowMs: null })
    expect(all.highMs).toBeLessThan(600)
    expect(tippingPoint([{ sizeMs: 1, tipped: 0, of: 0 }]).kind).toBe('unknown')
    expect(nextSize([{ sizeMs: 1, tipped: 0, of: 0 }], { leastMs: 1, mostMs: 2 })).toBeNull()
  })

  test('says what is sure, and what is not', () => {
    const point = tippingPoint([size(5_000, 0), size(9_000, 4), size(9_800, 6), size(20_000, 10)])
    expect(point).toMatchObject({
      lowMs: 9_000,
      highMs: 9_800,
      sureLowMs: 5_000,
      sureHighMs: 20_000,
    })
    expect(point.sentence).toBe(
      'The tipping point lies at 5.00 to 20.0 s. Most trials change sides between ' +
        '9.00 s (4 of 10 tipped) and 9.80 s (6 of 10 tipped). More seeds would narrow it down.',
    )
  })
})
