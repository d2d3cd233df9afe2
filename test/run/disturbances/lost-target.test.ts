/** A target that is lost in mid-run, over real sockets: the verdict, the terminal and the page. */
import type { LookupAddress, LookupOptions } from 'node:dns'
import dns from 'node:dns'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { FakeCrew, WrittenProfile } from '../../../fake-crew/index.ts'
import { startFakeCrew } from '../../../fake-crew/index.ts'
import type { ResultDocument } from '../../../src/result/document.ts'
import { run } from '../../../src/run/run.ts'
import type { Scenario } from '../../../src/scenario/define.ts'
import { runFile, runTerminal } from '../../support/run-shown.ts'
import { countingTarget } from '../../support/targets/counting.ts'

/** Executions of a second, for four seconds; given up after one in which nothing was of use. */
const SCENARIO: Scenario = {
  name: 'bad-weather',
  arrivals: { rate: '10/s', for: '4s' },
  inputs: { topic: 'bees' },
  polling: { fixed: '100ms' },
  deadline: '3s',
  notFoundGrace: '300ms',
  circuit: { after: '1s', requests: 10 },
  validity: { lateness: '1h', utilisation: 1, little: 1 },
}
const PROFILE = {
  name: 'steady',
  inputs: ['topic'],
  tasks: [{ id: 'work', agent: 'Worker', duration: '1s', output: '100B' }],
  capacity: { workers: 'unlimited' },
} satisfies WrittenProfile
const TOKEN = 'of-all'
const PATIENT = { timeout: 30_000, interval: 20 }

afterEach(() => vi.restoreAllMocks())

async function startedCrew(port = 0): Promise<FakeCrew> {
  const crew = await startFakeCrew({ profile: PROFILE, token: TOKEN, port })
  onTestFinished(async () => crew.stop())
  return crew
}

interface Loss {
  target: string
  kickoffs: () => number
  /** Once ten kickoffs were accepted. */
  strike: () => unknown
  changes?: Partial<Scenario>
  words: RegExp
}

/** The run whose target is lost; terminal and page have the words. */
async function lost({ target, kickoffs, strike, changes, words }: Loss): Promise<ResultDocument> {
  const options = { target, tokens: [TOKEN], budget: { kickoffs: 40 }, out: false } as const
  const running = run({ ...SCENARIO, ...changes }, options)
  await expect.poll(kickoffs, PATIENT).toBeGreaterThanOrEqual(10)
  await strike()
  const { document } = await running
  const terminal = runTerminal(document, { color: false, width: 120, reportPath: null })
  const page = runFile(document, 'report.html').replaceAll(/<[^>]*>/g, '')
  for (const text of [terminal, page]) expect(text.replaceAll(/\s+/g, ' ')).toMatch(words)
  expect(Object.values(document.outcomes).reduce((sum, count) => sum + count, 0)).toBe(40)
  return document
}

type Resolved = (error: Error | null, address: string | LookupAddress[], family: number) => void

describe('a run whose target is lost on the way', () => {
  test('by a token that is revoked: unreachable', async () => {
    const crew = await startedCrew()
    const { verdict, targetLoss } = await lost({
      target: crew.url,
      kickoffs: () => crew.ledger().length,
      strike: () => crew.fault({ denied: {} }),
      words: /the token was no longer accepted from [\d.]+ m?s on/i,
    })
    expect(verdict.outcome).toBe('unreachable')
    expect(targetLoss).toMatchObject({ state: 'refused', first: 401, last: 401 })
  })

  test('by its end: failed', async () => {
    const target = await countingTarget({ refuseEvery: 0 })
    const { verdict, targetLoss, reasons } = await lost({
      target: target.url,
      kickoffs: () => target.counts.kickoffs,
      strike: async () => target[Symbol.asyncDispose](),
      words:
        /the target (?:refused connections|no longer gave complete answers) from [\d.]+ m?s on/i,
    })
    expect(verdict.outcome).toBe('failed')
    expect(targetLoss).toMatchObject({ state: 'dead', last: 'refused', instances: 1 })
    // A connection that stood when the target went is cut before the next is refused.
    expect(['refused', 'reset', 'closed']).toContain(targetLoss?.first)
    const alive = { code: 'threshold', metric: 'target.alive' }
    expect(verdict.reasons).toContainEqual(expect.objectContaining(alive))
    expect(reasons.notReached).toMatchObject([{ reason: { code: 'target-lost', state: 'dead' } }])
  })

  test('and found again in its successor: a threshold decides', async () => {
    const crew = await startedCrew()
    const { verdict, outcomes, ledger } = await lost({
      target: crew.url,
      kickoffs: () => crew.ledger().length,
      strike: async () => {
        await crew.stop()
        await startedCrew(Number(new URL(crew.url).port))
      },
      changes: { circuit: 'off', thresholds: { 'outcome.lost': '< 1%' } },
      words:
        /the target stopped finding \d+ executions that it had reported before\. Find whether it restarted/,
    })
    expect(verdict.outcome).toBe('failed')
    expect(outcomes.lost).toBeGreaterThan(4)
    expect(ledger?.clockErrorMs).toBeLessThan(500)
  })

  test('by a name that stops resolving: unreachable', async () => {
    const crew = await startedCrew()
    const { lookup } = dns
    let isGone = false
    const known = (name: string, options: LookupOptions, done: Resolved): void => {
      if (name !== 'crew.test') return lookup(name, options, done)
      if (!isGone) return lookup('127.0.0.1', options, done)
      const code = { code: 'ENOTFOUND', syscall: 'getaddrinfo' }
      process.nextTick(done, Object.assign(new Error('getaddrinfo ENOTFOUND crew.test'), code))
    }
    vi.spyOn(dns, 'lookup').mockImplementation(known as typeof lookup)
    const { verdict, targetLoss } = await lost({
      target: `http://crew.test:${new URL(crew.url).port}`,
      kickoffs: () => crew.ledger().length,
      strike: () => (isGone = true),
      changes: { connections: { preOpen: 0, keepAlive: '1ms' } },
      words: /the host name no longer resolved from [\d.]+ m?s on/i,
    })
    expect(verdict.outcome).toBe('unreachable')
    expect(targetLoss).toMatchObject({ state: 'dead', first: 'dns', last: 'dns' })
  })
})
