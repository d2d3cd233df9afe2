/** What stands between two sides is told, and what makes a comparison senseless prevents it. */
import { expect, test } from 'vitest'
import { apart, doubts, obstacles } from '../../../../src/study/comparing/comparable.ts'
import { comparison } from '../../../../src/study/comparing/comparison/study.ts'
import type { SideOf } from './sample-comparisons.ts'
import { comparisonOf, sidesOf } from './sample-comparisons.ts'

function doubtsOf(...asked: Parameters<typeof doubts>): string[] {
  return doubts(...asked).map(({ message }) => message)
}

const side = (run: SideOf['run']): SideOf => ({ runs: 2, ...(run === undefined ? {} : { run }) })
const ELSEWHERE = { kind: 'deployment', target: 'http://127.0.0.1:9' } as const
const plain: SideOf = { runs: 2, run: { machine: 'linux x64, 4 cores' } }

test.each([
  ['scenario', { scenario: 'other' }, /different scenarios \(made-up and other\)/],
  ['engine', { engine: 'k6' }, /different engines \(virtual and k6\)/],
  ['profile', { place: ELSEWHERE }, /different profiles \(made up and none\)/],
  ['version of Node', { node: '22.1.0' }, /different versions of Node \(/],
  [
    'machine',
    { machine: 'linux x64, 2 cores' },
    /^the runs were made on different machines: linux x64, 4 cores; linux x64, 2 cores$/,
  ],
  ['number of instances', { instances: 4 }, /different numbers of instances \(1 and 4\)/],
] as const)('another %s is a doubt, and no obstacle', (_name, run, words) => {
  const sides = sidesOf(plain, side(run))
  expect(doubtsOf(sides)).toContainEqual(expect.stringMatching(words))
  expect(obstacles(sides)).toEqual([])
})

test('runs of one kind raise no doubt, whatever their seeds and targets', () => {
  expect(
    doubtsOf(
      sidesOf(
        plain,
        side({
          place: { kind: 'fake', profile: 'made up', target: 'http://127.0.0.1:9', own: true },
        }),
      ),
    ),
  ).toEqual([])
})

test('the verdict over single runs says how they differ', () => {
  const one = { ...plain, runs: 1 }
  expect(comparisonOf(one, { ...one, slower: 1.1 }).verdict.sentence).toBe(
    'A single run on a side proves nothing: how much runs differ by chance is unknown.',
  )
  expect(
    comparisonOf(one, { ...one, run: { place: { kind: 'virtual', profile: 'b' } } }).verdict
      .sentence,
  ).toBe(
    'A single run on a side proves nothing, and ' +
      'the runs have different profiles (made up and b).',
  )
})

test('runs of one seed in virtual time are one run', () => {
  expect(doubtsOf(sidesOf(plain, side({ seed: 3 })))).toEqual([
    '2 new runs in virtual time with 1 seed show nothing about chance. Use --seed',
  ])
})

test('a run that was stopped is named', () => {
  expect(doubtsOf(sidesOf(plain, side({ stopped: 'drained' })))).toEqual([
    'new/0 was stopped before its end',
    'new/1 was stopped before its end',
  ])
})

const at = (hour: string): SideOf['run'] => ({
  engine: 'node',
  startedAt: `2026-11-22T${hour}:00:00.000Z`,
})

test('sides that were run one after the other are told beside a change, and only there', () => {
  const slower = { ...side(at('11')), runs: 5, slower: 1.3 }
  const found = comparisonOf({ ...side(at('10')), runs: 5 }, slower)
  expect(found.verdict.outcome).toBe('regression')
  expect(found.findings.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^one side was run after the other, so drift .*\. Run both alternately/),
  ])
  expect(found.findings).toMatchObject([{ code: 'sides-apart', first: 'base' }])
  expect(comparisonOf(side(at('11')), side(at('10'))).findings).toEqual([])
})

test('sides that were run by turns, or in virtual time, are not', () => {
  const runs = sidesOf(side(at('10')), side(at('12')))
  const [first, second] = sidesOf(side(at('09')), side(at('11'))).base
  expect(apart({ base: runs.base, new: [first!, ...runs.new] })).toBeNull()
  expect(apart({ base: [...runs.base, second!], new: runs.new })).toEqual({ first: 'base' })
  expect(apart(sidesOf(plain, side({ startedAt: '2026-11-22T12:00:00.000Z' })))).toBeNull()
})

test('times of different speeds do not compare', () => {
  const { verdict } = comparisonOf(plain, side({ speed: 60 }))
  const obstacle = { kind: 'speeds', speeds: [1, 60] }
  expect(verdict).toMatchObject({
    outcome: 'not-comparable',
    sentence: 'The runs have different speeds (1 and 60): their times cannot be compared.',
    reasons: [{ code: 'not-comparable', obstacle }],
  })
})

test.each([
  [{ runs: 6 }, { slower: 0.8 }, 'improvement'],
  [{ runs: 8 }, {}, 'equal'],
  [{ runs: 5 }, {}, 'none-proven'],
] as const)('a base that failed is told beside a good verdict: %j', (runs, changed, outcome) => {
  const terms = outcome === 'equal' ? { equivalent: 0.05 } : {}
  const found = comparisonOf(
    { ...runs, verdict: { outcome: 'failed', reasons: [] } },
    { ...runs, ...changed },
    terms,
  )
  expect(found.verdict.outcome).toBe(outcome)
  expect(found.verdict.sentence).toMatch(/\. But all \d base runs failed by their own verdict\.$/)
  expect(found.findings[0]!.message).toMatch(
    /^all \d base runs failed by their own verdict\. Take a better base: a cand/,
  )
  expect(comparison.report(found).headline.tone).toBe('doubt')
})

test('of a side, those that failed are counted, and those that are undecided are not', () => {
  const [base, next] = [sidesOf(plain, plain), sidesOf(plain, plain)]
  base.base[0]!.result.verdict.outcome = 'failed'
  next.new[0]!.result.verdict.outcome = 'inconclusive'
  expect(doubtsOf(base)[0]).toMatch(/^1 of the 2 base runs failed by their own verdict/)
  expect(doubts(base)[0]).toMatchObject({ side: 'base', failed: 1, runs: 2 })
  expect(doubtsOf(next)).toEqual([])
})
