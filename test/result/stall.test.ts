/** Runs on a crew that gets more than it can do, in virtual time: what is said of its collapse. */
import { expect, test } from 'vitest'
import type { ResultDocument } from '../../src/result/document.ts'
import { virtualRun } from '../support/virtual-run.ts'
import { runFile, runTerminal } from '../support/run-shown.ts'

/**
 * Work of 10 s arrives each second; its client waits for 33 s.
 */
async function runOn(workers: number, options: { speed?: number } = {}): Promise<ResultDocument> {
  const crew = `
tasks: [{ id: work, agent: Worker, duration: 10s, output: 100B }]
capacity: { workers: ${workers} }
`
  return virtualRun({
    crew,
    ...options,
    scenario: { arrivals: { rate: '1/s', for: '2m', process: 'uniform' }, deadline: '33s' },
  })
}

function messagesOf({ findings }: ResultDocument): string[] {
  return findings.filter(({ severity }) => severity !== 'info').map(({ message }) => message)
}

test('twice the load that the crew can do: since when nothing completed, and for whom it works', async () => {
  const document = await runOn(5)
  const { stall, ledger, outcomes } = document
  // In batches of five: the arrivals of 20 to 24 s complete at 50 to 54 s, those of 25 s and later
  // after their client has given up.
  expect(outcomes.completed).toBe(25)
  expect(stall?.sinceMs).toBeGreaterThan(54_000)
  expect(stall?.sinceMs).toBeLessThan(55_000)
  expect(stall?.accepted).toBe(65)
  expect(document.findings).toContainEqual(
    expect.objectContaining({
      code: 'stall',
      overload: { workers: 5, load: expect.closeTo(2, 2), isShared: expect.any(Boolean) },
    }),
  )
  // Until 152 s the arrivals of up to 76 s start; from that of 35 s on they start too late.
  expect(ledger?.starts).toEqual({ started: 77, givenUp: 42 })
  expect(messagesOf(document)).toEqual([
    expect.stringMatching(
      /^nothing completed after 54\.\d s, though the crew accepted 65 executions in the next \d\d\.\d s\. Lower the rate, or add workers: the crew is overloaded$/,
    ),
    expect.stringMatching(
      /^42 of 77 executions started after their client had given up\. Lower the rate, /,
    ),
  ])
  for (const text of [
    runTerminal(document, { color: false, width: 400, reportPath: null }),
    runFile(document, 'report.html'),
    runFile(document, 'summary.md'),
  ]) {
    expect(text).toContain('nothing completed after')
    expect(text).toContain('started after their client had given up')
  }
})

test('in a time-lapse the time is that of the wall clock', async () => {
  const { stall, findings } = await runOn(5, { speed: 10 })
  expect(stall?.sinceMs).toBeLessThan(5_500)
  expect(findings[0]?.message).toMatch(
    /^nothing completed after 5\.4\d s, though the crew accepted 65 executions/,
  )
})

test('enough workers, or nearly: executions complete to the end', async () => {
  for (const workers of [10, 9]) {
    const document = await runOn(workers)
    expect(document.stall).toBeUndefined()
    expect(document.ledger?.starts?.givenUp).toBe(0)
    expect(messagesOf(document).join()).not.toContain('nothing completed')
  }
})
