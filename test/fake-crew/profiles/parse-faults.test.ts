/** Faults as their authors write them: what is read, and every mistake told. */
import { describe, expect, test } from 'vitest'
import { parseFaults, parseProfileText } from '../../../fake-crew/profiles.ts'
import { pinned, pinnedValues, toldMistakes } from '../../support/mistakes.ts'

function told(text: string): string[] {
  return toldMistakes(() => parseFaults(text, 'faults'))
}

describe('what is read', () => {
  test('has every default, one fault or a list of them, and all that can be said of when', async () => {
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
    const read = ['hang: {}', '- hang: {}\n- hang: {}', text].map(
      (written) => [written, parseFaults(written, 'faults')] as const,
    )
    await expect(pinnedValues(read)).toMatchFileSnapshot('../../golden/fake-crew/faults.txt')
  })

  test('names of headers in any case', () => {
    const [fault] = parseFaults('status: { code: 503, headers: { Retry-After: "5" } }', 'faults')
    expect(fault?.what).toMatchObject({ headers: { 'retry-after': '5' } })
  })

  test('a profile without faults has none', () => {
    expect(parseProfileText('tasks: [{ id: a, agent: A, duration: 1s }]', 'p.yaml').faults).toEqual(
      [],
    )
  })
})

const WRONG = [
  'chance: 2%',
  'hang: {}\nempty: {}',
  'hang: {}\nrest: {}',
  'reset: { at: before, carried: no }',
  'reset: { at: noon }',
  'reset: { at: during, carriedOut: false }',
  'truncate: { share: 100% }',
  'status: { code: 100 }',
  'status: { code: 200, headers: { a: "b\\nc" } }',
  'status: { code: 503, headers: { Retry-After: 5 } }',
  'status: { code: 503, headers: { "retry after": "5" } }',
  'contentType: "a\\nb"',
  'hang: {}\nwindow: {}\nepisodes: { off: 1s, on: 1s }',
  'hang: {}\nwindow: { for: 10s, every: 10s }',
  'hang: {}\nonly: 3\nfirst: 3',
  'hang: {}\noperations: [stop]',
  'refuse: {}\nwindow: { for: 1s }\nchance: 2%',
  'refuse: {}\nwindow: { from: 1s }',
  'refuse: {}',
  `
- name: a
  latency: { lognormal: { median: 2s, p95: 1s } }
  nth: 0
- name: a
  hang: {}
  chance: 2
`,
]

describe('what is refused', () => {
  test('is told with its place, every mistake at once', async () => {
    await expect(pinned(WRONG, told)).toMatchFileSnapshot('../../golden/mistakes/faults.txt')
  })

  test('within a profile, with the place', () => {
    const profile = 'tasks: [{ id: a, agent: A, duration: 1s }]\nfaults:\n  - hang: { share: 1 }\n'
    expect(() => parseProfileText(profile, 'p.yaml')).toThrow(
      'p.yaml:3:13 faults[0].hang.share: unknown key; allowed: carriedOut',
    )
  })
})
