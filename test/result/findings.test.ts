import { expect, test } from 'vitest'
import type { RunFinding } from '../../src/result/sentences/findings.ts'
import type { JournalLine } from '../../src/execution/record/journal-lines.ts'
import type { RunOptions } from './lines.ts'
import { documentOf, journalLines, ledgerRows } from './lines.ts'
import { pollingAdvice } from '../support/run-shown.ts'

function findingsOf(spoil: RunOptions['spoil'] & {}, rows = 0): RunFinding[] {
  return documentOf(journalLines({ executions: 60, spoil }), ledgerRows(rows)).findings
}

test('a clean run has nothing to tell', () => {
  expect(documentOf(journalLines({ executions: 60 })).findings).toEqual([])
})

test('polls that open a connection each are told with the remedy', () => {
  const [finding] = findingsOf(({ polls }) => polls.fresh.fill(1))
  expect(finding).toMatchObject({ severity: 'warning' })
  expect(finding?.message).toMatch(/^100 % of the polls opened a new connection .*keep-alive/)
})

test('polls that nobody answers say nothing of keep-alive', () => {
  const findings = findingsOf(({ polls }) => {
    polls.fresh.fill(1)
    polls.answer.fill('reset')
  })
  expect(findings.filter(({ message }) => message.includes('keep-alive'))).toEqual([])
})

test('kickoffs that may have started are told', () => {
  const [finding] = findingsOf((record) => {
    if (record.index !== 3) return
    record.outcome = 'unknown'
    record.acceptedMicros = null
    record.kickoffId = null
  })
  expect(finding?.message).toMatch(/^1 kickoff got no usable answer and may have started/)
})

test('what the ledger does not know comes first', () => {
  const findings = findingsOf(({ polls }) => polls.fresh.fill(1), 59)
  expect(findings.map(({ severity }) => severity)).toEqual(['problem', 'warning'])
  expect(findings[0]?.message).toBe(
    '1 execution accepted by the target but unknown to the ledger, first id-59. Find where the ' +
      'target lost them',
  )
})

test('a note of the journal is passed on', () => {
  const facts = {
    items: 'metrics',
    lost: 3,
    of: 9,
    why: { code: 'answered', status: 413 },
  } as const
  const incident = { kind: 'note', note: { code: 'telemetry-lost', ...facts } } as const
  const note: JournalLine = { type: 'incident', instance: 0, atMicros: 5, index: null, incident }
  const { findings } = documentOf([...journalLines({ executions: 60 }), note])
  const message = 'OTLP: 3 of 9 batches of metrics were lost: it answered 413'
  expect(findings).toEqual([{ code: 'telemetry-lost', severity: 'info', message, ...facts }])
})

test('advice in a time-lapse divides what a poll costs, like every time', () => {
  const lines = journalLines({ executions: 60 })
  for (const line of lines) if (line.type === 'run') line.speed = 60
  expect(pollingAdvice(documentOf(lines, ledgerRows(60)))).toMatch(
    /^Executions take 1\.\d\d s on average\. If a poll costs 16\.7 ms of waiting, .* 8\.\d\d polls/,
  )
})

test('a breakdown is drawn where the sample carries its quantile', () => {
  expect([5, 6, 58, 59].map(barsOf)).toEqual([[], ['p50'], ['p50'], ['p50', 'p95']])
})

function barsOf(executions: number): string[] {
  return documentOf(journalLines({ executions })).breakdown.map(({ at }) => at)
}
