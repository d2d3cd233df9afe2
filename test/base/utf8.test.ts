import { expect, test } from 'vitest'
import { utf8Length } from '../../src/base/utf8.ts'

test.each([
  'plain',
  'mar é',
  '世界',
  'a \u{1f30a} wave',
  '\ud800',
  '\udc00\ud800',
  '\ud800\ud800\udc00',
])('counts the bytes of %j as an encoder does', (text) => {
  expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length)
})
