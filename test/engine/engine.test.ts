import { describe, expect, test } from 'vitest'
import { createEngine } from '../../src/engine/engine.ts'
import type { EngineStats } from '../../src/engine/engine.ts'
import { SimulatedHost } from './simulated-host.ts'
import { crew, refusing, silent } from './targets.ts'
import { SECOND, brokenInputs, closed, countOutcomes, drive, planOf, rate } from './plans.ts'

const quick = crew({ durationMicros: 2 * SECOND })

describe('open arrivals', () => {
  test('sends each kickoff exactly when it is intended', () => {
    const host = drive(planOf({ arrivals: rate('40/h', '6m') }), quick)
    const sent = host
      .linesOf('started')
      .map(({ intendedMicros, atMicros }) => [intendedMicros, atMicros])
    expect(sent).toEqual([0, 90, 180, 270].map((s) => [s * SECOND, s * SECOND]))
  })

  test('drives ten thousand executions at once', () => {
    const arrivals = { kind: 'replay', offsetsMicros: Array(10_000).fill(0) } as const
    const host = drive(planOf({ arrivals }), quick)
    expect(countOutcomes(host)).toEqual({ completed: 10_000 })
    expect(host.linesOf('finished')[0]!.engine.maxInFlight).toBe(10_000)
  })

  test('does not slow its arrivals down for a slow target', () => {
    const slow = crew({ durationMicros: SECOND, latencyMicros: 4 * SECOND })
    const host = drive(planOf(), slow)
    expect(host.linesOf('started').map(({ atMicros }) => atMicros / SECOND)).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
    ])
  })

  test('marks the arrivals of the warm-up', () => {
    const host = drive(planOf({ warmUpMicros: 3 * SECOND }), quick)
    const warm = host.records.filter(({ warmUp }) => warmUp).map(({ index }) => index)
    expect(warm.sort((a, b) => a - b)).toEqual([0, 1, 2])
  })

  test('ends at once when there are no arrivals', () => {
    const host = drive(planOf({ arrivals: rate('0/s', '1m') }), quick)
    expect(host.lines.map(({ type }) => type)).toEqual(['finished'])
  })

  test('waits for the last execution after the last arrival', () => {
    const host = drive(planOf(), crew({ durationMicros: 30 * SECOND }))
    expect(host.linesOf('finished')[0]!.atMicros).toBeGreaterThan(39 * SECOND)
  })
})

describe('journal', () => {
  test('writes started before the kickoff is sent, then accepted, then ended', () => {
    const host = drive(planOf({ arrivals: rate('1/s', '1s') }), quick)
    expect(host.lines.map(({ type }) => type)).toEqual([
      'started',
      'accepted',
      'ended',
      'incident',
      'finished',
    ])
  })

  test('writes started once for a kickoff that is repeated', () => {
    const host = drive(planOf({ arrivals: rate('1/s', '1s') }), refusing())
    expect(host.ofExecutions).toHaveLength(2)
    expect(host.linesOf('started')).toHaveLength(1)
  })

  test('is the same for the same seed', () => {
    const arrivals = {
      ...rate('5/s', '20s'),
      process: { kind: 'poisson' },
    } as ReturnType<typeof rate>
    const [one, other] = [1, 2].map(() => drive(planOf({ arrivals, confirmShare: 0.2 }), quick))
    expect(one!.lines).toEqual(other!.lines)
  })
})

describe('stats', () => {
  test('tell what happened so far', () => {
    const seen: EngineStats[] = []
    const admission = { maxInFlight: 2, whenFull: 'queue' } as const
    const plan = planOf({ admission })
    drive(plan, crew({ durationMicros: 5 * SECOND }), {
      meanwhile: (engine, host) => host.at(6.5 * SECOND, () => seen.push(engine.stats())),
    })
    expect(seen).toMatchObject([
      {
        arrived: 7,
        started: 4,
        inFlight: 2,
        queued: 3,
        outcomes: { completed: 2, failed: 0, aborted: 0 },
        polls: 15,
        nextDueMicros: 7 * SECOND,
        lastArrivalMicros: 10 * SECOND,
        stopping: null,
      },
    ])
  })
})

describe('in flight', () => {
  test("obeys Little's law: the mean number in flight is the rate times the mean time", () => {
    const target = crew({ durationMicros: (index) => (1 + (index % 5)) * SECOND })
    const host = drive(planOf({ arrivals: rate('4/s', '50s') }), target)
    const { engine, atMicros } = host.linesOf('finished')[0]!
    const times = host.records.map((record) => record.endedMicros - record.acceptedMicros!)
    const meanTime = times.reduce((sum, time) => sum + time, 0) / times.length
    const inFlight = engine.inFlightIntegralMicros / atMicros
    expect(inFlight).toBeCloseTo((times.length / atMicros) * meanTime, 9)
    expect(inFlight).toBeGreaterThan(10)
  })
})

describe('a bug of ours', () => {
  test('is not swallowed', () => {
    const host = new SimulatedHost(quick)
    host.emit = () => {
      throw new Error('full')
    }
    const engine = createEngine(planOf(), host, {
      runId: 'r',
      instance: 0,
      instances: 1,
      onDone: () => {},
    })
    expect(() => engine.start()).toThrow('full')
  })
})

describe('a target that never answers', () => {
  test('leaves executions unknown, each after its time-out', () => {
    const host = drive(planOf(), silent)
    expect(countOutcomes(host)).toEqual({ unknown: 10 })
    expect(Math.max(...host.records.map(({ endedMicros }) => endedMicros))).toBe(14 * SECOND)
  })
})

describe('several instances', () => {
  test('hold exactly one schedule between them', () => {
    const arrivals = {
      ...rate('2/s', '20s'),
      process: { kind: 'gamma', cv: 2 },
    } as ReturnType<typeof rate>
    const whole = drive(planOf({ arrivals }), quick)
    const parts = [0, 1, 2].map((instance) =>
      drive(planOf({ arrivals }), quick, { engine: { instance, instances: 3 } }),
    )
    const startedIn = (host: typeof whole): [number, number][] =>
      host.linesOf('started').map(({ index, intendedMicros }) => [index, intendedMicros])
    const joined = parts.flatMap(startedIn).sort(([a], [b]) => a - b)
    expect(joined).toEqual(startedIn(whole))
    expect(startedIn(parts[1]!).every(([index]) => index % 3 === 1)).toBe(true)
  })
})

describe('closed clients', () => {
  test('keep as many executions going as there are clients', () => {
    const host = drive(planOf({ arrivals: closed({ clients: 4 }) }), quick)
    expect(host.linesOf('finished')[0]!.engine.maxInFlight).toBe(4)
    expect(host.records.length).toBeGreaterThan(4 * 15)
  })

  test('come again after thinking, intended when they are ready', () => {
    const think = { kind: 'constant', value: 7 * SECOND } as const
    const host = drive(planOf({ arrivals: closed({ clients: 1, think }) }), quick)
    const [first, second] = host.records
    expect(second!.intendedMicros).toBe(first!.endedMicros + 7 * SECOND)
    expect(second!.sentMicros).toBe(second!.intendedMicros)
  })

  test('start spread over the ramp-up', () => {
    const once = closed({ rampUpMicros: 6 * SECOND, iterations: 3 })
    const host = drive(planOf({ arrivals: once }), crew({ durationMicros: 30 * SECOND }))
    expect(host.linesOf('started').map(({ intendedMicros }) => intendedMicros / SECOND)).toEqual([
      0, 2, 4,
    ])
  })

  test('stop after so many executions over all clients', () => {
    const host = drive(planOf({ arrivals: closed({ iterations: 10 }) }), quick)
    expect(host.records.map(({ index }) => index).sort((a, b) => a - b)).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
    ])
  })

  test('share clients and iterations between instances', () => {
    const arrivals = closed({ clients: 5, iterations: 11 })
    const indexes = [0, 1].flatMap((instance) =>
      drive(planOf({ arrivals }), quick, { engine: { instance, instances: 2 } }).records.map(
        ({ index }) => index,
      ),
    )
    expect(indexes.sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  })

  test('do every iteration when there are more instances than clients', () => {
    const arrivals = closed({ clients: 2, iterations: 7 })
    const shares = [0, 1, 2, 3].map((instance) =>
      drive(planOf({ arrivals }), quick, { engine: { instance, instances: 4 } }).records.map(
        ({ index }) => index,
      ),
    )
    expect(shares).toEqual([[0, 2, 4, 6], [1, 3, 5], [], []])
  })

  test('start nothing after their time', () => {
    const host = drive(planOf({ arrivals: closed({ forMicros: 9 * SECOND }) }), quick)
    expect(host.linesOf('started').every(({ atMicros }) => atMicros < 9 * SECOND)).toBe(true)
    expect(host.records).toHaveLength(3 * 5)
  })

  test('have a warm-up too', () => {
    const host = drive(planOf({ arrivals: closed(), warmUpMicros: SECOND }), quick)
    expect(host.records.filter(({ warmUp }) => warmUp)).toHaveLength(3)
  })

  test('do not spin when their inputs cannot be made', () => {
    const host = drive(planOf({ arrivals: closed(), inputs: brokenInputs }), quick)
    expect(countOutcomes(host)).toEqual({ dropped: 3 * 60 })
    expect(host.sent).toBe(0)
  })
})
