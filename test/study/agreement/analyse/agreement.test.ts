import { describe, expect, test } from 'vitest'
import {
  analyseAgreement,
  DEFAULT_BOUNDS,
  ECDF_SHARES,
} from '../../../../src/study/agreement/analyse/analyse.ts'
import type { AgreementDocument, Aspect } from '../../../../src/study/agreement/document.ts'
import type { ComparedRun, ToldExecution } from '../../../../src/study/agreement/analyse/aspects.ts'
import { assert } from '../../../../src/base/assert.ts'
import {
  AGREEMENT_FACTS,
  agree,
  aspect,
  differing,
  saidOf,
  madeUpRun,
} from '../../../support/made-up-runs.ts'

describe('runs of one seed', () => {
  const document = agree(
    madeUpRun('node'),
    madeUpRun('virtual', { engine: 'virtual', noise: 2 }),
    madeUpRun('k6', { engine: 'k6', noise: 3 }),
  )

  test('tell the same story when nothing but phase and jitter is between them', () => {
    expect(document.verdict.reasons).toEqual([])
    expect(document.verdict.outcome).toBe('agree')
    expect(document.verdict.sentence).toMatch(
      /^node, virtual and k6 measured the same 600 arrivals alike; execution times within 0\.\d+ %, detection delays within [\d.]+ %\.$/,
    )
  })

  test('are each held against the first', () => {
    expect(document.trials.map(({ name }) => name)).toEqual(['node', 'virtual', 'k6'])
    expect(document.comparisons.map(({ reference, run }) => [reference, run])).toEqual([
      ['node', 'virtual'],
      ['node', 'k6'],
    ])
  })

  test('are compared in every aspect', () => {
    const times = ['execution', 'detectionDelay'].flatMap((time) =>
      ['p50', 'p90', 'p95', 'p99', 'distribution'].map((part) => `${time}.${part}`),
    )
    const names = ['arrivals', 'arrivalTimes', 'outcome.completed', 'outcome.failed', ...times]
    for (const { aspects } of document.comparisons) {
      expect(aspects.map(({ name }) => name)).toEqual(names)
      expect(new Set(aspects.map(({ status }) => status))).toEqual(new Set(['same']))
    }
  })

  test('are paired by kickoff id, which says how close they really are', () => {
    const { pairs } = document.comparisons[0]!
    expect(pairs).toMatchObject({ n: 600, sameArrival: 600 })
    expect(pairs!.medianMs).toBeLessThan(2)
    expect(pairs!.p95Ms).toBeLessThan(4)
  })

  test('have curves that rise from the first value to the last', () => {
    for (const { curves } of document.trials) {
      for (const values of Object.values(curves)) {
        expect(values).toHaveLength(ECDF_SHARES.length)
        expect(values).toEqual(values.toSorted((a, b) => a - b))
      }
    }
  })
})

describe('a story is another one when', () => {
  test('a single arrival comes 2 us later', () => {
    const document = agree(
      madeUpRun('node'),
      madeUpRun('k6', {
        spoil: (told) => {
          if (told.index === 17) told.intendedMicros += 2
        },
      }),
    )
    expect(aspect(document, 'arrivalTimes')).toMatchObject({ status: 'differs', largestMicros: 2 })
    expect(differing(document)).toEqual(['arrivalTimes'])
    expect(document.verdict.outcome).toBe('differ')
    expect(saidOf(document)).toEqual([
      'arrival times under node and k6: up to 2 us apart, bound 1 us',
    ])
  })

  test('1 us is rounding', () => {
    const later = madeUpRun('k6', {
      spoil: (told) => {
        told.intendedMicros++
      },
    })
    expect(differing(agree(madeUpRun('node'), later))).toEqual([])
  })

  test('one execution ends otherwise', () => {
    const document = agree(
      madeUpRun('node'),
      madeUpRun('k6', {
        spoil: (told) => {
          if (told.index === 3) told.outcome = 'failed'
        },
      }),
    )
    expect(differing(document)).toEqual(['outcome.completed', 'outcome.failed'])
    expect(saidOf(document)[0]).toBe('outcome.completed: 588 under node, 587 under k6')
  })

  test('an outcome is seen that the reference does not know', () => {
    const document = agree(
      madeUpRun('node'),
      madeUpRun('k6', {
        spoil: (told) => {
          if (told.index === 3) told.outcome = 'lost'
        },
      }),
    )
    expect(aspect(document, 'outcome.lost')).toMatchObject({ reference: 0, measured: 1 })
    expect(differing(document)).toContain('outcome.lost')
  })

  test('an arrival is missing', () => {
    const document = agree(madeUpRun('node'), madeUpRun('k6', { executions: 599 }))
    expect(differing(document)).toContain('arrivals')
  })

  test('executions take a tenth longer, which quantiles and test both see', () => {
    const document = agree(
      madeUpRun('node', { executions: 3_000 }),
      madeUpRun('virtual', {
        executions: 3_000,
        spoil: (told) => {
          told.executionMicros = Math.round(told.executionMicros! * 1.1)
        },
      }),
    )
    expect(differing(document)).toEqual([
      'execution.p50',
      'execution.p90',
      'execution.p95',
      'execution.p99',
      'execution.distribution',
    ])
    expect(document.verdict.sentence).toMatch(
      /^node and virtual did not measure the same\. execution\.p\d+: .* apart \(10\.0 %\), bound .* ms; p\d+, p\d+ and p\d+ too \(and 1 more reason\)\.$/,
    )
  })

  test('the same median hides another shape, which the test sees', () => {
    const document = agree(
      madeUpRun('node'),
      madeUpRun('virtual', {
        spoil: (told) => {
          const { executionMicros: micros } = told
          told.executionMicros = micros! < 1_000_000 ? 500_000 + micros! / 2 : micros
        },
      }),
    )
    expect(differing(document)).toEqual(['execution.distribution'])
  })

  test('its own ledger contradicts it', () => {
    const document = agree(
      madeUpRun('node'),
      madeUpRun('k6', {
        document: ({ ledger }) => {
          ledger!.disagreements = [{ kind: 'lost', count: 2, examples: [] }]
        },
      }),
    )
    expect(document.verdict).toMatchObject({
      outcome: 'differ',
      reasons: [{ message: 'k6 and its ledger disagree on 2 executions' }],
    })
  })

  test('its kickoffs are late', () => {
    const document = agree(
      madeUpRun('node'),
      madeUpRun('k6', {
        spoil: (told) => {
          told.lateMicros = told.index % 50 === 0 ? 9_000 : 100
        },
      }),
    )
    expect(document.trials[1]!.schedule).toMatchObject({ p99Ms: 9, boundMs: 5, ok: false })
    expect(saidOf(document)).toEqual(['k6 sent kickoffs late: p99 9.00 ms, bound 5.00 ms'])
  })

  test('but not by the few late ones that chance makes', () => {
    const { verdict, trials: runs } = agree(madeUpRun('node'), madeUpRun('k6', { spoil: twoLate }))
    expect(runs[1]!.schedule).toMatchObject({ ok: true })
    expect(verdict.outcome).toBe('agree')
  })
})

function twoLate(told: ToldExecution): void {
  if (told.index < 2) told.lateMicros = 9_000
}

/** Times as polls of half a second make them. */
function bundled(laterMicros: number): (told: ToldExecution) => void {
  return (told) => {
    told.executionMicros = 500_000 * (1 + (told.index % 3)) + laterMicros + (told.index % 7)
  }
}

function allowedMs(found: Aspect): number {
  return found.kind === 'quantile' ? (found.allowedMs ?? NaN) : NaN
}

describe('bounds', () => {
  const slower = madeUpRun('k6', {
    executions: 3_000,
    spoil: (told) => {
      told.executionMicros = Math.round(told.executionMicros! * 1.08)
    },
  })
  const reference = madeUpRun('node', { executions: 3_000 })
  const judged = (quantileShare: number): AgreementDocument =>
    analyseAgreement([reference, slower], { ...DEFAULT_BOUNDS, quantileShare }, AGREEMENT_FACTS)

  test('of quantiles are the user’s', () => {
    const strict = judged(0.01)
    const wide = judged(0.1)
    expect(aspect(strict, 'execution.p50').status).toBe('differs')
    expect(aspect(wide, 'execution.p50').status).toBe('same')
    expect(aspect(strict, 'execution.distribution').status).toBe('differs')
    expect(aspect(wide, 'execution.distribution')).toMatchObject({ status: 'same' })
  })

  test('of the test too: what a millisecond tells apart is within them', () => {
    const document = agree(
      madeUpRun('node', { spoil: bundled(0) }),
      madeUpRun('k6', { spoil: bundled(1_000) }),
    )
    const found = aspect(document, 'execution.distribution')
    assert(found.kind === 'distribution', 'an aspect of that name is a distribution')
    expect(found.test!.p).toBeLessThan(1e-6)
    expect(found.beyond!.p).toBe(1)
    expect(document.verdict.outcome).toBe('agree')
  })

  test('of detection delays are wider by both clocks’ errors', () => {
    const near = aspect(agree(reference, slower), 'detectionDelay.p50')
    const far = aspect(
      agree({ ...reference, clockErrorMicros: 20_000 }, { ...slower, clockErrorMicros: 10_000 }),
      'detectionDelay.p50',
    )
    expect(allowedMs(far) - allowedMs(near)).toBeCloseTo(30 - 0.3, 9)
  })
})

function closed(name: string, iterations: number | null, executions: number): ComparedRun {
  return madeUpRun(name, {
    executions,
    document: (document) => {
      document.plan = { arrivals: { kind: 'closed', clients: 4, iterations } }
    },
    spoil: (told) => {
      told.intendedMicros += name === 'node' ? 0 : 5_000
    },
  })
}

describe('closed clients', () => {
  test('have no schedule: their arrival times are not compared', () => {
    const document = agree(closed('node', 600, 600), closed('k6', 600, 600))
    expect(aspect(document, 'arrivalTimes').status).toBe('not-known')
    expect(aspect(document, 'arrivals').status).toBe('same')
    expect(document.verdict.outcome).toBe('agree')
  })

  test('that stop by time may count one more', () => {
    const document = agree(closed('node', null, 600), closed('k6', null, 601))
    expect(aspect(document, 'arrivals').status).toBe('not-known')
    expect(differing(document)).toEqual([])
  })
})
