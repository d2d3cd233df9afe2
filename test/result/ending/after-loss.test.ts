/** What became of a target, read from what came last and from what could not be found any more. */
import { describe, expect, test } from 'vitest'
import { findingOf } from '../../../src/result/sentence-tables.ts'
import { endOfUse, forgottenExecutions } from '../../../src/result/ending/end-of-use.ts'
import { FINDINGS } from '../../../src/result/sentences/findings.ts'
import { lossCause } from '../../../src/result/sentences/target-loss.ts'
import type { LedgerDisagreement } from '../../../src/result/document.ts'
import type { LastError, LostExecution } from '../../../src/result/counting/tallies/claims.ts'
import { FAILURE_CLASSES } from '../../../src/crew/answer.ts'
import type { AnswerCode } from '../../../src/crew/observation.ts'

const SECOND = 1_000_000

interface Seen {
  kickoff?: number | null
  status?: number | null
  errors?: LastError[]
  lost?: LostExecution[]
  inFlight?: number
  /** What the ledger of a fake crew contradicts; null without one. Default: nothing. */
  ledger?: LedgerDisagreement['kind'][] | null
}

/** Points in seconds. */
function messages({
  kickoff = 1,
  status = 9,
  errors = [],
  lost = [],
  inFlight = 4,
  ledger = [],
}: Seen): string[] {
  const micros = (seconds: number | null): number | null =>
    seconds === null ? null : seconds * SECOND
  const observations = {
    losses: [],
    requests: {
      afterLoss: {
        everAnswered: true,
        lastUsableMicros: { kickoff: micros(kickoff), status: micros(status) },
        lastErrors: errors.toSorted((a, b) => b.atMicros - a.atMicros),
        lost,
      },
    },
    timeline: { intervalMicros: SECOND, inFlight: Array.from({ length: 60 }, () => inFlight) },
  }
  const disagreements = ledger?.map((kind) => ({ kind, count: 1, examples: [] }))
  const account = disagreements === undefined ? null : { disagreements }
  const end = endOfUse(observations)
  return [
    ...forgottenExecutions(observations, account).map((facts) =>
      findingOf(FINDINGS, 'forgotten', facts),
    ),
    ...(end === null ? [] : [findingOf(FINDINGS, 'no-use-at-end', end)]),
  ].map(({ message }) => message)
}

function errorsAt(
  seconds: readonly number[],
  answer: AnswerCode,
  operation = 'status',
): LastError[] {
  return seconds.map((at, index) => ({
    operation: operation as LastError['operation'],
    answer,
    atMicros: at * SECOND,
    index,
  }))
}

const LATE = [10, 11, 12, 13, 14]

describe('the end of use', () => {
  test('is told with its first moment and what was asked in vain', () => {
    const [message] = messages({ errors: errorsAt(LATE, 'dns') })
    expect(message).toBe(
      'the host name no longer resolved from 10.0 s on (dns): none of 5 requests ' +
        'succeeded. Check its DNS record and the resolver of this machine',
    )
  })

  test.each<[string, Seen]>([
    ['four errors', { errors: errorsAt(LATE.slice(1), 401) }],
    ['an answer after them', { status: 14.5, errors: errorsAt(LATE, 401) }],
    ['errors of many kinds', { errors: LATE.flatMap((at) => errorsAt([at], 500 + (at % 5))) }],
    ['executions that cannot be found', { errors: errorsAt(LATE, 404) }],
    ['one execution', { errors: LATE.flatMap((at) => errorsAt([at], 401)) }],
    [
      'kickoffs that were refused, where polls are answered again',
      { status: 15, errors: errorsAt(LATE, 'refused', 'kickoff') },
    ],
    ['no answer ever', { kickoff: null, status: null, errors: errorsAt(LATE, 401) }],
  ])('is not told of %s', (_, seen) => {
    expect(messages(seen)).toEqual([])
  })

  test('of kickoffs alone, while polls are answered', () => {
    const seen = { status: 30, errors: errorsAt(LATE, 403, 'kickoff') }
    expect(messages(seen)).toEqual([
      expect.stringMatching(
        /no longer permitted to do this from 10\.0 s on \(403\): none of 5 kickoffs succeeded\. Check/,
      ),
    ])
  })
})

/** Accepted long apart, unless told otherwise. */
function lost(index: number, after: number, by: number, accepted = -50 * index): LostExecution {
  const [acceptedMicros, afterMicros, byMicros] = [accepted, after, by].map((at) => at * SECOND)
  return { index, acceptedMicros: acceptedMicros!, afterMicros: afterMicros!, byMicros: byMicros! }
}

describe('forgetting', () => {
  test('is one moment that lies in all spans', () => {
    const spans = [lost(0, 9, 10.5), lost(1, 9.8, 10.8), lost(2, 10, 11)]
    expect(messages({ lost: spans })).toEqual([
      expect.stringMatching(/^at 10.0 to 10.5 s the target stopped finding 3 executions/),
    ])
  })

  test('at one age that explains all, where one moment does not', () => {
    const aged = [lost(0, 9, 10.5, 1), lost(1, 11, 12.5, 3), lost(2, 14, 15.5, 6.5)]
    expect(messages({ lost: aged })).toEqual([
      'the target stopped finding 3 executions that it had reported before. Raise the retention, ' +
        'which may be 8.00 to 9.00 s after acceptance',
    ])
    const one = lost(3, 20, 20.5, 0)
    expect(messages({ lost: [...aged, one] })).toEqual([])
  })

  test('at one age and one moment leaves either open', () => {
    const both = [lost(0, 9, 10.5, 1), lost(1, 9.8, 10.8, 1.5), lost(2, 10, 11, 2)]
    expect(messages({ lost: both })).toEqual([
      expect.stringMatching(
        /^at 10.0 to 10.5 s .* restarted or lost its data\. Or raise the retention, which may be /,
      ),
    ])
  })

  test('at one age is by chance where there are but two', () => {
    expect(messages({ lost: [lost(0, 9, 10, 1), lost(1, 11, 12, 3)] })).toEqual([])
  })

  test('may happen twice', () => {
    const spans = [lost(0, 9, 10), lost(1, 9, 10.1), lost(2, 20, 21), lost(3, 20, 21.1)]
    expect(messages({ lost: spans })).toHaveLength(2)
  })

  test.each<[string, Seen]>([
    ['of a single execution', { lost: [lost(0, 9, 10)] }],
    ['of few among many', { lost: [lost(0, 9, 10), lost(1, 9, 10)], inFlight: 40 }],
    ['of executions one after the other', { lost: [lost(0, 9, 10), lost(1, 11, 12)] }],
  ])('is not told %s', (_, seen) => {
    expect(messages(seen)).toEqual([])
  })
})

describe('without a ledger', () => {
  const spans = [lost(0, 9, 10.5), lost(1, 9.8, 10.8), lost(2, 10, 11)]

  test.each<[string, LostExecution[]]>([
    ['at one moment', spans],
    ['at one age', [lost(0, 9, 10.5, 1), lost(1, 11, 12.5, 3), lost(2, 14, 15.5, 6.5)]],
    ['at either', [lost(0, 9, 10.5, 1), lost(1, 9.8, 10.8, 1.5), lost(2, 10, 11, 2)]],
    ['one alone', [lost(0, 9, 10)]],
    ['one after the other', [lost(0, 9, 10), lost(1, 11, 12)]],
  ])('those that the target stopped finding %s may wait for a person', (_, gone) => {
    const told = messages({ lost: gone, ledger: null })
    expect(told).toEqual([
      expect.stringMatching(/\. (?:Or s|S)et human: true in the scenario, if it asks people$/),
    ])
    expect(told[0]).not.toMatch(/start them|again|cost/)
  })

  test('nothing is said where none was lost', () => {
    expect(messages({ ledger: null })).toEqual([])
  })
})

test('nothing is guessed where the ledger says that people were asked', () => {
  const spans = [lost(0, 9, 10.5), lost(1, 9.8, 10.8), lost(2, 10, 11)]
  expect(messages({ lost: spans, ledger: ['asked'] })).toEqual([])
})

test.each(FAILURE_CLASSES)('%s has words and a remedy', (name) => {
  const { happened, remedy } = lossCause(name)
  expect([happened.length, remedy.length].every((length) => length > 10)).toBe(true)
})

test('codes go by their hundred', () => {
  expect(lossCause(502)).toBe(lossCause(500))
  expect(lossCause(418).happened).toBe('the target rejected every request')
})
