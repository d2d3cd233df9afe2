/**
 * Texts that are made to take long: the fake crew reads profiles and faults while others are being
 * measured.
 */
import { describe, expect, test } from 'vitest'
import { parseFaults, parseProfileText } from '../../../fake-crew/profiles.ts'
import { UserError } from '../../../src/base/mistakes.ts'
import { parseBytes, parseDuration, parseRate, parseShare } from '../../../src/base/units.ts'

/** As much as the control takes. */
const BYTES = 64 * 1024
/** Each took from 2 to 16 s where its time grew with the square of its length. */
const ENOUGH_MS = 1_500

function filled(unit: string, before: string, after: string): string {
  const times = Math.floor((BYTES - before.length - after.length) / unit.length)
  return before + unit.repeat(times) + after
}

const TEXTS: [name: string, text: string][] = [
  ['a share with a long gap', filled(' ', 'status: { code: 503 }\nchance: "1', 'x"')],
  ['unknown keys', Array.from({ length: 6_000 }, (_, n) => `key${n}: 1`).join('\n')],
  ['keys of one line', `{${Array.from({ length: 11_000 }, (_, n) => n.toString(36)).join(',')}}`],
  ['aliases', filled('*a,', 'a: &a 1\nb: [', ']')],
  ['many faults', filled('{rset: 1},', '[', ']')],
  ['many tasks', filled('{},', 'tasks: [', ']')],
  ['lists in lists', filled('[', '', '')],
]

describe.each([
  ['profile', (text: string) => parseProfileText(text, 'hostile.yaml')],
  ['faults', (text: string) => parseFaults(text, 'hostile.yaml')],
])('read as %s', (_, parse) => {
  test.each(TEXTS)('%s: refused soon, in a few words', (_name, text) => {
    const before = performance.now()
    const refusal = refusalOf(() => parse(text))
    expect(performance.now() - before).toBeLessThan(ENOUGH_MS)
    expect(refusal.mistakes.length).toBeLessThanOrEqual(101)
    expect(refusal.message.length).toBeLessThan(100_000)
  })
})

test('of too many mistakes it says how many are not told', () => {
  const tasks = Array.from({ length: 300 }, (_, n) => `{ id: t${n}, agent: A, duration: x }`)
  const { mistakes } = refusalOf(() => parseProfileText(`tasks: [${tasks.join(', ')}]`, 'x.yaml'))
  expect(mistakes).toHaveLength(101)
  expect(mistakes.at(-1)).toMatchObject({ problem: '200 more mistakes' })
})

test('a quantity is read in time that is linear in its length', () => {
  const gap = ' '.repeat(150_000)
  const before = performance.now()
  for (const parse of [parseShare, parseBytes, parseRate, parseDuration]) {
    expect(parse(`1${gap}x`)).toBeUndefined()
    expect(parse(`1/${gap}x y`)).toBeUndefined()
    expect(parse(`1/s${gap}x`)).toBeUndefined()
  }
  expect(performance.now() - before).toBeLessThan(ENOUGH_MS)
})

function refusalOf(act: () => unknown): UserError {
  try {
    act()
  } catch (error) {
    if (error instanceof UserError) return error
    throw error
  }
  throw new Error('it was not refused')
}
