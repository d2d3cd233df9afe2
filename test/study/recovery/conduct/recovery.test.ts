/** A recovery test in virtual time: metastable or not, and the tipping point where it can be computed. */
import { describe, expect, test } from 'vitest'
import { startFakeCrew } from '../../../../fake-crew/index.ts'
import type { RecoveryDocument } from '../../../../src/study/recovery/document.ts'
import { conducting } from '../../../../src/study/recovery/conduct/conduct.ts'
import type { RecoveryOptions } from '../../../../src/study/recovery/options.ts'
import { areExperimentsRun } from '../../../experiments.ts'
import { temporaryFolder } from '../../../support/cli.ts'
import { steady, writeSteadyQueue } from './steady-queue.ts'
import { conductStudy } from '../../../../src/study/frame/conduct/conduct.ts'

type Options = Partial<RecoveryOptions>

async function tested(scenario: string, options: Options): Promise<RecoveryDocument> {
  return (await conductStudy(conducting, { scenario, out: false, run: {}, ...options })).document
}

describe.runIf(areExperimentsRun)(
  'the profile metastable, 20 seeds of a crew that hangs for 20 s',
  () => {
    const options: Options = {
      for: '20s',
      before: '65s',
      observe: '100s',
      control: false,
      bisect: false,
      run: { profile: 'metastable', set: { 'arrivals.warmUp': '10s', deadline: '25s' } },
    }

    test('with retries at once and without end: it does not recover, in at least 19', async () => {
      const { verdict, measures } = await tested('retry-storm', options)
      expect(verdict).toMatchObject({ outcome: 'does-not-recover' })
      expect(verdict.counts['does-not-recover']).toBeGreaterThanOrEqual(19)
      expect(measures.goodputAfter!.median).toBeLessThan(0.1)
      expect(measures.attempts.before!.median).toBe(1)
      expect(measures.attempts.after!.median).toBeGreaterThan(4)
      expect(measures.started!.after!.median).toBeGreaterThan(4)
      expect(measures.backlog!.end.least).toBeGreaterThan(100)
    })

    test('with full jitter and a retry budget: it recovers, in at least 19', async () => {
      const { verdict, measures, trials } = await tested('recovery', options)
      expect(verdict).toMatchObject({ outcome: 'recovers' })
      expect(verdict.counts.recovers).toBeGreaterThanOrEqual(19)
      expect(measures.goodputAfter!.least).toBeGreaterThan(0.95)
      expect(measures.attempts.after!.median).toBeLessThan(1.2)
      expect(trials.map(({ seed }) => seed)).toEqual(Array.from({ length: 20 }, (_, i) => 42 + i))
    })
  },
)

/**
 * Four times the arrivals for D seconds leave a backlog of B = (20 - 10) D = 10 D; it falls by 10 -
 * 5 a second, and whoever finds B wait (B / 10) seconds. Served within 10 s is who waits under 9 s
 * less a poll: from t = (10 D - 89) / 5 on.
 */
function backAfterSeconds(sizeSeconds: number): number {
  return Math.max(0, (10 * sizeSeconds - 89) / 5)
}

async function queueTest(options: Options): Promise<RecoveryDocument> {
  await using folder = await temporaryFolder()
  const { profile, scenario } = await writeSteadyQueue(folder.path, steady('250ms', '10s'))
  return await tested(scenario, {
    trigger: 'spike: 4',
    before: '60s',
    observe: '80s',
    for: '20s',
    seeds: 1,
    bisect: false,
    ...options,
    run: { profile, engine: { network: 'none' }, ...options.run },
  })
}

describe('a queue whose backlog drains at a known rate', () => {
  test.each([
    ['20s', 20],
    ['40s', 40],
  ])('is back in time after a spike of %s', async (size, seconds) => {
    const { trials, costPerKickoff } = await queueTest({ for: size, run: { costPerKickoff: 0.2 } })
    const [trial] = trials
    expect(costPerKickoff).toBe(0.2)
    expect(trial!.outcome).not.toBe('unclear')
    const late = trial!.recoveryMs! / 1_000 - backAfterSeconds(seconds)
    expect(late).toBeLessThanOrEqual(0.5)
    // A window is good again when 5 % of it still are not.
    expect(late).toBeGreaterThanOrEqual(-0.06 * (trial!.windowMs! / 1_000) - 0.5)
    expect(trial!.servedControl!.value).toBe(1)
    expect(trial!.backlog!.peak).toBeGreaterThan(9.5 * seconds)
    expect(trial!.backlog!.peak).toBeLessThan(10.5 * seconds)
  })

  test.runIf(areExperimentsRun)(
    'tips where recovery takes longer than the observation, to within the bisection',
    async () => {
      const { tipping, trials } = await queueTest({ for: '40s', bisect: true, control: false })
      // The last window has to be good: D = (5 t + 89) / 10 with t = 80 s less that window.
      const windowSeconds = trials[0]!.windowMs! / 1_000
      const tipsSeconds = (5 * (80 - windowSeconds) + 89) / 10
      expect(tipping!.kind).toBe('between')
      expect(tipping!.lowMs).toBeLessThanOrEqual(1_020 * tipsSeconds)
      expect(tipping!.highMs).toBeGreaterThanOrEqual(980 * tipsSeconds)
      expect(tipping!.highMs! / tipping!.lowMs!).toBeLessThanOrEqual(1.1)
    },
  )

  test('a load that was never carried proves nothing: inconclusive', async () => {
    const { verdict, trials } = await queueTest({
      for: '5s',
      observe: '40s',
      run: { set: { 'arrivals.rate': '12/s' } },
    })
    expect(verdict.outcome).toBe('inconclusive')
    expect(trials[0]!.why?.code).toMatch(/overloaded|degraded/)
  })

  test('of a target that is gone before the next trial, it keeps what was measured', async () => {
    await using crew = await startFakeCrew({ profile: 'fast' })
    const { ended, runs, verdict, trials } = await tested('recovery', {
      trigger: 'spike: 2',
      for: '100ms',
      before: '1s',
      observe: '1s',
      seeds: 2,
      tell: () => void crew.stop(),
      run: {
        target: crew.url,
        tokens: [crew.token],
        // A busy machine must not make the run before it INVALID.
        set: {
          'arrivals.warmUp': '0s',
          deadline: '10s',
          'validity.lateness': '10s',
          'validity.utilisation': '1',
          'validity.little': '100%',
        },
      },
    })
    expect([ended, runs]).toEqual(['target', 1])
    expect(trials).toHaveLength(1)
    expect(verdict).toMatchObject({
      outcome: 'invalid',
      reasons: [{ code: 'no-further-run', runs: 1 }],
    })
    expect(verdict.reasons[0]!.message).toMatch(
      /^no further run could begin after 1 run: .*refused/,
    )
  })

  test('stopped while it still looks at its target, it sends no kickoff', async () => {
    await using crew = await startFakeCrew({ profile: 'fast' })
    const { ended } = await tested('recovery', {
      trigger: 'spike: 2',
      for: '100ms',
      before: '1s',
      observe: '1s',
      onStart: (control) => setImmediate(() => control.stop('now')),
      run: {
        target: crew.url,
        tokens: [crew.token],
        set: { 'arrivals.warmUp': '0s', 'arrivals.rate': '50/s' },
      },
    })
    expect(ended).toBe('interrupted')
    expect(crew.ledger()).toEqual([])
  })
})

test('no seed is a mistake of who calls it from code as well', async () => {
  const asked = tested('recovery', { seeds: 0, run: { profile: 'metastable' } })
  await expect(asked).rejects.toThrow('--seeds: ')
})
