/** Patterns of metric names: what they read, and which names they list. */
import { expect, test } from 'vitest'
import { namesIn, readerOf } from '../../../../src/scenario/thresholds/metrics.ts'

test('each slot becomes a field, and words of its own become `which`', () => {
  const read = readerOf('<operation>.<fast|slow>.<statistic>')
  expect(read('status.slow.p95')).toEqual({
    operation: 'status',
    which: 'slow',
    statistic: { kind: 'quantile', q: 0.95 },
  })
  for (const name of ['status.slow', 'status.medium.p95', 'poll.slow.p95', 'status.slow.p95.x']) {
    expect(read(name)).toBeUndefined()
  }
})

test('a dot of the pattern is a dot, and a name takes anything', () => {
  expect(readerOf('a.b')('a.b')).toEqual({})
  expect(readerOf('a.b')('a-b')).toBeUndefined()
  expect(readerOf('checks.<name>')('checks.on\ntwo.lines')).toEqual({ name: 'on\ntwo.lines' })
})

test('lists its names with the words that are asked for, and none where anything goes', () => {
  const shown = { statistics: ['p50', 'max'], operations: ['status'] }
  expect(namesIn('<operation>.<a|b>.<statistic>', shown)).toEqual([
    'status.a.p50',
    'status.a.max',
    'status.b.p50',
    'status.b.max',
  ])
  expect(namesIn('polls.wastedShare')).toEqual(['polls.wastedShare'])
  expect(namesIn('checks.<name>')).toEqual([])
})
