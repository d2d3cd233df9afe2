/** The trials of a study: one budget, one stop, and what a folder keeps of them. */
import { appendFile, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { UserError } from '../../../../src/base/mistakes.ts'
import type { Steps } from '../../../../src/base/steps.ts'
import { prepare } from '../../../../src/run/plan/prepare.ts'
import { loaded } from '../../../../src/run/scenario/load.ts'
import { TargetError } from '../../../../src/run/errors.ts'
import type { BudgetLimits } from '../../../../src/engine/sending-budget.ts'
import type { Trial } from '../../../../src/study/frame/trial/trial.ts'
import type { TrialHooks } from '../../../../src/study/frame/trial/trials.ts'
import { Trials } from '../../../../src/study/frame/trial/trials.ts'
import { temporaryFolder } from '../../../support/cli.ts'
import { stopper } from '../../../support/studies.ts'

interface Opened {
  folder?: string | null
  simulated?: boolean
  budget?: Partial<BudgetLimits>
  hooks?: TrialHooks
}

async function open(opened: Opened = {}): Promise<Trials> {
  const { folder = null, simulated = false, budget, hooks = {} } = opened
  return Trials.open({
    study: 'gate',
    folder,
    hooks,
    simulated,
    budget: { requests: null, kickoffs: null, ...budget },
    planned: 3,
    whenLost: 'bring it back',
    leftBehind: [],
  })
}

/** Reserves twice what it sends; gives what it sent. */
function sends(requests: number): (trial: Trial) => Promise<number | null> {
  return async (trial) => {
    if (!(await trial.reserve({ requests: 2 * requests, kickoffs: 0 }))) return null
    trial.sent({ requests, kickoffs: 0 })
    return requests
  }
}

async function kept(folder: string): Promise<string> {
  return readFile(join(folder, 'trials.ndjson'), 'utf8')
}

describe('the budget', () => {
  test('holds over all trials, and ends the study where it does not suffice', async () => {
    const trials = await open({ budget: { requests: 30 } })
    expect(await trials.measured('a', z.number(), sends(10))).toBe(10)
    expect(await trials.measured('b', z.number(), sends(9))).toBe(9)
    expect([trials.ended, trials.spent.requests]).toEqual(['complete', 19])
    expect(await trials.measured('c', z.number(), sends(6))).toBeNull()
    expect([trials.ended, trials.spent.requests]).toEqual(['budget', 19])
    expect(await trials.measured('d', z.number(), sends(1))).toBeNull()
  })

  test('counts what is reserved as if it were sent, until the trial has ended', async () => {
    const trials = await open({ budget: { requests: 30, kickoffs: 5 } })
    await trials.measured('a', z.number(), async (trial) => {
      await trial.reserve({ requests: 20, kickoffs: 4 })
      expect(trial.left).toEqual({ requests: 10, kickoffs: 1 })
      trial.sent({ requests: 3, kickoffs: 1 })
      expect(trial.left).toEqual({ requests: 10, kickoffs: 1 })
      expect(await trial.reserve({ requests: 5, kickoffs: 2 })).toBe(false)
      return 1
    })
    expect(trials.spent).toEqual({ requests: 3, kickoffs: 1 })
  })

  test('pays for what is not kept, and for what is asked at the end', async () => {
    const trials = await open({ budget: { requests: 6 } })
    expect(await trials.unkept('preflight', sends(2))).toBe(2)
    expect(await trials.measured('a', z.number(), sends(3))).toBeNull()
    expect(trials.ended).toBe('budget')
    expect(await trials.closing('end', sends(1))).toBe(1)
    expect(await trials.closing('end', sends(3))).toBeNull()
    expect(trials.spent.requests).toBe(3)
  })

  test('is what it was after a cut, and after a kill less all that was reserved', async () => {
    await using folder = await temporaryFolder()
    const first = await open({ folder: folder.path, budget: { requests: 40 } })
    await first.unkept('preflight', sends(1))
    await first.measured('a', z.number(), sends(10))
    await first.measured('b', z.number(), async (trial) => {
      await trial.reserve({ requests: 12, kickoffs: 0 })
      trial.sent({ requests: 4, kickoffs: 0 })
      return null
    })
    expect(first.spent.requests).toBe(15)
    const second = await open({ folder: folder.path, budget: { requests: 40 } })
    expect(await second.measured('a', z.number(), sends(99))).toBe(10)
    expect(second.spent.requests).toBe(15)
    // A kill: the reservation is written, and nothing after it.
    await appendFile(
      join(folder.path, 'trials.ndjson'),
      '{"key":"b","reserved":{"requests":12,"kickoffs":0}}\n{"key":"b","rese',
    )
    const third = await open({ folder: folder.path, budget: { requests: 40 } })
    await third.measured('a', z.number(), sends(99))
    expect(third.spent.requests).toBe(27)
    expect(await third.measured('b', z.number(), sends(7))).toBeNull()
    expect(third.ended).toBe('budget')
  })

  test('is in the folder before the first request may leave', async () => {
    await using folder = await temporaryFolder()
    const trials = await open({ folder: folder.path, budget: { requests: 40 } })
    await trials.measured('a', z.number(), async (trial) => {
      await trial.reserve({ requests: 12, kickoffs: 0 })
      expect(await kept(folder.path)).toContain('"reserved":{"requests":12,"kickoffs":0}')
      return 1
    })
  })
})

/** Each step takes longer than progress is told apart. */
function* counting(): Steps<string> {
  for (let done = 1; done <= 2; done++) {
    const until = performance.now() + 300
    while (performance.now() < until);
    yield { what: 'numbers counted', done, of: 2 }
  }
  return 'counted'
}

describe('a stop', () => {
  test('aborts the trial that goes on, and begins no other', async () => {
    const { onStart, stop } = stopper()
    const trials = await open({ hooks: { onStart } })
    const measured = await trials.measured('a', z.number(), async (trial) => {
      stop()
      return trial.signal.aborted ? null : 1
    })
    expect([measured, trials.ended]).toEqual([null, 'interrupted'])
    expect(await trials.measured('b', z.number(), sends(1))).toBeNull()
    expect(trials.spent.requests).toBe(0)
  })

  test('that also ends the fake crew of the trial is a stop, and no mistake', async () => {
    const { onStart, stop } = stopper()
    const trials = await open({ hooks: { onStart } })
    const mistake = new UserError({ source: '--profile', path: '', problem: 'it ended' })
    const stopped = async (): Promise<number> => {
      stop()
      throw mistake
    }
    expect(await trials.measured('a', z.number(), stopped)).toBeNull()
    expect(trials.ended).toBe('interrupted')
    const other = await open()
    await expect(other.measured('a', z.number(), stopped)).rejects.toBe(mistake)
  })

  test('ends a calculation between two steps, and not one that begins after it', async () => {
    const { onStart, stop } = stopper()
    const trials = await open({ hooks: { onStart } })
    expect(await trials.calculated(counting(), () => stop())).toBeNull()
    expect(trials.ended).toBe('interrupted')
    expect(await trials.calculated(counting())).toBe('counted')
  })

  test('comes from a signal too', async () => {
    const trials = await open({ hooks: { signal: AbortSignal.abort() } })
    expect(trials.ended).toBe('interrupted')
  })
})

test('each trial is told as it begins, with how many there are', async () => {
  const told: string[] = []
  const trials = await open({
    hooks: { onProgress: ({ trial, number, of }) => told.push(`${number} of ${of}: ${trial}`) },
  })
  await trials.measured('a', z.number(), sends(1))
  await trials.measured('b', z.number(), sends(1))
  expect(told).toEqual(['1 of 3: a', '2 of 3: b'])
})

describe('a run in virtual time', () => {
  const options = { profile: 'fast', engine: 'virtual' } as const

  async function filesOf(simulated: boolean): Promise<string[]> {
    await using folder = await temporaryFolder()
    const plan = await prepare(loaded('smoke'), options)
    const trials = await open({ folder: folder.path, simulated })
    const arrivals = await trials.measured('a', z.number(), async (trial) => {
      const ended = await trial.run({ scenario: 'smoke', plan, changes: {}, options })
      return ended?.document.arrivals ?? null
    })
    expect(arrivals).toBeGreaterThan(0)
    const files = await readdir(folder.path, { recursive: true })
    return files.toSorted()
  }

  test('leaves no journal in a study that is simulated, where counts and quantiles suffice', async () => {
    expect(await filesOf(true)).toEqual(['trials.ndjson'])
  })

  test('leaves one in any other study', async () => {
    expect(await filesOf(false)).toContain(join('run-1', 'executions.ndjson'))
  })

  test('that is stopped now before it has begun is not drained by what is asked later', async () => {
    const { onStart, stop } = stopper()
    const plan = await prepare(loaded('smoke'), options)
    const trials = await open({ simulated: true, hooks: { onStart } })
    let stopped: string | null = null
    await trials.measured('a', z.number(), async (trial) => {
      const run = trial.run({ scenario: 'smoke', plan, changes: {}, options })
      stop('now')
      stop()
      stopped = (await run)?.document.run.stopped ?? null
      return null
    })
    expect(stopped).toBe('now')
  })

  test('leaves no folder of a run that could not begin', async () => {
    await using folder = await temporaryFolder()
    const plan = await prepare(loaded('smoke'), options)
    const trials = await open({ folder: folder.path })
    const order = { scenario: 'smoke', plan, options: { ...options, faults: 'status: 503' } }
    const trial = trials.measured('a', z.null(), async (own) => (await own.run(order)) && null)
    await expect(trial).rejects.toThrow(UserError)
    expect(await readdir(folder.path)).not.toContain('run-1')
  })
})

async function gone(): Promise<number> {
  throw new TargetError(new URL('http://127.0.0.1:1'), 'is gone')
}

test('a target that is gone between two trials ends the study, and before the first is an error', async () => {
  await expect((await open()).measured('a', z.number(), gone)).rejects.toThrow('is gone')
  const trials = await open()
  await trials.measured('a', z.number(), sends(1))
  expect(await trials.measured('b', z.number(), gone)).toBeNull()
  expect(trials.ended).toBe('target')
  expect(trials.invalid).toMatchObject([
    { code: 'no-further-run', runs: 0, remedy: 'bring it back' },
  ])
})

test('the fake crew that a study lost is called its own', async () => {
  const trials = await open()
  const exit = { code: null, signal: 'SIGKILL' }
  const died = Promise.resolve({ exit, why: '' })
  trials.loseWith(died)
  await died
  expect(trials.lost?.message).toBe(
    'the fake crew of this study ended by itself (killed by SIGKILL)',
  )
})

test('a measurement of another form is damage: it is not made, and paid for, again', async () => {
  await using folder = await temporaryFolder()
  const first = await open({ folder: folder.path })
  await first.measured('a', z.number(), sends(10))
  const second = await open({ folder: folder.path })
  const again = second.measured('a', z.string(), async () => 'anew')
  await expect(again).rejects.toThrow('trials.ndjson: the file is damaged')
  expect(second.spent.requests).toBe(10)
})
