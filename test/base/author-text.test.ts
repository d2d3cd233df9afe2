/** Files of users: what is not UTF-8 is refused with its line, and never changed. */
import { expect, test } from 'vitest'
import { authorText } from '../../src/base/author-text.ts'

const text = (bytes: Uint8Array): string => authorText(bytes, 'file')

test('UTF-8 is read, and its byte order mark is left out', () => {
  expect(text(Buffer.from('\uFEFFmüsli, 蜂, 🐝\n'))).toBe('müsli, 蜂, 🐝\n')
  expect(text(new Uint8Array())).toBe('')
})

test.each<[string, Buffer, RegExp]>([
  ['Latin-1 in line 3', Buffer.from('a\nb\ncafé\n', 'latin1'), /^file:3: is not UTF-8 .*0xe9/],
  ['Windows-1252 quotes', Buffer.from([0x93, 0x61, 0x94]), /^file:1: is not UTF-8 .*0x93/],
  ['a character cut in the middle', Buffer.from('a\n🐝').subarray(0, 4), /^file:2: is not UTF-8/],
  ['UTF-16, little end first', Buffer.from('\uFEFFa,b', 'utf16le'), /^file: is UTF-16/],
  ['UTF-16, big end first', Buffer.from('\uFEFFa,b', 'utf16le').swap16(), /^file: is UTF-16/],
])('%s is a mistake', (_, bytes, words) => {
  expect(() => text(bytes)).toThrow(words)
})
