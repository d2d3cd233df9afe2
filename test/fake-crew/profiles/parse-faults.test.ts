/** Faults as their authors write them: what is read, and every mistake told. */
import { describe, expect, test } from 'vitest'
import { parseFaults, parseProfile } from '../../../fake-crew/profiles.ts'
import { toldMistakes } from '../../support/mistakes.ts'

const SECOND = 1_000_000

function told(text: string): string[] {
  return toldMistakes(() => parseFaults(text, 'faults'))
}

describe('what is read', () => {
  test('one fault, or a list of them, with every default', () => {
    const fault = {
      name: 'hang',
      what: { kind: 'hang', carriedOut: true },
      operations: null,
      time: null,
      first: null,
      nth: 1,
      chance: 1,
      seed: null,
    }
    expect(parseFaults('hang: {}', 'faults')).toEqual([fault])
    expect(parseFaults('- hang: {}\n- hang: {}', 'faults')).toEqual([
      fault,
      { ...fault, name: 'hang 2' },
    ])
  })

  test('everything that can be said of when', () => {
    const text = `
name: morning
status: { code: 503, body: closed, headers: { retry-after: "7" } }
operations: [kickoff, status]
window: { from: 1m, for: 10s, every: 5m }
first: 100
nth: 3
chance: 25%
seed: 4
`
    expect(parseFaults(text, 'faults')).toEqual([
      {
        name: 'morning',
        what: {
          kind: 'status',
          code: 503,
          body: 'closed',
          headers: { 'retry-after': '7' },
          carriedOut: false,
        },
        operations: ['kickoff', 'status'],
        time: {
          kind: 'window',
          fromMicros: 60 * SECOND,
          forMicros: 10 * SECOND,
          everyMicros: 300 * SECOND,
        },
        first: 100,
        nth: 3,
        chance: 0.25,
        seed: 4,
      },
    ])
  })

  test('names of headers in any case', () => {
    const [fault] = parseFaults('status: { code: 503, headers: { Retry-After: "5" } }', 'faults')
    expect(fault?.what).toMatchObject({ headers: { 'retry-after': '5' } })
  })

  test('a profile without faults has none', () => {
    expect(parseProfile('tasks: [{ id: a, agent: A, duration: 1s }]', 'p.yaml').faults).toEqual([])
  })
})

describe('what is refused', () => {
  test.each([
    ['no kind', 'chance: 2%', /^faults:1:1: expected exactly one of status, latency, reset, /],
    ['two kinds', 'hang: {}\nempty: {}', /^faults:1:1: expected exactly one of /],
    ['an unknown kind', 'hang: {}\nrest: {}', /rest: unknown key; .*; did you mean "reset"\?$/],
    ['an unknown parameter', 'reset: { at: before, carried: no }', /reset.carried: unknown key; /],
    ['a place of no reset', 'reset: { at: noon }', /reset.at: expected one of before, during, /],
    [
      'a reset that leaves undone what it answers',
      'reset: { at: during, carriedOut: false }',
      /reset.carriedOut: expected true: /,
    ],
    ['a share that is all', 'truncate: { share: 100% }', /truncate.share: expected a share below/],
    [
      'a code that is none',
      'status: { code: 100 }',
      /status.code: expected a status code from 200/,
    ],
    [
      'a header that breaks the line',
      'status: { code: 200, headers: { a: "b\\nc" } }',
      /headers.a: expected a printable text as the value/,
    ],
    [
      'a header whose value is a number',
      'status: { code: 503, headers: { Retry-After: 5 } }',
      /headers.Retry-After: expected a printable text as the value: write a number in quotes/,
    ],
    [
      'a name that no header has',
      'status: { code: 503, headers: { "retry after": "5" } }',
      /headers.retry after: not a header name/,
    ],
    ['a type that breaks the line', 'contentType: "a\\nb"', /contentType: expected a content type/],
    [
      'times of two kinds',
      'hang: {}\nwindow: {}\nepisodes: { off: 1s, on: 1s }',
      /episodes: expected either a window or episodes/,
    ],
    [
      'a window longer than its turn',
      'hang: {}\nwindow: { for: 10s, every: 10s }',
      /window.every: expected more than the time for which it is on/,
    ],
    [
      'one request, and more of them',
      'hang: {}\nonly: 3\nfirst: 3',
      /only: expected either only, or first and nth/,
    ],
    ['an unknown operation', 'hang: {}\noperations: [stop]', /operations\[0\]: expected one of /],
    [
      'requests, where there are none',
      'refuse: {}\nwindow: { for: 1s }\nchance: 2%',
      /chance: expected nothing here: refuse strikes connections, not requests/,
    ],
    [
      'a refusal without end',
      'refuse: {}\nwindow: { from: 1s }',
      /window: expected an end \(for\)/,
    ],
    ['a refusal at any time', 'refuse: {}', /expected an end \(for\)/],
  ])('%s', (_, text, mistake) => {
    const mistakes = told(text)
    expect(mistakes).toHaveLength(1)
    expect(mistakes[0]).toMatch(mistake)
  })

  test('every mistake at once, in the order of the text', () => {
    const text = `
- name: a
  latency: { lognormal: { median: 2s, p95: 1s } }
  nth: 0
- name: a
  hang: {}
  chance: 2
`
    expect(told(text)).toEqual([
      expect.stringMatching(/^faults:3:\d+ \[0\].latency.lognormal.p95: expected a p95 above/),
      'faults:4:3 [0].nth: expected a whole number from 1 (found 0)',
      'faults:5:3 [1].name: expected a name that no other fault has (found "a")',
      expect.stringMatching(/^faults:7:3 \[1\].chance: expected a share from 0 to 1/),
    ])
  })

  test('within a profile, with the place', () => {
    const profile = 'tasks: [{ id: a, agent: A, duration: 1s }]\nfaults:\n  - hang: { share: 1 }\n'
    expect(() => parseProfile(profile, 'p.yaml')).toThrow(
      'p.yaml:3:13 faults[0].hang.share: unknown key; allowed: carriedOut',
    )
  })
})
