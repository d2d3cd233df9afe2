/** Clock, wakes and deadlines on a clock of the test's own, and one look at the real one. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Deadlines, NodeTimer } from '../../src/host/node/clock.ts'
import { Waker } from '../../src/host/waker.ts'
import { nodeHost } from './support.ts'

const NOWHERE = 'http://127.0.0.1:1'

describe('on fake timers', () => {
  let startMs = 0
  const now = (): number => Math.floor((performance.now() - startMs) * 1_000)

  beforeEach(() => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate', 'performance'],
    })
    startMs = performance.now()
  })
  afterEach(() => {
    // First: a spy on a fake timer stands in the way of the real one.
    vi.restoreAllMocks()
    vi.useRealTimers()
  })

  test('wakes at the due time, never before', async () => {
    const woken: number[] = []
    new Waker(now, new NodeTimer()).wakeAt(20_000, () => woken.push(now()))
    await vi.advanceTimersByTimeAsync(19)
    expect(woken).toEqual([])
    await vi.advanceTimersByTimeAsync(2)
    expect(woken).toEqual([20_000])
  })

  test('keeps one wake: a new one replaces it, earlier or later', async () => {
    const waker = new Waker(now, new NodeTimer())
    const woken: string[] = []
    waker.wakeAt(20_000, () => woken.push('first'))
    waker.wakeAt(10_000, () => woken.push('earlier'))
    waker.wakeAt(30_000, () => woken.push('later'))
    await vi.advanceTimersByTimeAsync(25)
    expect(woken).toEqual([])
    await vi.advanceTimersByTimeAsync(6)
    expect(woken).toEqual(['later'])
  })

  test('clears the wake at Infinity', async () => {
    const waker = new Waker(now, new NodeTimer())
    const wake = vi.fn<() => void>()
    waker.wakeAt(10_000, wake)
    waker.wakeAt(Infinity, wake)
    await vi.advanceTimersByTimeAsync(50)
    expect(wake).not.toHaveBeenCalled()
    expect(vi.getTimerCount()).toBe(0)
  })

  test('wakes for what is due already, but not from within the call', async () => {
    const wake = vi.fn<() => void>()
    new Waker(now, new NodeTimer()).wakeAt(-5, wake)
    expect(wake).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(wake).toHaveBeenCalledTimes(1)
  })

  test('sleeps a whole millisecond where many are due, and never wakes before the first', async () => {
    const waker = new Waker(now, new NodeTimer())
    const immediate = vi.spyOn(globalThis, 'setImmediate')
    const late: number[] = []
    let due = 100
    const wake = (): void => {
      for (; due <= now(); due += 100) late.push(now() - due)
      if (due < 10_000) waker.wakeAt(due, wake)
    }
    waker.wakeAt(due, wake)
    await vi.advanceTimersByTimeAsync(20)
    expect(late.length).toBeGreaterThanOrEqual(99)
    expect(Math.min(...late)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...late)).toBeLessThanOrEqual(1_000)
    expect(immediate).not.toHaveBeenCalled()
  })

  test('sleeps longer than setTimeout can', async () => {
    const wake = vi.fn<() => void>()
    const dueMs = 2 ** 31 + 50
    new Waker(now, new NodeTimer()).wakeAt(dueMs * 1_000, wake)
    await vi.advanceTimersByTimeAsync(dueMs - 100)
    expect(wake).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(101)
    expect(wake).toHaveBeenCalledTimes(1)
  })

  test('expires each deadline once, late by less than a slot and a tick, never early', async () => {
    const deadlines = new Deadlines(now)
    const expired: [number, number][] = []
    for (const due of [33_000, 7_000, 7_500, 90_001, 33_000]) {
      deadlines.add(due, { expire: () => expired.push([due, now() - due]) })
    }
    await vi.advanceTimersByTimeAsync(200)
    expect(expired.map(([due]) => due)).toEqual([7_000, 7_500, 33_000, 33_000, 90_001])
    for (const [, late] of expired) {
      expect(late).toBeGreaterThanOrEqual(0)
      expect(late).toBeLessThanOrEqual(6_000)
    }
  })

  test('expires no deadline that was removed, and keeps no timer for none', async () => {
    const deadlines = new Deadlines(now)
    const expiring = { expire: vi.fn<() => void>() }
    deadlines.remove(deadlines.add(10_000, expiring), expiring)
    await vi.advanceTimersByTimeAsync(50)
    expect(expiring.expire).not.toHaveBeenCalled()
    expect(vi.getTimerCount()).toBe(0)
  })

  test('takes deadlines that are set while others expire', async () => {
    const deadlines = new Deadlines(now)
    const second = { expire: vi.fn<() => void>() }
    deadlines.add(10_000, { expire: () => void deadlines.add(now() + 20_000, second) })
    await vi.advanceTimersByTimeAsync(20)
    expect(second.expire).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(20)
    expect(second.expire).toHaveBeenCalledTimes(1)
  })
})

test('counts integer microseconds from the moment the clock is started', async () => {
  const host = await nodeHost(NOWHERE)
  await new Promise((done) => setTimeout(done, 100))
  const before = host.now()
  host.startClock()
  const now = host.now()
  expect(Number.isInteger(now)).toBe(true)
  expect(now).toBeGreaterThanOrEqual(0)
  expect(now).toBeLessThan(before)
})

test('knows where its zero lies on the wall clock, to a fraction of a millisecond', async () => {
  const host = await nodeHost(NOWHERE)
  host.startClock()
  await new Promise((done) => setTimeout(done, 20))
  expect(Math.abs(host.anchorUnixMs + host.now() / 1_000 - Date.now())).toBeLessThan(2)
})

test('continues with the zero of a run that another process began', async () => {
  const host = await nodeHost(NOWHERE)
  const anchorUnixMs = Date.now() - 3_600_000.25
  host.startClockAt(anchorUnixMs)
  expect(host.anchorUnixMs).toBe(anchorUnixMs)
  expect(Math.abs(anchorUnixMs + host.now() / 1_000 - Date.now())).toBeLessThan(2)
})

test('wakes on an absolute schedule, never early, and late by little where the machine lets it', async () => {
  const host = await nodeHost(NOWHERE)
  host.startClock()
  const lateMicros: number[] = []
  await new Promise<void>((done) => {
    const wake = (due: number): void => {
      lateMicros.push(host.now() - due)
      if (lateMicros.length === 50) done()
      else host.wakeAt(due + 3_700, () => wake(due + 3_700))
    }
    host.wakeAt(10_000, () => wake(10_000))
  })
  const least = Math.min(...lateMicros)
  expect(least).toBeGreaterThanOrEqual(0)
  expect(least).toBeLessThan(1_500)
})
