/**
 * Faults on the run's clock: what belongs to the run, when they were on, and which answers they
 * touched.
 */
import { describe, expect, test } from 'vitest'
import { faultResults, touchesOf } from '../../../src/result/ledger/faults.ts'
import type { FaultMark, FaultSpell, FaultSpells } from '../../../src/crew/ledger.ts'

/** The run's zero is the ledger's 1,000 ms. */
const CLOCK = {
  offsetMicros: -1_000_000,
  anchorUnixMs: null,
  errorMicros: 0,
  leastRoundTripMicros: 0,
  samples: 1,
}
const SHOWN = { intervalMs: 250, intervals: 40, durationMs: 10_000 }

function marked(fault: string, at_ms: number, correlation: string | null = 'run/0'): FaultMark {
  return { fault, operation: 'status', at_ms, correlation, kickoff_id: null }
}

function spelled(fault: string, spells: FaultSpell[], always = false): FaultSpells {
  return { fault, kind: 'status', always, spells }
}

describe('touches', () => {
  test('are those of the executions of this run', () => {
    const strangers = ['run/preflight', 'another/0', 'running/0', null]
    const marks = [
      ...strangers.map((correlation) => marked('slow', 1, correlation)),
      marked('slow', 2),
      marked('slow', 3, 'run/17'),
    ]
    expect(touchesOf(marks, 'run')).toEqual([{ fault: 'slow', operation: 'status', at_ms: [2, 3] }])
  })

  test('stand apart by fault and operation', () => {
    const kickoff = { ...marked('slow', 4), operation: 'kickoff' as const }
    expect(touchesOf([marked('slow', 1), marked('down', 2), kickoff], 'run')).toHaveLength(3)
  })
})

describe('results', () => {
  test('are cut to the run, on its clock', () => {
    const spells = [
      { from_ms: 0, to_ms: 900 },
      { from_ms: 500, to_ms: 1_500 },
      { from_ms: 3_000, to_ms: 3_000 },
      { from_ms: 9_000, to_ms: null },
      { from_ms: 11_000, to_ms: 12_000 },
    ]
    const [fault] = faultResults({ spells: [spelled('down', spells)], touches: [] }, CLOCK, SHOWN)
    expect(fault).toMatchObject({
      name: 'down',
      always: false,
      times: 3,
      bands: [
        { fromMs: 0, toMs: 500 },
        { fromMs: 2_000, toMs: 2_000 },
        { fromMs: 8_000, toMs: 10_000 },
      ],
    })
  })

  test('count touched answers by interval, the most touched fault first', () => {
    const spells = [
      spelled('rare', [{ from_ms: 0, to_ms: null }], true),
      spelled('often', [{ from_ms: 0, to_ms: null }], true),
      spelled('never', [{ from_ms: 0, to_ms: null }], true),
    ]
    const touches = touchesOf(
      [marked('rare', 1_300), marked('often', 1_000), marked('often', 11_500)],
      'run',
    )
    const faults = faultResults({ spells, touches }, CLOCK, SHOWN)
    expect(faults.map(({ name, touched, bands }) => [name, touched.status, bands])).toEqual([
      ['often', 2, []],
      ['rare', 1, []],
    ])
    expect(faults[0]!.counts.map((count, at) => count * at).filter((at) => at > 0)).toEqual([39])
    expect(faults[1]!.counts.indexOf(1)).toBe(1)
  })

  test('join the bands that no picture could hold apart, and still count them all', () => {
    const spells = Array.from({ length: 500 }, (_, i) => {
      const from_ms = 1_000 + i * 20 + (i < 400 ? 0 : 5)
      return { from_ms, to_ms: from_ms + 10 }
    })
    const [fault] = faultResults({ spells: [spelled('down', spells)], touches: [] }, CLOCK, SHOWN)
    expect([fault!.times, fault!.bands.length]).toEqual([500, 240])
    expect([fault!.bands[0]!.fromMs, fault!.bands.at(-1)!.toMs]).toEqual([0, 9_995])
  })

  test('of a fault that was cleared and came again are one', () => {
    const account = {
      spells: [
        spelled('down', [{ from_ms: 1_000, to_ms: 2_000 }]),
        spelled('down', [{ from_ms: 5_000, to_ms: 6_000 }]),
      ],
      touches: [],
    }
    expect(faultResults(account, CLOCK, SHOWN)).toMatchObject([{ name: 'down', times: 2 }])
  })
})
