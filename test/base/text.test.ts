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
