import { describe, expect, test } from 'vitest'
import { agree, aspect, differing, saidOf, madeUpRun } from '../../support/made-up-runs.ts'

describe('nothing is proven when', () => {
  test('a run is INVALID, whatever it shows', () => {
    const document = agree(
      madeUpRun('node'),
      madeUpRun('k6', {
        document: ({ verdict }) => {
          verdict.valid = false
          verdict.outcome = 'invalid'
          verdict.reasons = [{ code: 'lateness', message: 'the generator was late', remedy: '' }]
        },
        spoil: (told) => {
          told.outcome = 'lost'
        },
      }),
    )
    expect(document.verdict.outcome).toBe('invalid')
    expect(saidOf(document)[0]).toBe('k6 is INVALID: the generator was late')
  })

  test('a run did not come to its end', () => {
    const document = agree(
      madeUpRun('node'),
      madeUpRun('k6', {
        executions: 200,
        document: ({ run }) => {
          run.stopped = 'drained'
        },
      }),
    )
    expect(document.comparisons[0]).toMatchObject({
      incomparable: 'k6 did not run to its end',
      aspects: [],
    })
    expect(document.verdict.outcome).toBe('inconclusive')
  })

  test('the scenario changed in between', () => {
    const other = madeUpRun('k6', {
      document: (document) => {
        document.run.planHash = 'another'
        document.plan = { ...(document.plan as object), deadlineMicros: 1 }
      },
    })
    expect(agree(madeUpRun('node'), other).verdict.outcome).toBe('inconclusive')
  })

  test('only one ran', () => {
    expect(agree(madeUpRun('node')).verdict).toMatchObject({
      outcome: 'inconclusive',
      reasons: [{ message: 'only node ran: nothing to compare with' }],
    })
  })

  test('six executions each are too few for the test, seven are not', () => {
    const six = agree(
      madeUpRun('node', { executions: 6 }),
      madeUpRun('k6', { executions: 6, noise: 2 }),
    )
    expect(aspect(six, 'execution.distribution')).toMatchObject({ status: 'too-few', test: null })
    expect(six.verdict).toMatchObject({ outcome: 'inconclusive' })
    expect(saidOf(six)[0]).toContain('7 each are needed')
    const seven = agree(
      madeUpRun('node', { executions: 7 }),
      madeUpRun('k6', { executions: 7, noise: 2 }),
    )
    expect(seven.verdict.outcome).toBe('agree')
    expect(aspect(seven, 'execution.p95')).toMatchObject({ status: 'too-few', wouldTell: null })
  })

  test('quantiles lie apart by more than the bound and by less than chance explains', () => {
    const document = agree(
      madeUpRun('node', { executions: 60 }),
      madeUpRun('k6', {
        executions: 60,
        spoil: (told) => {
          told.executionMicros = Math.round(told.executionMicros! * 1.08)
        },
      }),
    )
    const p50 = aspect(document, 'execution.p50')
    expect(p50).toMatchObject({ status: 'too-few' })
    expect(p50.kind === 'quantile' && p50.wouldTell).toBeGreaterThan(60)
    expect(differing(document)).toEqual([])
    expect(document.verdict.outcome).toBe('inconclusive')
    expect(saidOf(document)[0]).toMatch(
      /^too few executions to distinguish from chance: execution\.p\d+: .*; about [\d,]+ would decide it$/,
    )
  })

  test('a ledger could not be read', () => {
    const document = agree(
      madeUpRun('node'),
      madeUpRun('k6', {
        document: (told) => {
          told.ledger = null
          told.polling.detectionSource = 'interval'
        },
      }),
    )
    expect(saidOf(document)).toEqual(['the ledger of k6 could not be read'])
    const names = document.comparisons[0]!.aspects.map(({ name }) => name)
    expect(names.filter((name) => name.startsWith('detectionDelay'))).toEqual([])
  })
})
