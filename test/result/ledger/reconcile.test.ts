import { describe, expect, test } from 'vitest'
import type { Claim } from '../../../src/result/ledger/reconcile.ts'
import { reconcile, wrongInLedger } from '../../../src/result/ledger/reconcile.ts'
import type { LedgerRow } from '../../../src/crew/ledger.ts'

const CLOCK = {
  offsetMicros: -5_000_000,
  anchorUnixMs: null,
  errorMicros: 100,
  leastRoundTripMicros: 200,
  samples: 2,
}
const RUN = 'run-1'

function claim(index: number, changes: Partial<Claim> = {}): Claim {
  return {
    index,
    instance: 0,
    kickoffId: `id-${index}`,
    outcome: 'completed',
    outputHash: 'aaaa0000',
    tags: [],
    warmUp: false,
    endedAfterMicros: 1_000_000,
    endedByMicros: 2_000_000,
    missingByMicros: null,
    endedMicros: 2_000_000,
    ...changes,
  }
}

/** Ends at 1.5 s on the run's clock. */
function row(index: number, changes: Partial<LedgerRow> = {}): LedgerRow {
  return {
    kickoff_id: `id-${index}`,
    ordinal: index,
    correlation: `${RUN}/${index}`,
    accepted_ms: 5_100,
    started_ms: 5_200,
    ended_ms: 6_500,
    outcome: 'completed',
    tasks: [],
    output_hash: 'aaaa0000',
    ...changes,
  }
}

function compare(claims: Claim[], rows: LedgerRow[]) {
  return reconcile(claims, { rows, clock: CLOCK }, RUN)
}

test('accounts that agree have nothing to tell but the times', () => {
  const { result, detection, queueMicros, runningMicros } = compare([claim(0)], [row(0)])
  expect(result).toEqual({
    rows: 1,
    clockErrorMs: 0.1,
    agreed: 1,
    disagreements: [],
    endIntervals: { checked: 1, contained: 1 },
    starts: { started: 1, givenUp: 0 },
  })
  expect(detection).toEqual([{ index: 0, micros: 500_000, tags: [] }])
  expect([queueMicros, runningMicros]).toEqual([[100_000], [1_300_000]])
})

test('the detection delay is told with its arrival and its tags, of the measured window', () => {
  const claims = [
    claim(0, { tags: ['topic=ai', 'size=small'] }),
    claim(1, { tags: ['topic=ai'] }),
    claim(2, { tags: ['topic=law'], warmUp: true }),
  ]
  const rows = [row(0), row(1, { ended_ms: 6_700 }), row(2)]
  expect(compare(claims, rows).detection).toEqual([
    { index: 0, micros: 500_000, tags: ['topic=ai', 'size=small'] },
    { index: 1, micros: 300_000, tags: ['topic=ai'] },
  ])
})

test.each<[string, Claim[], LedgerRow[], string]>([
  ['lost', [claim(0)], [], 'unknown to the ledger'],
  [
    'duplicate',
    [claim(0)],
    [row(0), row(0, { kickoff_id: 'twin' })],
    'the same arrival also started id-0',
  ],
  [
    'wrong-id',
    [claim(0)],
    [row(0, { kickoff_id: 'own' })],
    'given an unknown id; the ledger has own for it',
  ],
  [
    'not-found',
    [claim(0, { outcome: 'lost', outputHash: null, endedByMicros: null })],
    [row(0)],
    'client: lost; ledger: completed',
  ],
  [
    'asked',
    [
      claim(0, {
        outcome: 'lost',
        outputHash: null,
        endedByMicros: null,
        missingByMicros: 1_200_000,
      }),
    ],
    [row(0, { asked: [{ task_id: 'work', from_ms: 6_100, to_ms: 6_400 }] })],
    'client: lost; ledger: completed',
  ],
  [
    'not-found',
    [
      claim(0, {
        outcome: 'lost',
        outputHash: null,
        endedByMicros: null,
        missingByMicros: 1_050_000,
      }),
    ],
    [row(0, { asked: [{ task_id: 'work', from_ms: 6_100, to_ms: 6_400 }] })],
    'client: lost; ledger: completed',
  ],
  [
    'not-asked',
    [claim(0, { outcome: 'paused', outputHash: null, endedByMicros: null })],
    [row(0, { ended_ms: null, outcome: 'lost' })],
    'client: paused; ledger: lost',
  ],
  [
    'not-asked',
    [claim(0, { outcome: 'paused', outputHash: null, endedByMicros: null })],
    [row(0, { asked: [{ task_id: 'work', from_ms: 5_300, to_ms: 5_900 }] })],
    'client: paused; ledger: completed',
  ],
  ['never-ended', [claim(0)], [row(0, { ended_ms: null, outcome: 'running' })], 'ledger: running'],
  ['wrong-result', [claim(0)], [row(0, { output_hash: 'bbbb0000' })], 'output bbbb0000'],
  ['wrong-result', [claim(0, { outcome: 'failed' })], [row(0)], 'client: failed'],
  [
    'unrecorded',
    [claim(0, { kickoffId: null, outcome: 'rejected' })],
    [row(0)],
    'the client has rejected',
  ],
  ['unrecorded', [], [row(0)], 'the client has no record of it'],
  [
    'end-outside-interval',
    [claim(0)],
    [row(0, { ended_ms: 7_000.2 })],
    "the ledger's end is 200 us after",
  ],
  ['end-outside-interval', [claim(0)], [row(0, { ended_ms: 5_900 })], '100 ms before'],
  [
    'end-outside-interval',
    [claim(0, { outcome: 'stuck', outputHash: null, endedByMicros: null })],
    [row(0, { ended_ms: 5_900 })],
    '100 ms before',
  ],
])('%s: planted and found', (kind, claims, rows, detail) => {
  const { result } = compare(claims, rows)
  expect(result.disagreements).toMatchObject([{ kind, count: 1 }])
  expect(result.disagreements[0]?.examples[0]?.detail).toContain(detail)
  expect(result.agreed).toBe(kind === 'duplicate' ? 1 : 0)
})

test('ids that were told in the wrong order are told apart, each with its own', () => {
  const claims = [claim(0, { kickoffId: 'strange' }), claim(1, { kickoffId: 'id-0' })]
  const { result } = compare(claims, [row(0), row(1)])
  expect(result.agreed).toBe(0)
  expect(result.disagreements).toMatchObject([
    {
      kind: 'wrong-id',
      count: 2,
      examples: [
        { index: 0, detail: 'the client was given an unknown id; the ledger has id-0 for it' },
        {
          index: 1,
          detail: 'the client was given the id of arrival 0; the ledger has id-1 for it',
        },
      ],
    },
  ])
})

test('an id of another arrival is wrong, also where nothing started for its own', () => {
  const { result } = compare([claim(0), claim(1, { kickoffId: 'id-0' })], [row(0)])
  const detail = 'the client was given the id of arrival 0; the ledger has none for it'
  expect(result.agreed).toBe(1)
  expect(result.disagreements).toMatchObject([{ kind: 'wrong-id', examples: [{ detail }] }])
})

test('what the client could not learn contradicts nothing', () => {
  const unseen = { outputHash: null, endedByMicros: null }
  const claims = [
    claim(0, { ...unseen, outcome: 'lost' }),
    claim(1, { ...unseen, outcome: 'unreadable' }),
    claim(2, { ...unseen, outcome: 'stuck' }),
  ]
  const lost = { ended_ms: null, outcome: 'lost', output_hash: null } as const
  const { result } = compare(claims, [row(0, lost), row(1, lost), row(2)])
  expect(result).toMatchObject({
    agreed: 3,
    disagreements: [],
    endIntervals: { checked: 0, contained: 0 },
  })
})

test('an end within the error of the clock agrees', () => {
  const { result } = compare([claim(0)], [row(0, { ended_ms: 7_000.09 })])
  expect(result.endIntervals).toEqual({ checked: 1, contained: 1 })
})

test('a kickoff without an answer explains its row, but not a second one', () => {
  const unknown = claim(0, { kickoffId: null, outcome: 'unknown' })
  expect(compare([unknown], [row(0)]).result.disagreements).toEqual([])
  const twice = compare([unknown], [row(0), row(0, { kickoff_id: 'twin' })])
  expect(twice.result.disagreements).toMatchObject([{ kind: 'duplicate', count: 1 }])
})

test('a start that a crash left without a record explains its row, but not a second one, nor that of another', () => {
  const rows = [row(0), row(1), row(1, { kickoff_id: 'twin' }), row(2)]
  const open = new Set([0, 1])
  const { result } = reconcile([], { rows, clock: CLOCK }, RUN, undefined, open)
  expect(result.disagreements).toMatchObject([
    { kind: 'duplicate', count: 1, examples: [{ index: 1, kickoffId: 'twin' }] },
    { kind: 'unrecorded', count: 1, examples: [{ index: 2 }] },
  ])
})

test("other runs' rows are left aside", () => {
  const rows = [row(0, { correlation: 'run-2/0' }), row(1, { correlation: null })]
  expect(compare([], rows).result.disagreements).toEqual([])
})

test('at most five examples are kept, of the lowest indexes', () => {
  const claims = Array.from({ length: 9 }, (_, i) => claim(8 - i))
  const [lost] = compare(claims, []).result.disagreements
  expect(lost?.count).toBe(9)
  expect(lost?.examples.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4])
})

test('warm-up executions are compared, but not timed', () => {
  const { result, detection } = compare([claim(0, { warmUp: true })], [row(0)])
  expect(result.agreed).toBe(1)
  expect(detection).toEqual([])
})

test('of a ledger that has dropped its first rows, what is missing proves nothing', () => {
  const whole = compare([claim(0), claim(1)], [row(1, { ordinal: 0 })])
  expect(whole.result.disagreements.map(({ kind }) => kind)).toEqual(['lost'])
  const cut = compare([claim(0), claim(1)], [row(1, { ordinal: 5_000 })])
  expect(cut.result).toMatchObject({ disagreements: [], agreed: 1 })
})

describe('an execution that the client could not find any more', () => {
  const lost = { outcome: 'lost', outputHash: null, endedByMicros: null } as const
  const kinds = (claimed: Partial<Claim>, told: Partial<LedgerRow> = {}) => {
    const { result } = compare([claim(0, { ...lost, ...claimed })], [row(0, told)])
    return { kinds: result.disagreements.map(({ kind }) => kind), ...wrongInLedger(result) }
  }

  test('was forgotten where it had ended by then, which contradicts nothing', () => {
    expect(kinds({ missingByMicros: 1_600_000 })).toEqual({
      kinds: ['forgotten'],
      wrong: 0,
      rows: 1,
    })
  })

  test('was denied where it still ran, or never ends', () => {
    const denied = { kinds: ['not-found'], wrong: 1, rows: 1 }
    expect(kinds({ missingByMicros: 1_400_000 })).toEqual(denied)
    const running = { ended_ms: null, outcome: 'stuck', output_hash: null } as const
    expect(kinds({ missingByMicros: 9_000_000 }, running)).toEqual(denied)
  })

  test('was denied where a fault touched its answers', () => {
    const mark = { fault: 'hides', operation: 'status', at_ms: 6_600, correlation: null } as const
    const faults = [{ ...mark, kickoff_id: 'id-0' }]
    expect(kinds({ missingByMicros: 1_600_000 }, { faults }).kinds).toEqual(['not-found'])
  })
})
