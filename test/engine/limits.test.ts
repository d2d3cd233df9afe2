import { describe, expect, test } from 'vitest'
import { SECOND, brokenInputs, closed, countOutcomes, drive, planOf, rate } from './plans.ts'
import { busy, crew, refusing } from './targets.ts'
import { whyOf } from '../support/reasons.ts'

const quick = crew({ durationMicros: 2 * SECOND })
const long = crew({ durationMicros: 5 * SECOND })

describe('max in flight, queue', () => {
  const admission = { maxInFlight: 2, whenFull: 'queue' } as const
  const host = drive(planOf({ admission }), long)

  test('never lets more in', () => {
    expect(host.linesOf('finished')[0]!.engine.maxInFlight).toBe(2)
  })

  test('lets all in, first come, first served', () => {
    expect(countOutcomes(host)).toEqual({ completed: 10 })
    expect(host.linesOf('started').map(({ index }) => index)).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
    ])
  })

  test('keeps the intended time, so that the wait is part of what users wait for', () => {
    const last = host.records.find(({ index }) => index === 9)!
    expect(last.intendedMicros).toBe(9 * SECOND)
    expect(last.sentMicros).toBeGreaterThan(20 * SECOND)
  })

  test('does not blame the generator for the wait', () => {
    for (const { kickoff, sentMicros, intendedMicros } of host.records) {
      expect(kickoff.lateMicros).toEqual([0])
      expect(kickoff.dueMicros).toEqual([sentMicros! - intendedMicros])
    }
  })

  test('counts a place from the kickoff on, accepted or not', () => {
    const slow = crew({ durationMicros: 0, latencyMicros: 3 * SECOND })
    const one = { maxInFlight: 1, whenFull: 'queue' } as const
    const starts = drive(planOf({ admission: one }), slow).linesOf('started')
    expect(starts[1]!.atMicros).toBe(6 * SECOND)
  })

  test('holds for a backlog of thousands that ends within one wake', () => {
    const arrivals = { kind: 'replay', offsetsMicros: Array(5_000).fill(0) } as const
    const one = { maxInFlight: 1, whenFull: 'queue' } as const
    const dropped = drive(planOf({ arrivals, inputs: brokenInputs, admission: one }), quick)
    expect(countOutcomes(dropped)).toEqual({ dropped: 5_000 })
    expect(dropped.records.map(({ index }) => index)).toEqual(
      Array.from({ length: 5_000 }, (_, index) => index),
    )
  })
})

test('a long queue keeps its order', () => {
  const arrivals = { kind: 'replay', offsetsMicros: Array(1_500).fill(0) } as const
  const admission = { maxInFlight: 1, whenFull: 'queue' } as const
  const starts = drive(planOf({ arrivals, admission }), quick).linesOf('started')
  expect(starts.map(({ index }) => index)).toEqual(Array.from({ length: 1_500 }, (_, i) => i))
})

describe('max in flight, drop', () => {
  test('drops who finds no place, and says why', () => {
    const admission = { maxInFlight: 2, whenFull: 'drop' } as const
    const host = drive(planOf({ admission }), long)
    const dropped = host.records.filter(({ outcome }) => outcome === 'dropped')
    expect(dropped.map(({ index }) => index)).toEqual([2, 3, 4, 5, 8, 9])
    expect(new Set(dropped.map(whyOf))).toEqual(new Set(['max in flight']))
  })

  test('lets closed clients wait all the same', () => {
    const admission = { maxInFlight: 1, whenFull: 'drop' } as const
    const host = drive(planOf({ admission, arrivals: closed() }), quick)
    expect(countOutcomes(host)['dropped']).toBeUndefined()
  })
})

test.each([
  [7, 3, [3, 2, 2]],
  [2, 3, [1, 1, 1]],
])('%d places are shared between %d instances', (maxInFlight, instances, places) => {
  const admission = { maxInFlight, whenFull: 'drop' } as const
  const arrivals = { kind: 'replay', offsetsMicros: Array(30).fill(0) } as const
  const admitted = places.map((_, instance) => {
    const engine = { instance, instances }
    return countOutcomes(drive(planOf({ admission, arrivals }), long, { engine }))['completed']
  })
  expect(admitted).toEqual(places)
})

describe('kickoff budget', () => {
  const host = drive(planOf(), quick, { kickoffs: 4 })

  test('sends no more kickoffs than it allows', () => {
    const kickoffs = host.requests.filter(({ request }) => request.operation === 'kickoff')
    expect(kickoffs).toHaveLength(4)
  })

  test('does not reach the other arrivals, says why at once, and says so', () => {
    expect(countOutcomes(host)).toEqual({ completed: 4, notReached: 6 })
    const reasons = host.records.filter(({ outcome }) => outcome === 'notReached')
    expect(reasons.every((record) => whyOf(record) === 'kickoff budget spent')).toBe(true)
    expect(reasons.every(({ endedMicros }) => endedMicros === 4 * SECOND)).toBe(true)
    expect(host.incidents).toMatchObject([
      { incident: { note: { code: 'budget-spent', budget: 'kickoff' } } },
    ])
  })

  test('is spent by each retry of a kickoff, which may start another paid run', () => {
    const retried = drive(planOf(), busy, { kickoffs: 5 })
    expect(retried.ofExecutions).toHaveLength(5)
    expect(countOutcomes(retried)).toEqual({ rejected: 3, notReached: 7 })
  })

  test('leaves no started line for a kickoff that was refused', () => {
    expect(host.linesOf('started')).toHaveLength(4)
  })

  test('ends closed clients too', () => {
    const ended = drive(planOf({ arrivals: closed() }), quick, { kickoffs: 5 })
    expect(countOutcomes(ended)).toMatchObject({ completed: 5 })
    expect(ended.sent).toBeLessThan(30)
  })
})

describe('request budget', () => {
  test('aborts what cannot be followed any more, and does not reach the rest', () => {
    const host = drive(planOf(), crew({ durationMicros: 20 * SECOND }), { requests: 12 })
    expect(host.sent).toBe(12)
    const aborted = host.records.filter(({ outcome }) => outcome === 'aborted')
    expect(aborted.length).toBeGreaterThan(0)
    expect(aborted.every((record) => whyOf(record) === 'request budget spent')).toBe(true)
    expect(countOutcomes(host)['notReached']).toBe(10 - aborted.length)
  })

  test('is told once, also when the kickoff budget was spent before', () => {
    const host = drive(planOf(), crew({ durationMicros: 20 * SECOND }), {
      kickoffs: 3,
      requests: 12,
    })
    expect(host.incidents.map(({ incident }) => incident)).toEqual([
      { kind: 'note', note: { code: 'budget-spent', budget: 'kickoff', isPart: false } },
      { kind: 'note', note: { code: 'budget-spent', budget: 'request', isPart: false } },
    ])
  })

  test('still hears the answers that are under way', () => {
    const slow = crew({ durationMicros: 0, latencyMicros: SECOND / 2 })
    const host = drive(planOf({ arrivals: rate('1/s', '2s') }), slow, { requests: 4 })
    expect(countOutcomes(host)).toEqual({ completed: 2 })
  })
})

describe('the retry budget', () => {
  const { retry } = planOf()
  const plan = planOf({
    retry: { ...retry, budget: { ratio: 0, minimum: 4, windowMicros: 3_600 * SECOND } },
  })

  test('allows no more retries over the whole run', () => {
    expect(drive(plan, busy).ofExecutions).toHaveLength(10 + 4)
  })

  test('is one for all instances', () => {
    const sent = [0, 1].map((instance) => {
      const host = drive(plan, busy, { engine: { instance, instances: 2 } })
      return host.ofExecutions.length
    })
    expect(sent).toEqual([5 + 2, 5 + 2])
  })
})

describe('a target that refuses connections', () => {
  test('leaves every arrival rejected', () => {
    expect(countOutcomes(drive(planOf(), refusing()))).toEqual({ rejected: 10 })
  })
})
