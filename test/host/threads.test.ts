/** What the hosts of several threads share: one budget, and one zero of the clock. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import { ownBudget } from '../../src/host/budget.ts'
import { RunClock } from '../../src/host/node/clock.ts'
import { createSharedBudget, sharedBudget } from '../../src/host/node/shared-budget.ts'

const built = (name: string): string =>
  new URL(`../../dist/src/host/node/${name}.js`, import.meta.url).href

/** Runs `code` in a thread, with `built` (the module) and `data`; gives what it posts. */
async function inThread<T>(module: string, data: unknown, code: string): Promise<T> {
  const script = `
    const { parentPort, workerData: { module, data } } = require('node:worker_threads')
    import(module).then((built) => { ${code} })`
  const worker = new Worker(script, { eval: true, workerData: { module: built(module), data } })
  const [answer] = (await once(worker, 'message')) as [T]
  await worker.terminate()
  return answer
}

describe('a budget', () => {
  test.each([
    ['of one thread', ownBudget({ kickoffs: 2, requests: null })],
    ['of several', sharedBudget(createSharedBudget({ kickoffs: 2, requests: null }))],
  ])('%s is spent one by one, and never below zero', (_, budget) => {
    const spent = Array.from({ length: 4 }, () => budget.spend('kickoff'))
    expect(spent).toEqual([true, true, false, false])
    expect(budget.spend('request')).toBe(true)
  })

  test('of none allows none', () => {
    expect(ownBudget({ kickoffs: 0, requests: 0 }).spend('kickoff')).toBe(false)
    const shared = sharedBudget(createSharedBudget({ kickoffs: 0, requests: 0 }))
    expect([shared.spend('kickoff'), shared.spend('request')]).toEqual([false, false])
  })

  test('shared by four threads that spend at once is spent exactly', async () => {
    const limit = 200_000
    const memory = createSharedBudget({ kickoffs: 7, requests: limit })
    const spend = `
      const budget = built.sharedBudget(data)
      let spent = 0
      while (budget.spend('request')) spent++
      parentPort.postMessage(spent)`
    const threads = Array.from({ length: 4 }, () =>
      inThread<number>('shared-budget', memory, spend),
    )
    const spent = await Promise.all(threads)
    expect(spent.reduce((sum, each) => sum + each, 0)).toBe(limit)
    expect(sharedBudget(memory).spend('kickoff')).toBe(true)
  })
})

test('threads that share a zero read the same time, to a few microseconds', async () => {
  const clock = new RunClock()
  clock.restart(50_000)
  const { zero } = clock
  const read = `
    const clock = new built.RunClock()
    clock.adopt(data)
    const before = process.hrtime.bigint()
    const now = clock.now()
    parentPort.postMessage({ before, now, after: process.hrtime.bigint(), zero: clock.zero })`
  const told = await inThread<{
    before: bigint
    now: number
    after: bigint
    zero: RunClock['zero']
  }>('clock', zero, read)
  const micros = (hrtime: bigint): number => Number(hrtime - zero.hrtimeNanos) / 1_000
  expect(told.now).toBeGreaterThan(micros(told.before) - 20)
  expect(told.now).toBeLessThan(micros(told.after) + 20)
  expect(told.zero.anchorUnixMs).toBe(clock.anchorUnixMs)
})
