/** Recovery after the faults of a run, on series of known shape. */
import { describe, expect, test } from 'vitest'
import { findingsIn } from '../observations.ts'
import { faultRecoveries } from '../../../src/result/ledger/fault-recovery.ts'
import type { FaultResult, RecoveryResult } from '../../../src/result/disturbances.schema.ts'

const STEP_MS = 1_000
const WANTED = 5

function faultOn(name: string, ...bands: [from: number, to: number][]): FaultResult {
  return {
    name,
    kind: 'status',
    always: false,
    touched: { inputs: 0, kickoff: 0, status: 0 },
    times: bands.length,
    bands: bands.map(([from, to]) => ({ fromMs: from * STEP_MS, toMs: to * STEP_MS })),
    counts: [],
  }
}

/** Five a second are wanted for `seconds`; of those in `down`, none is served. */
function recoveriesOf(
  faults: readonly FaultResult[],
  down: readonly [from: number, to: number][],
  { seconds = 300, warmUp = 0, execution = 0 } = {},
): RecoveryResult[] {
  const isDown = (second: number): boolean =>
    down.some(([from, to]) => second >= from && second < to)
  // The run drains for a while after its last arrival.
  const offered = Array.from({ length: seconds + 20 }, (_, i) => (i < seconds ? WANTED : 0))
  const served = offered.map((count, second) => (isDown(second) ? 0 : count))
  return faultRecoveries(
    faults,
    { intervalMicros: STEP_MS * 1_000, offered, unresolved: offered.map(() => 0), served },
    {
      warmUpMicros: warmUp * 1_000_000,
      endMicros: offered.length * 1_000_000,
      executionMicros: execution * 1_000_000,
    },
  )
}

describe('a disturbance', () => {
  test('is over when whoever comes is served again', () => {
    const [told] = recoveriesOf([faultOn('outage', [100, 120])], [[100, 135]])
    expect(told).toMatchObject({
      faults: ['outage'],
      fromMs: 100_000,
      toMs: 120_000,
      untilMs: 300_000,
      former: { wanted: 500, served: 500 },
      state: 'recovered',
    })
    expect(Math.abs(told!.afterMs! - 15_000)).toBeLessThanOrEqual(told!.windowMs!)
  })

  test('that leaves no trace is over at once', () => {
    const told = recoveriesOf([faultOn('outage', [100, 120])], [[100, 120]])
    expect(told).toMatchObject([{ state: 'recovered', afterMs: 0 }])
  })

  test('after which service stays down is told as a problem', () => {
    const told = recoveriesOf([faultOn('outage', [100, 120])], [[100, 300]])
    expect(told).toMatchObject([{ state: 'not-recovered', afterMs: null }])
    expect(findingsIn({ recoveries: told })).toEqual([
      {
        code: 'not-recovered',
        severity: 'problem',
        faults: ['outage'],
        toMs: 120_000,
        untilMs: 300_000,
        former: { wanted: 500, served: 500 },
        message:
          'after outage ended at 120 s, service stayed below 95 % of its former level until 300 s. ' +
          'Find the tipping point with crewload recovery',
      },
    ])
  })

  test('with too few executions around it says how many it takes', () => {
    const [told] = recoveriesOf([faultOn('outage', [1, 2])], [])
    expect(told).toMatchObject({ state: 'too-few', windowMs: null })
    expect(told!.needed).toBeGreaterThan(0)
    expect(findingsIn({ recoveries: [told!] })).toEqual([])
  })

  test('has its victims among those who came shortly before it', () => {
    const [told] = recoveriesOf([faultOn('restart', [100, 100])], [[80, 100]], { execution: 20 })
    expect(told).toMatchObject({ former: { wanted: 400, served: 400 }, state: 'recovered' })
    expect([told!.fromMs, told!.toMs]).toEqual([100_000, 100_000])
  })

  test('that lasts to the end has no time after it', () => {
    expect(recoveriesOf([faultOn('revoked', [100, 320])], [[100, 300]])).toEqual([])
  })

  test('is judged from the end of the warm-up', () => {
    const [told] = recoveriesOf([faultOn('outage', [100, 120])], [], { warmUp: 40 })
    expect(told!.former.wanted).toBe(60 * WANTED)
  })
})

describe('several disturbances', () => {
  test('are one where they overlap, and apart where they do not', () => {
    const faults = [
      faultOn('outage', [100, 120], [200, 210]),
      faultOn('restart', [110, 110]),
      faultOn('slow', [115, 130]),
    ]
    const told = recoveriesOf(faults, [])
    expect(
      told.map(({ faults: names, fromMs, toMs, untilMs }) => [names, fromMs, toMs, untilMs]),
    ).toEqual([
      [['outage', 'restart', 'slow'], 100_000, 130_000, 200_000],
      [['outage'], 200_000, 210_000, 300_000],
    ])
    expect(told[1]!.former.wanted).toBe(70 * WANTED)
  })

  test('are told up to twelve, those with an answer first', () => {
    const blips: [number, number][] = Array.from({ length: 20 }, (_, i) => [i * 2, i * 2 + 1])
    const told = recoveriesOf([faultOn('blip', ...blips), faultOn('outage', [150, 160])], [])
    expect(told).toHaveLength(12)
    expect(told.map(({ faults }) => faults[0])).toContain('outage')
    expect(told.map(({ fromMs }) => fromMs)).toEqual(
      told.map(({ fromMs }) => fromMs).toSorted((a, b) => a - b),
    )
  })

  test('are none without a schedule, and none where nobody tells of faults', () => {
    expect(recoveriesOf([{ ...faultOn('chance'), always: true }], [])).toEqual([])
    const surroundings = { warmUpMicros: 0, endMicros: 0, executionMicros: 0 }
    const nothing = { intervalMicros: 1, offered: [], unresolved: [], served: [] }
    expect(faultRecoveries(null, nothing, surroundings)).toEqual([])
  })
})
