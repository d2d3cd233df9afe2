import { expect, test } from 'vitest'
import { fingerprint } from '../../src/base/fingerprint.ts'
import { hashText } from '../../src/base/random.ts'

test('of a short text every unit counts', () => {
  const text = 'a'.repeat(512)
  expect(fingerprint(text)).toBe(hashText(text).toString(16).padStart(8, '0'))
  const changed = Array.from(text, (_, i) => `${text.slice(0, i)}b${text.slice(i + 1)}`)
  expect(new Set([text, ...changed].map(fingerprint)).size).toBe(513)
})

test.each([513, 1_000, 65_536])('of %i units length, begin and end count', (length) => {
  const text = 'abcdefgh'.repeat(length / 8 + 1).slice(0, length)
  const others = [text.slice(1), text.slice(0, -1), `x${text.slice(1)}`, `${text.slice(0, -1)}x`]
  expect(new Set([text, ...others].map(fingerprint)).size).toBe(5)
})

test('of a long text a stretch replaced anywhere counts, once it is as long as what lies between two', () => {
  const text = 'abcdefgh'.repeat(8_192)
  const between = Math.ceil(text.length / 15)
  for (let from = 0; from + between <= text.length; from += 997) {
    const other = text.slice(0, from) + 'x'.repeat(between) + text.slice(from + between)
    expect(fingerprint(other)).not.toBe(fingerprint(text))
  }
})

test('is eight hex digits', () => {
  for (let i = 0; i < 1_000; i++) expect(fingerprint(`text ${i}`)).toMatch(/^[0-9a-f]{8}$/)
})
