/** Runs on a crew that asks people, in virtual time: outcome, verdict, findings, ledger. */
import { describe, expect, test } from 'vitest'
import type { ResultDocument } from '../../src/result/document.ts'
import type { Scenario } from '../../src/scenario/define.ts'
import { virtualRun } from '../support/virtual-run.ts'

interface Crew {
  shows?: 'paused' | 'not-found'
  for?: string
  chance?: string
  dialect?: string
}

/** A second of work, a person, a second of work; polled every half a second for 30 s. */
async function runOn(crew: Crew, scenario: Partial<Scenario> = {}): Promise<ResultDocument> {
  const { shows = 'not-found', for: time = '10s', chance = '100%', dialect = 'platform' } = crew
  const yaml = `
dialect: ${dialect}
tasks:
  - { id: draft, agent: Writer, duration: 1s, asks: { for: ${time}, shows: ${shows}, chance: ${chance} } }
  - { id: print, agent: Printer, duration: 1s }
capacity: { workers: unlimited }
`
  return virtualRun({
    crew: yaml,
    scenario: { arrivals: { rate: '1/s', for: '100s' }, ...scenario },
  })
}

function messagesOf({ findings }: ResultDocument): string[] {
  return findings.filter(({ severity }) => severity !== 'info').map(({ message }) => message)
}

describe('people who answer in time', () => {
  test.each<[string, Crew, Partial<Scenario>]>([
    ['PAUSED', { shows: 'paused' }, {}],
    ['NOT FOUND', { shows: 'not-found' }, { human: true }],
    ['404', { shows: 'not-found', dialect: 'interface' }, { human: true }],
  ])('behind %s: everything completes, and the ledger agrees', async (_, crew, scenario) => {
    const { verdict, outcomes, ledger, metrics } = await runOn(crew, scenario)
    expect(verdict.outcome).toBe('passed')
    expect(verdict.problems).toBe(0)
    expect(outcomes.completed).toBe(100)
    expect(ledger?.disagreements).toEqual([])
    expect(ledger?.endIntervals).toEqual({ checked: 100, contained: 100 })
    expect(metrics['detectionDelay.p95']?.value).toBeLessThan(600)
  })
})

describe('people who do not answer', () => {
  test.each<[string, Crew, Partial<Scenario>]>([
    ['PAUSED', { shows: 'paused' }, {}],
    ['NOT FOUND', { shows: 'not-found' }, { human: true }],
  ])('behind %s: paused, never passed, and the crew is not blamed', async (_, crew, scenario) => {
    const document = await runOn({ ...crew, for: '10h' }, scenario)
    expect(document.outcomes.paused).toBe(100)
    expect(document.metrics['outcome.unserved']).toMatchObject({ value: null, low: 0, high: 1 })
    expect(document.metrics['execution.p50']).toMatchObject({ value: null, never: 0 })
    expect(document.verdict.outcome).toBe('inconclusive')
    expect(document.ledger?.disagreements).toEqual([])
    expect(messagesOf(document)).toEqual([
      '100 executions still waited for a person at the deadline. ' +
        'Let somebody answer in time, or raise the deadline',
    ])
  })

  test('a third of them leave it open whether the promise to users holds', async () => {
    const { verdict } = await runOn({ for: '10h', chance: '30%' }, { human: true })
    expect(verdict.outcome).toBe('inconclusive')
    expect(verdict.reasons[0]).toMatchObject({ code: 'undecided', metric: 'outcome.unserved' })
    expect(verdict.reasons[0]?.message).toContain('still waited for a person')
    expect(verdict.reasons[0]?.remedy).toBe('raise the deadline, or let somebody answer')
  })

  test('few of them are a problem of a run that passes, unless a threshold judges them', async () => {
    const crew = { for: '10h', chance: '2%' }
    const loose = await runOn(crew, { human: true, seed: 4 })
    expect(loose.outcomes.paused).toBeGreaterThan(0)
    expect(loose.verdict).toMatchObject({ outcome: 'passed', problems: 1 })
    const thresholds = { 'outcome.paused': { is: '<= 5%', judge: 'value' } } as const
    const judged = await runOn(crew, { human: true, seed: 4, thresholds })
    expect(judged.verdict).toMatchObject({ outcome: 'passed', problems: 0 })
  })
})

describe('NOT FOUND, and a scenario that does not say that the crew asks people', () => {
  test('loses them, and the ledger says what to do about it', async () => {
    const document = await runOn({ for: '25s' })
    expect(document.outcomes.lost).toBe(100)
    expect(document.ledger?.disagreements).toMatchObject([{ kind: 'asked', count: 100 }])
    const [message] = messagesOf(document)
    expect(message).toMatch(
      /^100 executions not found while a person was asked, first .*\. Set human: true in the scenario/,
    )
    expect(messagesOf(document).join()).not.toMatch(/forgot|stopped finding|again/)
    expect(document.metrics['ledger.wrong']?.value).toBe(0)
  })
})
