/**
 * The circuit in an engine: a target that is dead or refuses us gets no more kickoffs, one that
 * comes back in time does.
 */
import { describe, expect, test } from 'vitest'
import type { TargetLoss } from '../../src/scenario/target-loss.ts'
import type { Plan } from '../../src/scenario/plan.ts'
import { countOutcomes, drive, planOf, rate, SECOND } from './plans.ts'
import type { SimulatedHost, SimulatedTarget } from './simulated-host.ts'
import { crew, json, refusing } from './targets.ts'
import { whyOf } from '../support/reasons.ts'

const CIRCUIT = { afterMicros: 30 * SECOND, requests: 10 }
const DIES = 60 * SECOND

/** Two minutes of arrivals of ten seconds each, one a second. */
function planWith(changes: Partial<Plan> = {}): Plan {
  return planOf({ arrivals: rate('1/s', '2m'), circuit: CIRCUIT, ...changes })
}

/** A crew in whose place this one answers from a point on, until another. */
function gone(
  instead: SimulatedTarget,
  { until = Infinity, operation }: { until?: number; operation?: 'kickoff' | 'status' } = {},
): SimulatedTarget {
  const well = crew({ durationMicros: 10 * SECOND })
  return (request, now) => {
    const reply = well(request, now)
    const isMeant = operation === undefined || request.operation === operation
    return isMeant && now >= DIES && now < until ? instead(request, now) : reply
  }
}

function lossOf(host: SimulatedHost): TargetLoss | null {
  const found = host
    .linesOf('incident')
    .flatMap(({ incident }) => (incident.kind === 'target-lost' ? [incident.loss] : []))
  expect(found.length).toBeLessThanOrEqual(1)
  return found[0] ?? null
}

function lastKickoffMicros(host: SimulatedHost): number {
  return host.requests.findLast(({ request }) => request.operation === 'kickoff')!.atMicros
}

const denied: SimulatedTarget = () => json(401, '{"error":"Unauthorized","message":"no"}', 1_000)
const failing: SimulatedTarget = () => json(502, '<h1>Bad Gateway</h1>', 1_000)
const broken: SimulatedTarget = () => json(500, '{"error":"oops","message":"oops"}', 1_000)
describe('a target that dies', () => {
  test.each<[string, SimulatedTarget, Partial<TargetLoss>]>([
    ['nothing listens any more', refusing(), { state: 'dead', first: 'refused', last: 'refused' }],
    ['no name any more', nameless, { state: 'dead', first: 'dns', last: 'dns' }],
    ['every answer a 502', failing, { state: 'dead', first: 502, last: 502 }],
    ['no answer any more', () => ({ kind: 'silence' }), { state: 'dead', first: 'timeout' }],
    ['our token refused', denied, { state: 'refused', first: 401, last: 401 }],
  ])('%s: kickoffs stop after the set time', (_, instead, expected) => {
    const host = drive(planWith(), gone(instead))
    const loss = lossOf(host)
    expect(loss).toMatchObject({ scope: 'everything', ...expected })
    expect(loss!.sinceMicros).toBeGreaterThanOrEqual(DIES)
    expect(loss!.untilMicros - loss!.sinceMicros).toBeGreaterThanOrEqual(CIRCUIT.afterMicros)
    expect(loss!.untilMicros).toBeLessThan(DIES + CIRCUIT.afterMicros + 10 * SECOND)
    expect(lastKickoffMicros(host)).toBeLessThanOrEqual(loss!.untilMicros)
    const words = expected.state === 'dead' ? 'target dead' : 'target refuses us'
    const unsent = host.records.filter(({ outcome }) => outcome === 'notReached')
    expect(unsent.length).toBeGreaterThan(15)
    expect(new Set(unsent.map(whyOf))).toEqual(new Set([words]))
  })

  test('executions in flight are polled to their deadline', () => {
    const host = drive(planWith(), gone(refusing()))
    const accepted = host.records.filter(({ acceptedMicros }) => acceptedMicros !== null)
    const unread = accepted.filter(({ outcome }) => outcome === 'unreadable')
    expect(unread.length).toBeGreaterThan(5)
    for (const { sentMicros, endedMicros } of unread) {
      expect(endedMicros - sentMicros!).toBe(60 * SECOND)
    }
  })

  test('one that answers again before the set time is over loses nothing', () => {
    const host = drive(planWith(), gone(refusing(), { until: DIES + 29 * SECOND }))
    expect(lossOf(host)).toBeNull()
    expect(countOutcomes(host)['notReached']).toBeUndefined()
  })

  test('nothing opens it where the plan has none', () => {
    const host = drive(planWith({ circuit: null }), gone(refusing()))
    expect(lossOf(host)).toBeNull()
    expect(lastKickoffMicros(host)).toBeGreaterThan(119 * SECOND)
  })
})

describe('kickoffs alone', () => {
  /** They go on being polled, and answered, past the set time. */
  const long = { deadlineMicros: 600 * SECOND }

  test('that only fail stop, though polls are answered', () => {
    const well = crew({ durationMicros: 100 * SECOND })
    const host = drive(planWith(long), (request, now) => {
      const reply = well(request, now)
      return request.operation === 'kickoff' && now >= DIES ? broken(request, now) : reply
    })
    expect(lossOf(host)).toMatchObject({ state: 'dead', scope: 'kickoffs', first: 500 })
    expect(countOutcomes(host)['completed']).toBe(60)
  })
})

function nameless(): ReturnType<SimulatedTarget> {
  return { kind: 'failure', afterMicros: 200, class: 'dns', written: false }
}
