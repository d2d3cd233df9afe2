/** The run's clock and wakes inside k6. */
import { describe, expect, test } from 'vitest'
import { hostIn, StillWorld } from './world.ts'

describe('the clock', () => {
  test('counts whole microseconds from its zero, and is negative before', () => {
    const world = new StillWorld()
    const clock = hostIn(world, { zeroMs: 250 })
    expect(clock.now()).toBe(-250_000)
    world.elapsed = 251.234_9
    expect(clock.now()).toBe(1_234)
  })

  test('goes on from where it was after a step back, and counts it', () => {
    const world = new StillWorld()
    const clock = hostIn(world)
    world.elapsed = 5_000
    clock.now()
    world.elapsed = 2_000
    expect(clock.now()).toBe(5_000_000)
    world.elapsed = 2_001
    expect(clock.now()).toBe(5_001_000)
    expect(clock.vitals().clockSteps).toBe(1)
  })

  test('stands still where the wall clock is slewed back a little', () => {
    const world = new StillWorld()
    const clock = hostIn(world)
    world.elapsed = 100
    clock.now()
    world.elapsed = 99
    expect(clock.now()).toBe(100_000)
    expect(clock.vitals().clockSteps).toBe(0)
  })
})

function waker() {
  const world = new StillWorld()
  const host = hostIn(world)
  const woken: number[] = []
  const wake = (): void => void woken.push(host.now())
  return { world, waker: host, wake, woken }
}

describe('a wake', () => {
  test('comes when it is due, and a new one replaces it', async () => {
    const { world, waker: own, wake, woken } = waker()
    own.wakeAt(30_000, wake)
    own.wakeAt(10_000, wake)
    await world.pass(100)
    expect(woken).toEqual([10_000])
    own.wakeAt(150_000, wake)
    own.wakeAt(180_000, wake)
    await world.pass(200)
    expect(woken).toEqual([10_000, 180_000])
  })

  test('is never early, though a timer of k6 may be', async () => {
    const { world, waker: own, wake, woken } = waker()
    own.wakeAt(50_000, wake)
    await world.pass(10)
    world.fireEarly()
    expect(woken).toEqual([])
    await world.pass(60)
    expect(woken).toEqual([50_000])
  })

  test('that is cleared leaves no timer, which would keep the VU from ending', () => {
    const { world, waker: own, wake } = waker()
    own.wakeAt(50_000, wake)
    own.wakeAt(Infinity, wake)
    expect(world.timers).toBe(0)
  })
})
