/**
 * A budget of time: kickoffs stop while there is time to drain, and when it is up everything ends.
 */
import type { RunNote } from '../../src/execution/record/notes.ts'
import { describe, expect, test } from 'vitest'
import { budgetEnds } from '../../src/scenario/time-budget.ts'
import type { Plan } from '../../src/scenario/plan.ts'
import { closed, countOutcomes, drive, planOf, rate, SECOND } from './plans.ts'
import type { SimulatedHost } from './simulated-host.ts'
import { busy, crew } from './targets.ts'
import { whyOf } from '../support/reasons.ts'

function planFor(wallSeconds: number, changes: Partial<Plan> = {}): Plan {
  const budget = { kickoffs: null, requests: null, wallMicros: wallSeconds * SECOND }
  return planOf({ arrivals: rate('1/s', '2m'), drainMicros: 20 * SECOND, budget, ...changes })
}

function endMicros(host: SimulatedHost): number {
  return host.linesOf('finished')[0]!.atMicros
}

function notes(host: SimulatedHost): RunNote[] {
  return host
    .linesOf('incident')
    .flatMap(({ incident }) => (incident.kind === 'note' ? [incident.note] : []))
}

describe('kickoffs stop', () => {
  test.each([
    ['the time to drain before the end', 60, 20, 40],
    ['at half the time where that is later', 30, 20, 15],
    ['at the end where nothing is drained', 60, 0, 60],
  ])('%s', (_, wall, drain, stops) => {
    const host = drive(
      planFor(wall, { drainMicros: drain * SECOND }),
      crew({ durationMicros: 5 * SECOND }),
    )
    const kickoffs = host.requests.filter(({ request }) => request.operation === 'kickoff')
    expect(kickoffs.at(-1)!.atMicros).toBe((stops - 1) * SECOND)
    expect(host.records.filter((record) => whyOf(record) === 'time budget spent').length).toBe(
      drain === 0 ? 120 - stops + 5 : 120 - stops,
    )
    expect(notes(host)).toEqual([{ code: 'budget-spent', budget: 'time', isPart: false }])
  })

  test('and retries of them, too', () => {
    const host = drive(planFor(40), busy)
    expect(Math.max(...host.ofExecutions.map(({ atMicros }) => atMicros))).toBeLessThan(20 * SECOND)
    expect(countOutcomes(host)).toEqual({ rejected: 20, notReached: 100 })
  })

  test('and closed clients do not come again', () => {
    const arrivals = closed({ clients: 3, forMicros: 600 * SECOND })
    const host = drive(planFor(40, { arrivals }), crew({ durationMicros: 5 * SECOND }))
    expect(endMicros(host)).toBeLessThan(40 * SECOND)
    expect(countOutcomes(host)['completed']).toBeGreaterThan(8)
  })
})

describe('when it is up', () => {
  test('what still runs is given up, and nothing is asked any more', () => {
    const host = drive(
      planFor(60, { confirmShare: 1 }),
      crew({ durationMicros: (index) => (index % 2 === 0 ? SECOND : 600 * SECOND) }),
    )
    expect(endMicros(host)).toBe(60 * SECOND)
    expect(Math.max(...host.ofExecutions.map(({ atMicros }) => atMicros))).toBeLessThan(60 * SECOND)
    expect(countOutcomes(host)).toEqual({ completed: 20, aborted: 20, notReached: 80 })
    const aborted = host.records.filter(({ outcome }) => outcome === 'aborted')
    expect(new Set(aborted.map(whyOf))).toEqual(new Set(['time budget spent']))
    expect(host.linesOf('finished')[0]).toMatchObject({ stopped: null, stopReason: null })
  })

  test('a drain that it cuts short names it', () => {
    const host = drive(planFor(60), crew({ durationMicros: 600 * SECOND }), {
      meanwhile: (engine, simulated) => simulated.at(50 * SECOND, () => engine.stop('drain')),
    })
    expect(endMicros(host)).toBe(60 * SECOND)
    expect(host.linesOf('finished')[0]).toMatchObject({ stopped: 'now' })
    const aborted = host.records.filter(({ outcome }) => outcome === 'aborted')
    expect(new Set(aborted.map(whyOf))).toEqual(new Set(['time budget spent']))
  })

  test('a run that ends before hears nothing of it', () => {
    const plan = planFor(300, { arrivals: rate('1/s', '10s') })
    const host = drive(plan, crew({ durationMicros: 5 * SECOND }))
    expect(notes(host)).toEqual([])
    expect(countOutcomes(host)).toEqual({ completed: 10 })
  })

  test('an arrival that would come later is not waited for', () => {
    const arrivals = { kind: 'replay', offsetsMicros: [0, 3_600 * SECOND] } as const
    const host = drive(planFor(60, { arrivals }), crew({ durationMicros: 5 * SECOND }))
    expect(endMicros(host)).toBe(40 * SECOND)
    expect(countOutcomes(host)).toEqual({ completed: 1, notReached: 1 })
  })
})

test('without a limit nothing ends', () => {
  const ends = budgetEnds({
    budget: { kickoffs: 1, requests: 1, wallMicros: null },
    drainMicros: SECOND,
  })
  expect(ends).toEqual({ kickoffsMicros: Infinity, allMicros: Infinity })
})
