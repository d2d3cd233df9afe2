/** Excerpts: short, on one line, without credentials. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { excerpt, excerptOf } from '../../src/crew/excerpt.ts'

test('short text stays as it is', () => {
  expect(excerpt('no luck')).toBe('no luck')
})

test('it is one line without control characters or marks that turn the text', () => {
  expect(excerpt('a\n\tb\u001b[31mc\u202ed\u2028e')).toBe('a b<U+001B>[31mc<U+202E>d<U+2028>e')
})

test.each([
  'Bearer abc.def-123',
  'authorization: Bearer abc.def-123',
  '{"authorization":"bearer abc.def-123"}',
  'token=abc.def-123&x=1',
  'Authorization: Basic abc.def-123',
])('credentials are hidden: %s', (text) => {
  expect(excerpt(text)).not.toContain('abc.def-123')
})

test('the words of an error message are not', () => {
  expect(excerpt('Invalid or missing bearer token')).toBe('Invalid or missing bearer token')
})

test('long text is cut, with a sign, and never within a pair', () => {
  expect(excerpt('x'.repeat(201))).toBe(`${'x'.repeat(199)}…`)
  expect(excerpt(`${'x'.repeat(198)}🚀${'y'.repeat(10)}`)).toBe(`${'x'.repeat(198)}…`)
})

test('ten megabytes are no burden', () => {
  expect(excerpt('\n'.repeat(10_000_000))).toHaveLength(1)
})

test('values are shown as their JSON', () => {
  expect(excerptOf(undefined)).toBe('missing')
  expect(excerptOf(null)).toBe('null')
  expect(excerptOf('3')).toBe('"3"')
  expect(excerptOf({ a: 1 })).toBe('{"a":1}')
})

test('no text makes one longer than allowed', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(0xffff), { maxLength: 300 }),
      fc.integer({ min: 2, max: 60 }),
      (units, length) => {
        expect(excerpt(String.fromCharCode(...units), length).length).toBeLessThanOrEqual(length)
      },
    ),
    { seed: 11, numRuns: 300 },
  )
})
