/** Limits, waits that were asked for and retries, counted from records of known columns. */
import { describe, expect, test } from 'vitest'
import type { PushbackResult } from '../../../src/result/disturbances.schema.ts'
import type { JournalLine } from '../../../src/execution/record/journal-lines.ts'
import type {
  AskedWait,
  ExecutionRecord,
  RequestColumns,
} from '../../../src/execution/record/record.ts'
import { columnsOf } from '../../execution/requests.ts'
import { documentOf, journalLines, runLine } from '../lines.ts'
import { findingsIn, observationsOf } from '../observations.ts'

const SECOND = 1_000_000

/**
 * [due after the execution was intended, in seconds; answer; 1 for a retry]; each is on its way for
 * a second.
 */
type Row = [due: number, answer: RequestColumns['answer'][number], retry?: 0 | 1]

function columns(rows: readonly Row[], asked?: AskedWait[]): RequestColumns {
  const made = columnsOf(
    rows.map(([due, answer, retry = 0]) => {
      return { dueMicros: due * SECOND, serviceMicros: SECOND, answer, retry }
    }),
  )
  return { ...made, ...(asked === undefined ? {} : { asked }) }
}

/** Executions intended a tenth of a second after each other, from the run's zero. */
function linesOf(
  requests: readonly { kickoff: RequestColumns; polls: RequestColumns }[],
  spoil: (record: ExecutionRecord) => void = () => {},
): JournalLine[] {
  return journalLines({
    executions: requests.length,
    spoil: (record) => {
      Object.assign(record, requests[record.index])
      spoil(record)
    },
  })
}

function pushbackOf(lines: readonly JournalLine[]): PushbackResult {
  return documentOf(lines).pushback
}

const ACCEPTED = columns([[0, 200]])

describe('limits', () => {
  const polls = columns(
    [
      [1, 200],
      [10, 429],
      [20, 429],
      [70, 429],
      [80, 200],
      [90, 403],
      [95, 403],
      [99, 529],
    ],
    [{ request: 5, micros: SECOND }],
  )

  test('are told by operation and code, with their share and their worst minute', () => {
    const { limits } = pushbackOf(linesOf([{ kickoff: ACCEPTED, polls }]))
    expect(limits).toEqual([
      {
        operation: 'status',
        code: 429,
        count: 3,
        requests: 8,
        firstMs: 11_000,
        lastMs: 71_000,
        perMinute: 2,
        admittedPerMinute: 2,
      },
      expect.objectContaining({ code: 403, count: 1, perMinute: 1 }),
      expect.objectContaining({ code: 529, count: 1 }),
    ])
  })

  test('of kickoffs count 503 only where it asked to come back', () => {
    const row: Row = [0, 503]
    const asking = columns([row], waitFor(5 * SECOND))
    const lines = linesOf([
      { kickoff: columns([row]), polls: columns([]) },
      { kickoff: asking, polls: columns([]) },
    ])
    expect(pushbackOf(lines).limits).toMatchObject([
      { operation: 'kickoff', code: 503, count: 1, requests: 2 },
    ])
  })

  test('met in the warm-up are not of the measured window', () => {
    const lines = linesOf([{ kickoff: ACCEPTED, polls }], (record) => {
      record.warmUp = true
    })
    const { limits, waits } = pushbackOf(lines)
    expect([limits, waits.answers]).toEqual([[], 0])
  })
})

function waitsOf(kickoff: RequestColumns, polls: RequestColumns): PushbackResult['waits'] {
  return pushbackOf(linesOf([{ kickoff, polls }])).waits
}

function waitFor(micros: number): AskedWait[] {
  return [{ request: 0, micros }]
}

test('hints beside answers that refuse nothing are counted apart, and told', () => {
  const rows: Row[] = [
    [1, 200],
    [2, 200],
    [90, 200],
  ]
  const asked: AskedWait[] = [0, 1].map((request) => ({ request, micros: 60 * SECOND, hint: true }))
  const lines = linesOf([{ kickoff: ACCEPTED, polls: columns(rows, asked) }])
  const result = pushbackOf(lines)
  expect(result.waits).toMatchObject({ answers: 0, kept: 0, early: 0 })
  expect(result.hints).toEqual({ answers: 2, kept: 1, longestMs: 60_000 })
  expect(findingsIn({ pushback: result })).toEqual([
    {
      code: 'waits-hinted',
      severity: 'warning',
      answers: 2,
      longestMs: 60_000,
      isObeyed: false,
      message: expect.stringMatching(
        /^2 answers asked clients to wait up to 60\.0 s without need, and the run kept the scenario's interval\. Measure/,
      ) as string,
    },
  ])
})

describe('waits that were asked for', () => {
  test('are kept when the next request went out no earlier', () => {
    // The first answer came at 2 s, the next request went out at 7 s.
    const rows: Row[] = [
      [1, 429],
      [7, 200],
    ]
    expect(waitsOf(ACCEPTED, columns(rows, waitFor(5 * SECOND)))).toMatchObject({
      kept: 1,
      early: 0,
    })
    expect(waitsOf(ACCEPTED, columns(rows, waitFor(5 * SECOND + 1)))).toMatchObject({
      kept: 0,
      early: 1,
    })
  })

  test('by an accepted kickoff are for the first poll; the last answer asks nobody', () => {
    const kickoff = columns([[0, 200]], waitFor(3 * SECOND))
    const polls = columns([[2, 200]], waitFor(60 * SECOND))
    expect(waitsOf(kickoff, polls)).toEqual({
      answers: 2,
      kept: 0,
      early: 1,
      longestMs: 60_000,
    })
  })
})

describe('retries', () => {
  const lines = linesOf([
    {
      kickoff: columns([
        [0, 503],
        [3, 'refused', 1],
        [9, 200, 1],
      ]),
      polls: columns([
        [20, 502],
        [22, 200, 1],
      ]),
    },
    { kickoff: ACCEPTED, polls: columns([[5, 200]]) },
  ])

  test('are told by cause, over the first attempts', () => {
    expect(pushbackOf(lines).retries).toEqual({
      operations: [
        {
          operation: 'kickoff',
          requests: 4,
          retries: 2,
          causes: [
            { answer: 503, count: 1 },
            { answer: 'refused', count: 1 },
          ],
        },
        { operation: 'status', requests: 3, retries: 1, causes: [{ answer: 502, count: 1 }] },
      ],
      executions: 1,
      budgetSpent: false,
    })
  })

  test('cost the time between the answer and the retry', () => {
    const { distributions } = documentOf(lines)
    expect(distributions['retry.wait']).toMatchObject({ n: 1, mean: 2_000 + 5_000 + 1_000 })
  })

  test('that the budget refused are told once, as a finding with its remedy', () => {
    const spent = { code: 'budget-spent', budget: 'retry', isPart: false } as const
    const incident = { kind: 'note', note: spent } as const
    const note = { type: 'incident', instance: 0, atMicros: 0, index: null, incident } as const
    const document = documentOf([runLine(), note, ...lines.slice(1)])
    expect(document.pushback.retries.budgetSpent).toBe(true)
    const told = document.findings.filter(({ message }) => message.includes('retry budget'))
    expect(told).toMatchObject([{ severity: 'warning' }])
  })

  test('and all else do not depend on the order of the records', () => {
    const [first, ...rest] = lines
    expect(pushbackOf([first!, ...rest.toReversed()])).toEqual(pushbackOf(lines))
  })
})

describe('advice', () => {
  const calm = pushbackOf(linesOf([{ kickoff: ACCEPTED, polls: columns([[5, 200]]) }]))
  const limit = {
    operation: 'status',
    code: 429,
    count: 120,
    requests: 2_310,
    firstMs: 0,
    lastMs: 0,
    perMinute: 44,
    admittedPerMinute: 60,
  } as const
  const adviceOn = (changes: Partial<PushbackResult>, honourRetryAfter = true): string[] => {
    const plan = { ...runLine().plan, honourRetryAfter }
    const observations = observationsOf({ inFlight: { least: 9, most: 9 } })
    const pushback = { ...calm, ...changes }
    return findingsIn({ pushback, plan, observations }).map(({ message }) => message)
  }

  test('is none in good weather', () => {
    expect(adviceOn({})).toEqual([])
  })

  test('on polls says how often the executions in flight could be polled', () => {
    expect(adviceOn({ limits: [limit] })).toEqual([
      '120 of 2,310 polls were refused with 429, and at most 60 admitted per minute. Poll no ' +
        'execution more often than every 9.00 s',
    ])
  })

  test('is none on 503, which may be an outage', () => {
    expect(adviceOn({ limits: [{ ...limit, code: 503 }] })).toEqual([])
  })

  test('on kickoffs is to send fewer', () => {
    const [message] = adviceOn({ limits: [{ ...limit, operation: 'kickoff', count: 1 }] })
    expect(message).toMatch(
      /^1 of 2,310 kickoffs was refused with 429, and at most 60 admitted per minute\. Lower the arrival rate/,
    )
  })

  test.each([
    [false, '. Set honourRetryAfter in the scenario'],
    [true, '. Report it as a bug'],
  ])('on waits that were not kept: honoured %s', (honoured, words) => {
    const waits = { ...calm.waits, answers: 9, early: 2 }
    expect(adviceOn({ waits }, honoured)).toEqual([expect.stringContaining(words)])
  })
})
