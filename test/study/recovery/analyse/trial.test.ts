/** What one trial shows: outcome, amplification, backlog. */
import { describe, expect, test } from 'vitest'
import {
  courseOf,
  measureTrial,
  startsOf,
  visitOf,
} from '../../../../src/study/recovery/analyse/trial.ts'
import type { LedgerRow } from '../../../../src/crew/ledger.ts'
import { live, planWith, ACCEPTED, COMPLETED, RUNNING, HANGS } from '../../../execution/support.ts'
import { SECOND, SPAN, trialFacts, visitsBackAt } from '../visits.ts'

describe('the outcome of a trial', () => {
  test.each([
    [180, 'recovers'],
    [300, 'recovers-slowly'],
  ] as const)('service back at second %i: %s', (second, outcome) => {
    const trial = measureTrial(trialFacts(visitsBackAt(second)))
    expect(trial).toMatchObject({ outcome, why: null })
    const wanted = second * 1_000 - 150_000
    expect(trial.recoveryMs).toBeLessThanOrEqual(wanted)
    expect(trial.recoveryMs).toBeGreaterThanOrEqual(wanted - trial.windowMs!)
  })

  test('service never back: does not recover', () => {
    const trial = measureTrial(trialFacts(visitsBackAt(1_000)))
    expect(trial).toMatchObject({ outcome: 'does-not-recover', why: null, recoveryMs: null })
  })

  test('unclear, when the load was not carried without the trigger either', () => {
    const control = { visits: visitsBackAt(400), starts: null }
    const trial = measureTrial(trialFacts(visitsBackAt(180), { control }))
    expect(trial).toMatchObject({
      outcome: 'unclear',
      why: { code: 'degraded-anyway' },
      recoveryMs: null,
    })
  })

  test('unclear, when too few came before the trigger', () => {
    const facts = trialFacts(visitsBackAt(180))
    const span = { ...SPAN, steadyFromMicros: SPAN.steadyToMicros - SECOND }
    expect(measureTrial({ ...facts, span })).toMatchObject({
      outcome: 'unclear',
      why: { code: 'few-before', arrivals: 4, needed: 10 },
    })
  })

  test('unclear, when some were never asked for', () => {
    const visits = visitsBackAt(180)
    visits.at(-1)!.dropped = true
    expect(measureTrial(trialFacts(visits)).outcome).toBe('unclear')
  })
})

test('amplification is kickoffs for each one wanted, by phase', () => {
  const { attempts, inFlightEnd } = measureTrial(trialFacts(visitsBackAt(1_000, 5)))
  expect(attempts.before).toBe(1)
  expect(attempts.trigger).toBeGreaterThan(4.5)
  expect(attempts.after).toBeCloseTo(5, 1)
  expect(inFlightEnd).toBe(39)
})

test('the ledger tells what started, and who waits for a worker', () => {
  const starts = startsOf({
    rows: [ledgerRow(129_000, 139_000), ledgerRow(129_000, null), ledgerRow(449_000, null)],
    clock: {
      offsetMicros: 1 * SECOND,
      anchorUnixMs: null,
      errorMicros: 0,
      leastRoundTripMicros: 0,
      samples: 1,
    },
  })
  expect(starts[0]).toEqual({
    acceptedMicros: 130 * SECOND,
    startedMicros: 140 * SECOND,
    endedMicros: Infinity,
  })
  const facts = trialFacts(visitsBackAt(180))
  const trial = measureTrial({ ...facts, run: { ...facts.run, starts } })
  expect(trial.started).toEqual({ before: 0, trigger: 2 / 120, after: 0 })
  expect(trial.backlog).toEqual({ peak: 2, end: 2 })
})

function ledgerRow(accepted: number, started: number | null): LedgerRow {
  return {
    kickoff_id: 'id',
    ordinal: 0,
    correlation: null,
    accepted_ms: accepted,
    started_ms: started,
    ended_ms: null,
    outcome: 'running',
    tasks: [],
    output_hash: null,
  }
}

describe('an execution as it was wanted', () => {
  const plan = planWith()

  test('is served when it completes within its deadline, counted from when it was wanted', () => {
    const { record } = live([ACCEPTED, RUNNING, COMPLETED], plan)
    const tookMicros = record.endedMicros - record.intendedMicros
    expect(visitOf(record, tookMicros).served).toBe(true)
    expect(visitOf(record, tookMicros - 1).served).toBe(false)
  })

  test('tells when each kickoff was sent', () => {
    const retry = { ...plan.retry, unknownKickoffs: 'repeat' as const }
    const { record } = live([HANGS, ACCEPTED, COMPLETED], planWith({ retry }))
    expect(visitOf(record, SECOND).attemptsMicros).toEqual([1_000, 1_000 + 5_100_000])
  })
})

test('the course has columns of equal length, and marks trigger and recovery', () => {
  const facts = trialFacts(visitsBackAt(180))
  const trial = measureTrial(facts)
  const course = courseOf({ trial, run: facts.run, control: facts.run, span: SPAN })
  const lengths = [
    course.wantedPerSecond,
    course.goodputPerSecond,
    course.controlPerSecond,
    course.attemptsPerSecond,
    course.inFlight,
  ].map((each) => each?.length)
  expect(new Set(lengths).size).toBe(1)
  expect(course).toMatchObject({ triggerFromMs: 120_000, triggerToMs: 150_000, waiting: null })
  expect(course.restoredMs).toBe(150_000 + trial.recoveryMs!)
  expect(Math.max(...course.wantedPerSecond)).toBeCloseTo(4, 0)
})
