/** When service is restored: on series whose answer is known. */
import { describe, expect, test } from 'vitest'
import type { Disturbance, Service } from '../../../src/result/ledger/recovery-time.ts'
import { recoveryOf } from '../../../src/result/ledger/recovery-time.ts'
import { createRandom } from '../../../src/base/random.ts'

const SECOND = 1_000_000
const PER_STEP = 4
/** Two minutes steady, half a minute of trouble, eight minutes observed. */
const DISTURBANCE: Disturbance = {
  steadyFromMicros: 30 * SECOND,
  steadyToMicros: 150 * SECOND,
  fromMicros: 150 * SECOND,
  toMicros: 180 * SECOND,
  untilMicros: 660 * SECOND,
}

/** Each wanted execution is served with the chance of its second. */
function service(chance: (second: number) => number, seed = 1, perStep = PER_STEP): Service {
  const random = createRandom(seed)
  const wanted = Array.from({ length: 660 }, () => perStep)
  const served = wanted.map(
    (count, second) =>
      Array.from({ length: count }, () => random.next() < chance(second)).filter(Boolean).length,
  )
  return { stepMicros: SECOND, wanted, served, unresolved: wanted.map(() => 0) }
}

/** Nobody is served from the beginning of the trouble until `second`. */
function backAt(second: number, share = 1): (at: number) => number {
  return (at) => (at >= 150 && at < second ? 0 : share)
}

function windowOf(share: number): number {
  return recoveryOf(
    service(() => share),
    DISTURBANCE,
  ).windowMicros!
}

describe('restored', () => {
  test.each([180, 195, 240, 400, 600])('at second %i, to within the window', (second) => {
    const { state, windowMicros } = recoveryOf(service(backAt(second, 0.99)), DISTURBANCE)
    if (state.kind !== 'recovered') throw new Error(state.kind)
    const foundMicros = DISTURBANCE.toMicros + state.afterMicros
    expect(Math.abs(foundMicros - second * SECOND)).toBeLessThanOrEqual(windowMicros!)
    expect(foundMicros).toBeLessThanOrEqual(second * SECOND)
    expect(windowMicros).toBeLessThanOrEqual(60 * SECOND)
  })

  test('for good alone: who falls again is not', () => {
    const twice = service((at) => (at < 200 || (at >= 260 && at < 420) || at >= 480 ? 1 : 0))
    const { state } = recoveryOf(twice, DISTURBANCE)
    expect(state.kind).toBe('recovered')
    expect(state).toSatisfy(
      ({ afterMicros }) => afterMicros > 280 * SECOND && afterMicros <= 300 * SECOND,
    )
  })

  test('noise of a steady service is no fall: 300 series of 97 %', () => {
    const late = Array.from({ length: 300 }, (_, seed) =>
      recoveryOf(
        service(() => 0.97, seed),
        DISTURBANCE,
      ),
    ).filter(({ state }) => state.kind !== 'recovered' || state.afterMicros > 0)
    expect(late.length).toBeLessThanOrEqual(9)
  })

  test('a window is the longer, the less sure service was before', () => {
    expect(windowOf(0.95)).toBeGreaterThan(windowOf(1))
  })
})

test('not restored: still below at the end, however little', () => {
  expect(recoveryOf(service(backAt(1_000)), DISTURBANCE).state).toEqual({ kind: 'not-recovered' })
  const below = service((at) => (at < 150 ? 1 : 0.85))
  expect(recoveryOf(below, DISTURBANCE).state).toEqual({ kind: 'not-recovered' })
})

/**
 * From `second` on the end of some was not seen: `hidden` of four, and of the rest all were served.
 */
function cut(whole: Service, second: number, hidden: (at: number) => number): Service {
  const unresolved = whole.wanted.map((_, at) => (at < second ? 0 : hidden(at)))
  const wanted = whole.wanted.map((count, at) => count - unresolved[at]!)
  const served = whole.served.map((count, at) => Math.min(count, wanted[at]!))
  return { ...whole, wanted, served, unresolved }
}

describe('before a cut', () => {
  test('those whose end was not seen are not taken for unserved', () => {
    const seen = recoveryOf(
      cut(service(backAt(240)), 640, () => PER_STEP),
      DISTURBANCE,
    )
    expect(seen.state.kind).toBe('recovered')
    expect(seen.untilMicros).toBeLessThanOrEqual(641 * SECOND)
  })

  test('those that were seen to be served say nothing for the others', () => {
    const never = service(backAt(1_000))
    const quick = { ...never, served: never.served.map((count, at) => (at < 600 ? count : 2)) }
    const seen = recoveryOf(
      cut(quick, 600, () => 2),
      DISTURBANCE,
    )
    expect(seen.state).toEqual({ kind: 'not-recovered' })
    expect(seen.untilMicros).toBeLessThan(620 * SECOND)
  })

  test('that hides everything after the disturbance nothing is told', () => {
    const seen = recoveryOf(
      cut(service(backAt(1_000)), 180, () => PER_STEP),
      DISTURBANCE,
    )
    expect(seen.state.kind).toBe('too-few')
  })
})

describe('not told', () => {
  test('when too few are wanted', () => {
    const few = {
      ...service(() => 1),
      wanted: Array.from({ length: 660 }, (_, at) => (at % 60 === 0 ? 1 : 0)),
    }
    const { state, windowMicros } = recoveryOf({ ...few, served: few.wanted }, DISTURBANCE)
    expect(state.kind).toBe('too-few')
    expect(windowMicros).toBeNull()
    const nobody = { stepMicros: SECOND, wanted: [], served: [], unresolved: [] }
    expect(recoveryOf(nobody, DISTURBANCE).state.kind).toBe('too-few')
  })

  test('when service was falling before', () => {
    const falling = service((at) => (at < 90 ? 1 : 0.8))
    expect(recoveryOf(falling, DISTURBANCE).state).toEqual({ kind: 'unsteady' })
  })

  test('when the load was never carried', () => {
    expect(
      recoveryOf(
        service(() => 0.6),
        DISTURBANCE,
      ).state,
    ).toEqual({ kind: 'overloaded' })
  })
})
