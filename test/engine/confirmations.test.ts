import { describe, expect, test } from 'vitest'
import type { IncidentLine } from '../../src/execution/record/journal-lines.ts'
import type { SimulatedHost, SimulatedTarget } from './simulated-host.ts'
import { SECOND, countOutcomes, drive, planOf, rate } from './plans.ts'
import { COMPLETED, FAILED, RUNNING, crew, json } from './targets.ts'

const quick = crew({ durationMicros: SECOND / 2 })

/** Completed once, and ever after what `then` says. */
function forgetful(then: () => ReturnType<SimulatedTarget>): SimulatedTarget {
  const told = new Set<number>()
  return (request, now) => {
    if (request.operation === 'kickoff') return quick(request, now)
    if (told.has(request.execution)) return then()
    told.add(request.execution)
    return json(200, COMPLETED, 1_000)
  }
}

function violationsIn({ incidents }: SimulatedHost): IncidentLine[] {
  return incidents.filter(({ incident }) => incident.kind === 'violation')
}

describe('confirmations', () => {
  test('look twice at each chosen execution: after its end, and at the end of the run', () => {
    const host = drive(planOf({ confirmShare: 1 }), quick)
    expect(host.linesOf('finished')[0]!.engine.confirmations).toBe(20)
    expect(violationsIn(host)).toEqual([])
  })

  test('are told with their answers, since no record holds them', () => {
    const host = drive(planOf({ confirmShare: 1 }), quick)
    expect(host.incidents).toHaveLength(20)
    const [first] = host.incidents
    expect(first).toMatchObject({
      index: 0,
      atMicros: host.records[0]!.endedMicros + 1_000,
      incident: { kind: 'confirmation', serviceMicros: 1_000, answer: 200 },
    })
  })

  test('choose the same share whatever the order of the ends', () => {
    const chosen = [quick, crew({ durationMicros: (index) => (index % 7) * SECOND })].map(
      (target) =>
        drive(planOf({ arrivals: rate('10/s', '10s'), confirmShare: 0.1 }), target).linesOf(
          'finished',
        )[0]!.engine.confirmations,
    )
    expect(chosen[0]).toBe(chosen[1])
    expect(chosen[0]).toBeGreaterThan(4)
    expect(chosen[0]).toBeLessThan(40)
  })

  test('report a final state that was not final, and change no outcome', () => {
    const host = drive(
      planOf({ confirmShare: 1 }),
      forgetful(() => json(200, RUNNING, 1_000)),
    )
    expect(countOutcomes(host)).toEqual({ completed: 10 })
    const incidents = violationsIn(host)
    expect(incidents).toHaveLength(10)
    expect(incidents[0]).toMatchObject({
      index: 0,
      incident: { kind: 'violation', violation: { rule: 'terminal-state-is-final' } },
    })
  })

  test('leave failed executions their turn', () => {
    const host = drive(
      planOf({ confirmShare: 1 }),
      forgetful(() => json(200, FAILED, 1_000)),
    )
    expect(violationsIn(host).length).toBeGreaterThan(0)
  })

  test('ask nobody who never ended in a state of its own', () => {
    const host = drive(planOf({ confirmShare: 1, deadlineMicros: 3 * SECOND }), (request, now) =>
      request.operation === 'kickoff' ? quick(request, now) : json(200, RUNNING, 1_000),
    )
    expect(host.linesOf('finished')[0]!.engine.confirmations).toBe(0)
  })

  test('do not hold up the end of a run for longer than one request may take', () => {
    const plan = planOf({ confirmShare: 1, arrivals: rate('100/s', '1s') })
    const host = drive(
      plan,
      forgetful(() => ({ kind: 'silence' })),
    )
    const lastEnd = Math.max(...host.records.map(({ endedMicros }) => endedMicros))
    expect(host.linesOf('finished')[0]).toMatchObject({
      stopped: null,
      atMicros: lastEnd + plan.http.requestTimeoutMicros,
    })
  })

  test('look again at no more than 500', () => {
    const host = drive(planOf({ confirmShare: 1, arrivals: rate('100/s', '6s') }), quick)
    expect(host.linesOf('finished')[0]!.engine.confirmations).toBe(600 + 500)
  })

  test('come eight at once at the end of the run, not in a burst', () => {
    const host = drive(planOf({ confirmShare: 1, arrivals: rate('100/s', '1s') }), quick)
    const lastEnd = Math.max(...host.records.map(({ endedMicros }) => endedMicros))
    const second = host.requests.slice(-100).filter(({ atMicros }) => atMicros === lastEnd + 1_000)
    expect(second).toHaveLength(8)
  })

  test('count against the request budget, and stop where it is spent', () => {
    const host = drive(planOf({ confirmShare: 1, arrivals: rate('1/s', '2s') }), quick, {
      requests: 7,
    })
    expect(host.sent).toBe(7)
    expect(countOutcomes(host)).toEqual({ completed: 2 })
  })

  test.each(['drain', 'now'] as const)(
    'are cut short by a stop (%s), which stops nothing else',
    (how) => {
      const host = drive(
        planOf({ confirmShare: 1 }),
        forgetful(() => ({ kind: 'silence' })),
        { meanwhile: (engine, host) => host.at(12 * SECOND, () => engine.stop(how)) },
      )
      expect(host.linesOf('finished')[0]).toMatchObject({ stopped: null, atMicros: 12 * SECOND })
      expect(countOutcomes(host)).toEqual({ completed: 10 })
    },
  )
})
