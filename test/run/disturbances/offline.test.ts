/** Limits, retries and what became of the target, as whole runs in virtual time tell them. */
import { describe, expect, test } from 'vitest'
import type { ResultDocument } from '../../../src/result/document.ts'
import { run } from '../../../src/run/run.ts'
import { defineScenario } from '../../../src/scenario/define.ts'
import { runTerminal } from '../../support/run-shown.ts'

const SCENARIO = defineScenario({
  name: 'weather',
  arrivals: { rate: '2/s', for: '30s' },
  inputs: { topic: 'fog' },
  polling: { fixed: '1s' },
  deadline: '30s',
  notFoundGrace: '0s',
})

const PROFILE = `
name: weather
inputs: [topic]
tasks: [{ id: work, agent: Worker, duration: 5s, output: 100B }]
capacity: { workers: unlimited }
`

/** `weather`: YAML that the profile ends with. */
async function runUnder(
  weather: string,
  changes: Partial<typeof SCENARIO> = {},
): Promise<ResultDocument> {
  const options = { profile: PROFILE + weather, engine: 'virtual', out: false } as const
  return (await run({ ...SCENARIO, ...changes }, options)).document
}

function terminalOf(document: ResultDocument): string {
  return runTerminal(document, { color: false, width: 400, reportPath: null })
}

const LIMIT = `
limits:
  headers: draft-10
  rules:
    - name: polls
      operations: [status]
      fixedWindow: { limit: 100, window: 20s }
`

describe('limits', () => {
  test('are told with what got through, and the waits as kept', async () => {
    const document = await runUnder(LIMIT)
    const { limits, waits } = document.pushback
    expect(limits).toMatchObject([{ operation: 'status', code: 429 }])
    expect(waits).toMatchObject({ early: 0 })
    // The answer that uses up a quota asks for a wait, too.
    expect(waits.answers).toBeGreaterThanOrEqual(limits[0]!.count)
    expect(waits.kept).toBeGreaterThan(0)
    // Three windows of 20 s begin in a minute, and no more than 100 polls get through each.
    expect(limits[0]!.admittedPerMinute).toBeGreaterThan(100)
    expect(limits[0]!.admittedPerMinute).toBeLessThanOrEqual(400)
    expect(terminalOf(document)).toMatch(/Limits +429 for .* polls .*; \d+ of \d+ were honoured\n/)
  })

  test('that the plan does not listen to are told as not kept, with the remedy', async () => {
    const document = await runUnder(LIMIT, { honourRetryAfter: false })
    const { waits } = document.pushback
    expect(waits.early).toBeGreaterThan(0)
    const told = document.findings.map(({ message }) => message)
    expect(told).toContainEqual(expect.stringContaining('Set honourRetryAfter in the scenario'))
  })

  test('are not spoken of where there were none', async () => {
    const document = await runUnder('')
    expect(terminalOf(document)).not.toMatch(/Limits|Retries/)
    expect(document.findings).toEqual([])
  })
})

const UNAVAILABLE = 'faults: [{ status: { code: 503 }, operations: [kickoff] }]'

test('a retry budget that is spent is told once', async () => {
  const document = await runUnder(UNAVAILABLE, {
    retry: { budget: { ratio: 0.1, minimum: 5, window: '1h' } },
  })
  const { retries } = document.pushback
  const [kickoffs] = retries.operations
  expect(retries.budgetSpent).toBe(true)
  // 60 arrivals, of which a tenth may be asked again, and 5 more.
  expect(kickoffs).toMatchObject({ requests: 60 + 11, retries: 11 })
  const told = document.findings.filter(({ message }) => message.includes('retry budget'))
  expect(told).toHaveLength(1)
})

/** Without the circuit the run goes on to its end, and only the records tell. */
async function problemsOf(faults: string, changes = {}): Promise<string[]> {
  const document = await runUnder(`faults: [${faults}]`, { circuit: 'off', ...changes })
  expect(document.targetLoss).toBeNull()
  return document.findings
    .filter(({ severity }) => severity === 'problem')
    .map(({ message }) => message)
}

describe('what became of the target', () => {
  test('a token revoked in mid-run, with the time and the remedy', async () => {
    const told = await problemsOf('{ denied: {}, window: { from: 12s } }')
    expect(told).toEqual([
      expect.stringMatching(
        /^the token was no longer accepted from 12\.\d s on \(401\): none of \d+ requests succeeded\. Give a new token if this one expired or was revoked$/,
      ),
    ])
  })

  test('a restart that forgets everything, and when', async () => {
    const told = await problemsOf('{ restart: { loses: all }, window: { from: 12.3s } }')
    const [first, second] = /at (\S+) to (\S+) s/.exec(told.join())!.slice(1).map(Number)
    expect(first).toBeLessThan(12.3)
    expect(second).toBeGreaterThan(12.3)
    expect(second! - first!).toBeLessThan(1)
    // Two a second, and each takes five seconds: those of the last second had no poll yet.
    const [forgotten] = /stopped finding (\d+) executions/.exec(told.join())!.slice(1).map(Number)
    expect([8, 9, 10]).toContain(forgotten)
    expect(told.filter((message) => message.includes('stopped finding'))).toHaveLength(1)
  })

  test('connections that are refused from a moment on', async () => {
    const told = await problemsOf('{ refuse: {}, window: { from: 12s, for: 10m } }', {
      connections: { keepAlive: '100ms' },
    })
    expect(told).toEqual([expect.stringMatching(/^the target refused connections from 1[23]/)])
  })

  test('errors alone from a moment on', async () => {
    const told = await problemsOf('{ status: { code: 500 }, window: { from: 12s } }')
    expect(told).toContainEqual(
      expect.stringMatching(/^the target answered only with errors from 12\.\d s on \(500\)/),
    )
  })

  test('a token that works again is no such end', async () => {
    expect(await problemsOf('{ denied: {}, window: { from: 8s, for: 2s } }')).toEqual([])
  })

  test('with the circuit the verdict says it, and the findings do not repeat it', async () => {
    const weather = 'faults: [{ denied: {}, window: { from: 12s } }]'
    const changes = { arrivals: { rate: '2/s', for: '2m' } } as const
    const { verdict, findings } = await runUnder(weather, changes)
    expect(verdict.outcome).toBe('unreachable')
    expect(verdict.reasons[0]).toMatchObject({
      code: 'target-refused',
      message: expect.stringMatching(/the token was no longer accepted from 12\.\d s on/),
    })
    expect(verdict.reasons.filter(({ code }) => code === 'target-refused')).toHaveLength(1)
    expect(findings.filter(({ message }) => message.includes('token was not'))).toEqual([])
  })
})

test('after an outage the report says when whoever came was served again', async () => {
  const outage =
    '{ name: outage, status: { code: 503 }, operations: [kickoff], window: { from: 60s, for: ' +
    '20s } }'
  const document = await runUnder(`faults: [${outage}]`, {
    arrivals: { rate: '5/s', for: '3m' },
    polling: { fixed: '3s' },
    retry: 'none',
    circuit: 'off',
  })
  const [recovery] = document.recoveries
  expect(recovery).toMatchObject({ faults: ['outage'], state: 'recovered' })
  // Five a second for a minute, but for those that the outage found on their way: they take six
  // seconds.
  const { wanted, served } = recovery!.former
  expect(wanted).toBeGreaterThanOrEqual(5 * 52)
  expect(wanted).toBeLessThanOrEqual(5 * 55)
  expect(served).toBe(wanted)
  expect(recovery!.afterMs).toBeLessThanOrEqual(2_000)
})
