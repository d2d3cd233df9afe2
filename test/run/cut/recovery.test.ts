/**
 * What is said of times after a cut: an outage was over long before the run was stopped, whole runs
 * in virtual time.
 */
import { describe, expect, test } from 'vitest'
import type { ResultDocument } from '../../../src/result/document.ts'
import type { RunControl, RunOptions } from '../../../src/run/index.ts'
import { run } from '../../../src/run/run.ts'
import type { Scenario } from '../../../src/scenario/define.ts'
import { areExperimentsRun } from '../../experiments.ts'

/** Eighty seconds without service, over at 140 s of a run of ten minutes. */
const OUTAGE = JSON.stringify({
  name: 'outage',
  status: { code: 503 },
  window: { from: '60s', for: '80s' },
})
const CUT_SECONDS = 183
const RATE = 10

const scenario: Scenario = {
  name: 'cut',
  arrivals: { rate: `${RATE}/s`, for: '10m', process: 'uniform' },
  inputs: { topic: 'storms', audience: 'sailors' },
  polling: { fixed: '1s' },
  retry: 'none',
  deadline: '1m',
  circuit: 'off',
}

async function cutRun(
  seed: number,
  options: RunOptions,
  changes: Partial<Scenario> = {},
): Promise<ResultDocument> {
  const { document } = await run(
    { ...scenario, ...changes },
    { engine: 'virtual', profile: 'fast', faults: OUTAGE, seed, out: false, ...options },
  )
  return document
}

/**
 * Stops the run when the arrival of the cut asks for its inputs: exactly then, on whatever machine.
 */
async function stopped(seed: number, how: 'drain' | 'now'): Promise<ResultDocument> {
  let control: RunControl | undefined
  const inputs = ({ index }: { index: number }) => {
    if (index === CUT_SECONDS * RATE) control?.stop(how)
    return { topic: 'storms', audience: 'sailors' }
  }
  return cutRun(seed, { onStart: (given) => (control = given) }, { inputs })
}

const CUTS: [string, (seed: number) => Promise<ResultDocument>][] = [
  [
    'a budget of kickoffs',
    async (seed) => cutRun(seed, { budget: { kickoffs: CUT_SECONDS * RATE } }),
  ],
  [
    'a budget of time',
    async (seed) => cutRun(seed, { budget: { wallMicros: CUT_SECONDS * 1e6 } }, { drain: '1s' }),
  ],
  ['a first Ctrl-C', async (seed) => stopped(seed, 'drain')],
  ['a second Ctrl-C', async (seed) => stopped(seed, 'now')],
]

describe.each(CUTS)('a run that %s cut 43 s after an outage', (_, cut) => {
  test.each(areExperimentsRun ? [1, 2, 3] : [1])(
    'knows that service was back (seed %i)',
    async (seed) => {
      const document = await cut(seed)
      const { recoveries, findings, outcomes, series } = document
      expect(outcomes.notReached).toBeGreaterThan(3_900)
      expect(recoveries).toMatchObject([{ toMs: 140_000, state: 'recovered' }])
      expect(recoveries[0]!.afterMs).toBeLessThan(5_000)
      expect(recoveries[0]!.untilMs).toBeLessThan(CUT_SECONDS * 1_000 + series.intervalMs)
      expect(findings.map(({ message }) => message).join()).not.toContain('did not come back')
      // No load is shown as offered that was never sent.
      const { run: told, arrivals } = document
      expect(series.offered.reduce((sum, count) => sum + count, 0)).toBe(
        arrivals - outcomes.notReached,
      )
      expect(series.offered.length * series.intervalMs).toBeLessThan(
        told.durationMs + 2 * series.intervalMs,
      )
    },
  )
})

describe('a run that was stopped in its warm-up', () => {
  const changes = {
    arrivals: { rate: '10/s', for: '1m', process: 'uniform', warmUp: '30s' },
  } as const

  async function stoppedAt(index: number, how: 'drain' | 'now'): Promise<string> {
    let control: RunControl | undefined
    const inputs = (arrival: { index: number }) => {
      if (arrival.index === index) control?.stop(how)
      return { topic: 'storms', audience: 'sailors' }
    }
    const onStart = (given: RunControl): void => void (control = given)
    const { findings } = await cutRun(1, { onStart, faults: '[]' }, { ...changes, inputs })
    return findings.map(({ message }) => message).join('\n')
  }

  test('says what became of each execution that was started', async () => {
    expect(await stoppedAt(50, 'drain')).toMatch(
      /^5\d warm-up executions, not counted in any metric: 5\d completed$/m,
    )
    expect(await stoppedAt(50, 'now')).toMatch(
      /^5\d warm-up executions, not .*: \d+ completed, \d+ aborted$/m,
    )
  })

  test('and one that ran to its end does not', async () => {
    expect(await stoppedAt(-1, 'now')).not.toContain('of the warm-up')
  })
})
