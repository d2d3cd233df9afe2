/**
 * Why executions were not found any more, told from whole runs in virtual time: each at its own
 * age, or all at one moment.
 */
import { describe, expect, test } from 'vitest'
import type { WrittenProfile } from '../../fake-crew/index.ts'
import type { ResultDocument } from '../../src/result/document.ts'
import { run } from '../../src/run/run.ts'
import type { Scenario } from '../../src/scenario/define.ts'

const SEEDS = [1, 2, 3, 4, 5]
/** Nobody waits for a worker. */
const capacity = { workers: 100 }

async function messagesOf(
  seed: number,
  profile: Record<string, unknown>,
  changes: Partial<Scenario>,
): Promise<string[]> {
  const document = await forgetful(seed, profile, changes)
  expect(document.outcomes.lost).toBeGreaterThan(2)
  return document.findings.flatMap(({ message }) =>
    message.includes('the target stopped finding') ? [message] : [],
  )
}

async function forgetful(
  seed: number,
  profile: Record<string, unknown>,
  changes: Partial<Scenario>,
): Promise<ResultDocument> {
  const { seconds, ...rest } = profile
  const task = { id: 'write', agent: 'Writer', duration: { constant: seconds } }
  const inputs = ['topic', 'audience']
  const crew = { inputs, tasks: [task], ...rest } as WrittenProfile
  const scenario: Scenario = {
    name: 'forgotten',
    arrivals: { rate: '1/s', for: '60s', process: 'poisson' },
    inputs: { topic: 'storms', audience: 'sailors' },
    polling: { fixed: '2s' },
    deadline: '2m',
    ...changes,
  }
  const { document } = await run(scenario, { engine: 'virtual', profile: crew, seed, out: false })
  return document
}

describe('a retention shorter than the polls are apart', () => {
  test('accuses no healthy crew of telling wrong', async () => {
    const profile = { seconds: '7s', retention: '100ms', capacity }
    const { outcomes, ledger, thresholds } = await forgetful(1, profile, {})
    expect(outcomes.lost).toBeGreaterThan(2)
    expect(ledger?.disagreements.map(({ kind }) => kind)).toEqual(['forgotten'])
    const promise = thresholds.find(({ metric }) => metric === 'ledger.wrong')
    expect(promise).toMatchObject({ status: 'met', measured: { value: 0 } })
  })

  test.each(SEEDS)('is told as an age, and as no restart (seed %i)', async (seed) => {
    const messages = await messagesOf(seed, { seconds: '7s', retention: '100ms', capacity }, {})
    expect(messages).toHaveLength(1)
    expect(messages[0]).toMatch(
      /^the target stopped finding \d+ executions that it had reported before\. Raise the retention, which may be [67]\.\d+ to [78]\.\d+ s after acceptance$/,
    )
    expect(messages[0]).not.toContain('restart')
  })

  test.each(SEEDS)('is no restart where the waits for workers vary (seed %i)', async (seed) => {
    const messages = await messagesOf(seed, { seconds: '7s', retention: '100ms' }, {})
    expect(messages.join()).not.toContain('restart')
  })

  test('and a single burst leave either open', async () => {
    const arrivals = { rate: '100/s', for: '50ms', process: 'uniform' } as const
    const messages = await messagesOf(1, { seconds: '7s', retention: '100ms' }, { arrivals })
    expect(messages).toHaveLength(1)
    expect(messages[0]).toMatch(/restarted.* or .*retention/)
  })
})

describe('a restart that loses everything', () => {
  test.each(SEEDS)('is told as one moment, and as no age (seed %i)', async (seed) => {
    const faults = [{ name: 'restart', restart: { loses: 'all' }, window: { from: '30s' } }]
    const messages = await messagesOf(seed, { seconds: '20s', faults }, {})
    expect(messages).toHaveLength(1)
    expect(messages[0]).toMatch(
      /^at ((29\.\d|30\.0) to )?30\.\d s the target stopped finding \d+ executions .* restarted/,
    )
    expect(messages[0]).not.toContain('acceptance')
  })
})
