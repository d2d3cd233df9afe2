/** Thresholds on what a run did not measure to its end, in virtual time. */
import { describe, expect, test } from 'vitest'
import type { Scenario } from 'crewload/run'
import { run } from 'crewload/run'

const scenario: Scenario = {
  name: 'verdicts',
  arrivals: { rate: '20/s', for: '3s', process: 'uniform' },
  inputs: { topic: 'bees', audience: 'children' },
  polling: { fixed: '100ms' },
}

const fast = { engine: 'virtual', profile: 'fast', out: false } as const

describe('a threshold that stops the run', () => {
  test('is not stopped by the polls where the ledger knows the detection delay', async () => {
    const { document } = await run(
      {
        ...scenario,
        polling: { fixed: '400ms' },
        thresholds: { 'detectionDelay.p50': { is: '< 390ms', abortEarly: true } },
      },
      fast,
    )
    expect(document.outcomes.completed).toBe(document.arrivals)
    expect(document.verdict.outcome).toBe('passed')
  })
})

describe('executions without an end', () => {
  test('hide the longest wait: no threshold on it is met', async () => {
    const { document } = await run(
      {
        ...scenario,
        arrivals: { rate: '20/s', for: '1s' },
        deadline: '500ms',
        thresholds: { 'execution.max': '< 10s', 'execution.mean': '< 10s' },
      },
      fast,
    )
    expect(document.outcomes.stuck).toBeGreaterThan(0)
    expect(document.thresholds).toMatchObject([
      { metric: 'execution.max', status: 'undecided' },
      { metric: 'execution.mean', status: 'undecided' },
      { metric: 'outcome.unserved', status: 'missed', source: 'default' },
      { metric: 'ledger.wrong', status: 'met', source: 'default' },
      { metric: 'target.alive', status: 'met', source: 'default' },
    ])
    expect(document.verdict.outcome).toBe('failed')
  })
})
