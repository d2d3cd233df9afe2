/** Text of strangers, made harmless: everything that acts is shown, everything else stays. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isVisible, visible, visibleJson, visibleLine } from '../../src/base/visible.ts'

/** As the runners look for them. */
const LIVE = [
  /^\s*::[a-z]/im,
  /##\w*\[/,
  /section_(start|end):\d/,
  /[^\P{Cc}\t\n]|[\u2028\u2029]|\p{Bidi_Control}/u,
]

describe('what acts on a terminal or a reader is shown as its code point', () => {
  test.each([
    ['\u001B[31m', '<U+001B>[31m'],
    ['\u0007', '<U+0007>'],
    ['\r', '<U+000D>'],
    ['\u007F', '<U+007F>'],
    ['\u0085', '<U+0085>'],
    ['\u009B31m', '<U+009B>31m'],
    ['\u202E', '<U+202E>'],
    ['\u2066', '<U+2066>'],
    ['\u2028', '<U+2028>'],
    ['\uFEFF', '<U+FEFF>'],
    ['\uD800', '<U+D800>'],
    ['\u{E0041}', '<U+E0041>'],
  ])('%j', (text, shown) => {
    expect(visible(`a${text}b`)).toBe(`a${shown}b`)
    expect(isVisible(`a${text}b`)).toBe(false)
  })
})

describe('what a CI runner takes for a command is broken up', () => {
  test.each([
    ['::error::x', ': :error::x'],
    [':::error::x', ': : :error::x'],
    ['a\n  ::set-output name=b::c', 'a\n  : :set-output name=b::c'],
    ['"::warning file=a::b"', '": :warning file=a::b"'],
    ['##vso[task.setvariable variable=a]b', '# #vso[task.setvariable variable=a]b'],
    ['x ##[error]y', 'x # #[error]y'],
    ['###[error]y', '## #[error]y'],
    ["##teamcity[buildStop comment='a']", "# #teamcity[buildStop comment='a']"],
    ['section_start:1560896352:a', 'section_start :1560896352:a'],
  ])('%j', (text, shown) => {
    expect(visible(text)).toBe(shown)
  })
})

test.each([
  'plain words',
  'std::io::Error',
  'http://[::ffff:7f00:1]:80',
  '## Title',
  '👩‍💻 日本',
  'a\tb\nc',
])('%j stays as it is', (text) => {
  expect(visible(text)).toBe(text)
  expect(JSON.parse(visibleJson(text))).toBe(text)
})

test('one line has one space for any white space', () => {
  expect(visibleLine(' a\r\n\tb  c\n')).toBe('a b c')
})

const pieces = fc.constantFrom(
  '::',
  'error',
  '#',
  '##',
  'vso[',
  '[',
  ' ',
  '\n',
  '\r',
  '\u001B',
  '\u2028',
  '\u202E',
  'section_start:1',
  '"',
)
const hostile = fc.array(fc.oneof(pieces, fc.string({ unit: 'binary' })), { maxLength: 12 })

test('nothing live is left of any text, on one line or several; doing it again changes nothing', () => {
  fc.assert(
    fc.property(hostile, (parts) => {
      const text = parts.join('')
      for (const shown of [visible(text), visibleLine(text)]) {
        for (const sign of LIVE) expect(shown).not.toMatch(sign)
        expect(visible(shown)).toBe(shown)
      }
    }),
    { seed: 3, numRuns: 1_000 },
  )
})

test('JSON holds the same value, and nothing live', () => {
  fc.assert(
    fc.property(hostile, fc.constantFrom(undefined, 2), (parts, indent) => {
      const value = { text: parts.join(''), list: parts }
      const shown = visibleJson(value, indent)
      for (const sign of LIVE) expect(shown).not.toMatch(sign)
      expect(JSON.parse(shown)).toEqual(value)
    }),
    { seed: 4, numRuns: 1_000 },
  )
})
