/**
 * A run that was cut, gone on with by another engine: nothing is kicked off, nothing is forgotten.
 */
import { describe, expect, test } from 'vitest'
import { remainingArrivals } from '../../src/engine/arrivals.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { pickUp } from '../../src/execution/pick-up.ts'
import type { JournalLine } from '../../src/execution/record/journal-lines.ts'
import { createRandom } from '../../src/base/random.ts'
import { UnfinishedRun } from '../../src/journal/unfinished.ts'
import { describePlan, planHash } from '../../src/scenario/plan-data.ts'
import type { Plan } from '../../src/scenario/plan.ts'
import { closed, countOutcomes, planOf, rate, SECOND } from './plans.ts'
import { SimulatedHost } from './simulated-host.ts'
import type { SimulatedTarget } from './simulated-host.ts'
import { crew, refusing, silent } from './targets.ts'
import { whyOf } from '../support/reasons.ts'

const ALONE = { instance: 0, instances: 1 }

/** The lines that a process has written when it is killed at `cutMicros`. */
function linesUntil(plan: Plan, target: SimulatedTarget, cutMicros: number): JournalLine[] {
  const host = new SimulatedHost(target)
  host.emit(runLineOf(plan))
  createEngine(plan, host, { runId: 'r', ...ALONE, onDone: () => {} }).start()
  let kept = -1
  host.at(cutMicros, () => (kept = host.lines.length))
  host.run()
  return kept === -1 ? host.lines : host.lines.slice(0, kept)
}

function runLineOf(plan: Plan): JournalLine {
  const document = describePlan(plan)
  return {
    type: 'run',
    schema: 'crewload/journal/1',
    crewload: '0',
    runId: 'r',
    scenario: plan.name,
    ...ALONE,
    engine: 'node',
    network: null,
    place: { kind: 'deployment', target: 'http://127.0.0.1:1' },
    anchorUnixMs: 0,
    anchorErrorMicros: 0,
    seed: plan.seed,
    speed: plan.speed,
    planHash: planHash(document),
    plan: document,
  }
}

/** Goes on at `atMicros` with what `lines` leave; the target is the same, and so is its memory. */
function goOn(
  plan: Plan,
  target: SimulatedTarget,
  lines: readonly JournalLine[],
  atMicros: number,
  stopped: string | null = null,
): { host: SimulatedHost; left: number } {
  const remains = new UnfinishedRun()
  for (const line of lines) remains.saw(line)
  const [own] = remains.instances
  const { left, lastMicros } = own!
  const host = new SimulatedHost(target)
  const engine = createEngine(plan, host, {
    runId: 'r',
    ...ALONE,
    arrivals: remainingArrivals(plan, createRandom(plan.seed), ALONE, remains.begun),
    remainder: { left, pickUp, cutMicros: lastMicros },
    onDone: () => {},
  })
  host.at(atMicros, () => {
    if (stopped !== null) engine.stop('now', { code: 'asked', why: stopped })
    engine.start()
  })
  host.run()
  return { host, left: left.length }
}

/** Fifty seconds each, at one a second. */
const plan = planOf({ arrivals: rate('1/s', '20s') })
const patient = crew({ durationMicros: 50 * SECOND })

describe('what is left of a run that was cut', () => {
  const target = crew({ durationMicros: 50 * SECOND })
  const lines = linesUntil(plan, target, 10.5 * SECOND)
  const { host, left } = goOn(plan, target, lines, 30 * SECOND)

  test('is polled to its end, and nothing is kicked off', () => {
    expect(left).toBe(11)
    expect(host.requests.map(({ request }) => request.operation)).not.toContain('kickoff')
    expect(countOutcomes(host)).toEqual({ completed: 11, notReached: 9 })
  })

  test('is told as resumed, with the kickoff as it was and the polls from then on', () => {
    const record = host.records.find(({ index }) => index === 3)!
    expect(record).toMatchObject({ resumed: true, outcome: 'completed', sentMicros: 3 * SECOND })
    expect(record.kickoff.answer).toEqual([200])
    expect(record.kickoff.dueMicros).toEqual([0])
    expect(Math.min(...record.polls.dueMicros)).toBeGreaterThanOrEqual(27 * SECOND)
  })

  test('does not ask all at once', () => {
    const first = new Set(host.requests.slice(0, 11).map(({ atMicros }) => atMicros))
    expect(first.size).toBeGreaterThan(8)
    for (const atMicros of first) expect(atMicros).toBeLessThanOrEqual(31 * SECOND)
  })

  test('drops the arrivals that were never sent, with the reason', () => {
    const unsent = host.records.filter(({ outcome }) => outcome === 'notReached')
    expect(unsent.map(({ index }) => index)).toEqual([11, 12, 13, 14, 15, 16, 17, 18, 19])
    expect(new Set(unsent.map(whyOf))).toEqual(new Set(['the run was cut before it was sent']))
  })

  test('finds out at its end whether the target is still there', () => {
    const dead = goOn(plan, refusing(), lines, 30 * SECOND).host
    expect(dead.linesOf('incident').at(-1)).toMatchObject({
      incident: { kind: 'target-probed', usable: false, probes: 3, last: 'refused' },
    })
  })

  test('counts every arrival once, over both processes', () => {
    const [finished] = host.linesOf('finished')
    expect(finished!.engine).toMatchObject({ arrivals: 20, ended: 20 })
  })
})

test('waits no longer than the deadline from the kickoff, but looks once where that is over', () => {
  const target = crew({ durationMicros: 50 * SECOND })
  const slow = crew({ durationMicros: 1_000 * SECOND })
  const lines = linesUntil(plan, target, 2.5 * SECOND)
  const late = goOn(plan, target, lines, 500 * SECOND)
  expect(countOutcomes(late.host)).toEqual({ completed: 3, notReached: 17 })
  const inTime = goOn(plan, slow, linesUntil(plan, slow, 2.5 * SECOND), 40 * SECOND)
  const ends = inTime.host.records.filter(({ outcome }) => outcome === 'stuck')
  expect(ends.map(({ endedMicros }) => endedMicros / SECOND)).toEqual([60, 61, 62])
  const tooLate = goOn(plan, slow, linesUntil(plan, slow, 2.5 * SECOND), 500 * SECOND)
  expect(countOutcomes(tooLate.host)).toEqual({ stuck: 3, notReached: 17 })
  expect(tooLate.host.requests.length).toBeGreaterThanOrEqual(3)
})

test('ends what nobody heard of again as aborted, unpolled', () => {
  const lines = linesUntil(plan, silent, 1.5 * SECOND)
  const { host } = goOn(plan, silent, lines, 9 * SECOND)
  expect(countOutcomes(host)).toEqual({ aborted: 2, notReached: 18 })
  expect(host.requests).toEqual([])
  const unheard = host.records.find(({ index }) => index === 1)!
  expect(unheard).toMatchObject({ kickoffId: null, acceptedMicros: null, resumed: true })
  expect(whyOf(unheard)).toBe('the run was cut before the kickoff was answered')
  expect(unheard.kickoff.answer).toEqual(['cancelled'])
})

test('is cut again and gone on with again, without a loss', () => {
  const target = crew({ durationMicros: 50 * SECOND })
  const first = linesUntil(plan, target, 10.5 * SECOND)
  const second = goOn(plan, target, first, 12 * SECOND).host
  const kept = second.lines.filter(
    (line) => line.type === 'ended' && line.record.endedMicros < 54 * SECOND,
  )
  const { host, left } = goOn(plan, target, [...first, ...kept], 100 * SECOND)
  expect(left).toBe(11 - kept.filter(isCompleted).length)
  expect(kept.some(isCompleted)).toBe(true)
  const outcomes = [...kept.flatMap(recordOf), ...host.records].map(({ outcome }) => outcome)
  expect(outcomes.filter((outcome) => outcome === 'completed')).toHaveLength(11)
  expect(outcomes).toHaveLength(20)
})

test('picks up again what a stop gave up', () => {
  const target = crew({ durationMicros: 50 * SECOND })
  const first = new SimulatedHost(target)
  first.emit(runLineOf(plan))
  const engine = createEngine(plan, first, { runId: 'r', ...ALONE, onDone: () => {} })
  engine.start()
  first.at(5.5 * SECOND, () => engine.stop('now', { code: 'asked', why: 'interrupted' }))
  first.run()
  expect(countOutcomes(first)).toEqual({ aborted: 6, notReached: 14 })
  const { host, left } = goOn(plan, target, first.lines, 20 * SECOND)
  expect(left).toBe(6)
  expect(countOutcomes(host)).toEqual({ completed: 6 })
})

test('has no arrivals of closed clients', () => {
  const clients = planOf({ arrivals: closed({ clients: 2 }) })
  const target = patient
  const { host } = goOn(clients, target, linesUntil(clients, target, 20 * SECOND), 30 * SECOND)
  expect(countOutcomes(host)).toEqual({ completed: 2 })
})

test('gives up at once what it is stopped before', () => {
  const target = crew({ durationMicros: 50 * SECOND })
  const lines = linesUntil(plan, target, 2.5 * SECOND)
  const { host } = goOn(plan, target, lines, 30 * SECOND, 'its crew is gone')
  expect(host.requests).toEqual([])
  expect(host.records.filter((record) => whyOf(record) === 'its crew is gone')).toHaveLength(3)
})

function isCompleted(line: JournalLine): boolean {
  return line.type === 'ended' && line.record.outcome === 'completed'
}

function recordOf(line: JournalLine) {
  return line.type === 'ended' ? [line.record] : []
}
