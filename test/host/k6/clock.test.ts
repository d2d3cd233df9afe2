/** The run's clock and wakes inside k6. */
import { assert, double, integer, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anchorOf, K6Clock, K6Timer } from '../../../src/host/k6/clock.ts'
import { Waker } from '../../../src/host/waker.ts'
import { StillWorld } from './world.ts'

/** Each reading takes a while; `stallAt` is the reading that takes long. */
class SlowWorld extends StillWorld {
  readonly #costMs: number
  readonly #stallAt: number
  #readings = 0

  constructor(costMs: number, stallAt: number) {
    super()
    this.#costMs = costMs
    this.#stallAt = stallAt
  }

  override elapsedMs(): number {
    this.#readings++
    this.elapsed += this.#readings === this.#stallAt ? 40 : this.#costMs
    return this.elapsed
  }
}

describe('the clock', () => {
  test('counts whole microseconds from its zero, and is negative before', () => {
    const world = new StillWorld()
    const clock = new K6Clock(world, 250)
    expect(clock.now()).toBe(-250_000)
    world.elapsed = 251.234_9
    expect(clock.now()).toBe(1_234)
  })

  test('goes on from where it was after a step back, and counts it', () => {
    const world = new StillWorld()
    const clock = new K6Clock(world, 0)
    world.elapsed = 5_000
    clock.now()
    world.elapsed = 2_000
    expect(clock.now()).toBe(5_000_000)
    world.elapsed = 2_001
    expect(clock.now()).toBe(5_001_000)
    expect(clock.stepsBack).toBe(1)
  })

  test('stands still where the wall clock is slewed back a little', () => {
    const world = new StillWorld()
    const clock = new K6Clock(world, 0)
    world.elapsed = 100
    clock.now()
    world.elapsed = 99
    expect(clock.now()).toBe(100_000)
    expect(clock.stepsBack).toBe(0)
  })

  test('finds where its start lies on the wall clock, and is never further off than it says', () => {
    assert(
      property(
        double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        double({ min: 0.000_5, max: 0.2, noNaN: true }),
        integer({ min: 1, max: 30 }),
        (fraction, costMs, stallAt) => {
          const world = new SlowWorld(costMs, stallAt)
          world.wallAheadMs = 1_700_000_000_000 + fraction
          const { unixMs, errorMicros } = anchorOf(world)
          const offMs = Math.abs(unixMs - world.wallAheadMs)
          // The wall clock itself is a double of a quarter of a microsecond's step.
          expect(offMs).toBeLessThanOrEqual(errorMicros / 1_000 + 0.001)
          expect(errorMicros).toBeLessThanOrEqual(520)
        },
      ),
    )
  })

  test('is a fraction of a millisecond off where reading takes microseconds', () => {
    const { errorMicros } = anchorOf(new SlowWorld(0.002, 0))
    expect(errorMicros).toBeLessThan(20)
  })
})

function waker() {
  const world = new StillWorld()
  const clock = new K6Clock(world, 0)
  const woken: number[] = []
  const wake = (): void => void woken.push(clock.now())
  return { world, waker: new Waker(() => clock.now(), new K6Timer(world)), wake, woken }
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
