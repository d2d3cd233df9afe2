import { describe, expect, test } from 'vitest'
import { createEngine } from '../../src/engine/engine.ts'
import type { RunningEngine } from '../../src/engine/engine.ts'
import { SimulatedHost } from './simulated-host.ts'
import { SECOND, closed, countOutcomes, drive, planOf, rate } from './plans.ts'
import { busy, crew, silent } from './targets.ts'
import { mayCost } from '../../src/execution/record/readings.ts'
import { whyOf } from '../support/reasons.ts'

const steady = crew({ durationMicros: 4 * SECOND })

type Meanwhile = (engine: RunningEngine, host: SimulatedHost) => void

function stopAt(seconds: number, how: 'drain' | 'now', why = 'stopped'): Meanwhile {
  const reason = { code: 'asked', why } as const
  return (engine, host) => host.at(seconds * SECOND + 1, () => engine.stop(how, reason))
}

describe('drain', () => {
  const host = drive(planOf(), steady, { meanwhile: stopAt(5, 'drain', 'interrupted') })

  test('lets executions in flight end, and drops what was not sent', () => {
    expect(countOutcomes(host)).toEqual({ completed: 6, notReached: 4 })
  })

  test('tells why they were not reached', () => {
    const unsent = host.records.filter(({ outcome }) => outcome === 'notReached')
    expect(new Set(unsent.map(whyOf))).toEqual(new Set(['stopped before it was sent: interrupted']))
  })

  test('is told by the last line', () => {
    expect(host.linesOf('finished')[0]!.stopped).toBe('drained')
  })

  test('aborts what has not ended within the drain time', () => {
    const plan = planOf({ drainMicros: 3 * SECOND })
    const cut = drive(plan, crew({ durationMicros: 50 * SECOND }), {
      meanwhile: stopAt(5, 'drain', 'interrupted'),
    })
    expect(countOutcomes(cut)).toEqual({ aborted: 6, notReached: 4 })
    expect(whyOf(cut.records.find(({ outcome }) => outcome === 'aborted')!)).toBe(
      'interrupted; the drain time ran out',
    )
    expect(cut.linesOf('finished')[0]).toMatchObject({
      stopped: 'now',
      atMicros: 8 * SECOND + 1,
    })
  })

  test('sends no kickoff again', () => {
    const retry = planOf().retry
    const patient = { ...retry, backoff: { ...retry.backoff, initialMicros: SECOND } }
    const stopped = drive(planOf({ retry: patient, arrivals: rate('1/s', '1s') }), busy, {
      meanwhile: stopAt(0.5, 'drain'),
    })
    expect(stopped.ofExecutions).toHaveLength(1)
    expect(countOutcomes(stopped)).toEqual({ rejected: 1 })
  })

  test('drops who waits for a place', () => {
    const admission = { maxInFlight: 1, whenFull: 'queue' } as const
    const queued = drive(planOf({ admission }), steady, { meanwhile: stopAt(2, 'drain') })
    expect(countOutcomes(queued)).toEqual({ completed: 1, notReached: 9 })
  })

  test('sends closed clients home', () => {
    const think = { kind: 'constant', value: 10 * SECOND } as const
    const home = drive(planOf({ arrivals: closed({ think }) }), steady, {
      meanwhile: stopAt(8, 'drain'),
    })
    expect(countOutcomes(home)).toEqual({ completed: 3, notReached: 3 })
  })

  test('does not let closed clients come again after their execution', () => {
    const last = drive(planOf({ arrivals: closed() }), steady, { meanwhile: stopAt(2, 'drain') })
    expect(countOutcomes(last)).toEqual({ completed: 3 })
  })

  test('drops a hundred thousand arrivals without holding up the polls', () => {
    const many = drive(planOf({ arrivals: rate('1/s', '100000s') }), steady, {
      meanwhile: stopAt(3, 'drain'),
    })
    expect(countOutcomes(many)).toEqual({ completed: 4, notReached: 99_996 })
  })
})

describe('now', () => {
  test('aborts what is in flight and gives up what is outstanding', () => {
    const host = drive(planOf(), silent, { meanwhile: stopAt(2.5, 'now', 'interrupted twice') })
    expect(countOutcomes(host)).toEqual({ aborted: 3, notReached: 7 })
    expect(host.cancelled).toBe(3)
    expect(host.linesOf('finished')[0]).toMatchObject({
      stopped: 'now',
      atMicros: 2.5 * SECOND + 1,
    })
  })

  test('counts as not sent what still waits for a socket', () => {
    const meanwhile = stopAt(2.5, 'now')
    for (const hasSockets of [true, false]) {
      const { records } = drive(planOf(), silent, { meanwhile, hasSockets })
      const aborted = records.filter(({ outcome }) => outcome === 'aborted')
      expect(aborted.map(mayCost)).toEqual([hasSockets, hasSockets, hasSockets])
    }
  })

  test('may follow a drain', () => {
    const host = drive(planOf(), steady, {
      meanwhile: (engine, host) => {
        stopAt(5, 'drain')(engine, host)
        stopAt(6, 'now')(engine, host)
      },
    })
    expect(host.linesOf('finished')[0]).toMatchObject({ stopped: 'now', atMicros: 6 * SECOND + 1 })
  })

  test('is not weakened by a drain that follows', () => {
    const host = drive(planOf(), steady, {
      meanwhile: (engine, host) => {
        stopAt(5, 'now')(engine, host)
        host.at(5 * SECOND + 1, () => engine.stop('drain'))
      },
    })
    expect(host.linesOf('finished')[0]!.stopped).toBe('now')
    const aborted = host.records.find(({ outcome }) => outcome === 'aborted')
    expect(whyOf(aborted!)).toBe('stopped')
  })
})

describe('at odd moments', () => {
  test('may be called before the first arrival', () => {
    const host = drive(planOf(), steady, { meanwhile: (engine) => engine.stop('now') })
    expect(countOutcomes(host)['notReached']).toBe(9)
  })

  test('may be called from onEnded', () => {
    const host = new SimulatedHost(steady)
    const stopped: unknown[] = []
    const engine = createEngine(planOf(), host, {
      runId: 'r',
      instance: 0,
      instances: 1,
      onEnded: () => engine.stop('now', { code: 'asked', why: 'threshold missed' }),
      onDone: (how) => stopped.push(how),
    })
    engine.start()
    host.run()
    expect(stopped).toEqual(['now'])
    expect(countOutcomes(host)).toEqual({ completed: 1, aborted: 4, notReached: 5 })
  })

  test('does nothing after the end', () => {
    const host = drive(planOf(), steady, { meanwhile: stopAt(1_000, 'now') })
    expect(host.linesOf('finished')[0]!.stopped).toBeNull()
  })
})
