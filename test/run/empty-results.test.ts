/** Runs whose executions complete without a result, in virtual time. */
import { describe, expect, test } from 'vitest'
import type { ResultDocument } from '../../src/result/document.ts'
import { virtualRun } from '../support/virtual-run.ts'

function emptyWords({ findings }: ResultDocument): string[] {
  return findings.flatMap(({ code, severity, message }) =>
    code === 'no-output' || code === 'no-output-habit' ? [`${severity}: ${message}`] : [],
  )
}

/** Answers that report an end have no result, with this chance. */
async function runWith(chance: number): Promise<ResultDocument> {
  const crew = `
tasks: [{ id: work, agent: Worker, duration: 1s, output: 100B }]
capacity: { workers: unlimited }
faults: [{ name: empty, noResult: {}, operations: [status], chance: ${chance} }]
`
  return virtualRun({ crew, scenario: { thresholds: { 'ledger.wrong': false } } })
}

describe('completed executions without a result are a problem of a run that passes', () => {
  test('result: null in all', async () => {
    const document = await runWith(1)
    expect(document.outcomes.completed).toBe(120)
    expect(document.verdict.outcome).toBe('passed')
    expect(document.verdict.problems).toBeGreaterThan(0)
    expect(emptyWords(document)).toEqual([expect.stringMatching(/^problem: 120 of 120 completed/)])
  })

  test('few of them are a warning, and none is nothing', async () => {
    const few = await runWith(0.02)
    expect(emptyWords(few)).toEqual([expect.stringMatching(/^warning: \d of 120 completed/)])
    expect(emptyWords(await runWith(0))).toEqual([])
  })
})
