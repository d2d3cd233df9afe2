/** Text in lines. */
import { expect, test } from 'vitest'
import { wrap } from '../../src/base/text.ts'

test('breaks at spaces, and begins each line as it is told', () => {
  expect(wrap('one two three four', 11, '- ', '  ')).toEqual(['- one two', '  three', '  four'])
  expect(wrap('one two three four', 13, '- ', '  ')).toEqual(['- one two', '  three four'])
})

test('keeps a word whole that is longer than a line', () => {
  expect(wrap('a supercalifragilistic word', 8, '', '')).toEqual([
    'a',
    'supercalifragilistic',
    'word',
  ])
})

test('an empty text is one line', () => {
  expect(wrap('', 8, '', '  ')).toEqual([''])
})

test('breaks within no value', () => {
  expect(wrap('p95 of 610 ms', 11, '', '')).toEqual(['p95 of', '610 ms'])
  expect(wrap('bound is <= 5 %', 13, '', '')).toEqual(['bound is', '<= 5 %'])
  expect(wrap('all of 3 mixes', 10, '', '')).toEqual(['all of 3', 'mixes'])
})
