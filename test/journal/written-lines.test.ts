/** What is read from bytes is what `JSON.parse` and the schema make of the same line. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { isPlainLine } from '../../src/journal/plain-lines.ts'
import { WrittenLines } from '../../src/journal/written-lines.ts'
import { leftBy, seeds } from '../chaos/support.ts'
import { weatherOf } from '../chaos/weather.ts'
import { LINES, anyChange, changed } from './sample-lines.ts'

const RUNS = 30
const written = new WrittenLines()

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether the line, in the midst of others, is read from its bytes; and rightly, if so. */
function isReadRightly(line: Buffer): boolean {
  const bytes = Buffer.concat([Buffer.from('{"type":"x"}\n'), line, Buffer.from('\n{"type":')])
  const from = bytes.indexOf('\n') + 1
  const read = written.read(bytes, from, from + line.length)
  if (read === null) return false
  const value = parsed(line.toString())
  expect(isPlainLine(value)).toBe(true)
  expect(read).toStrictEqual(value)
  expect(JSON.stringify(read)).toBe(JSON.stringify(value))
  return true
}

test('lines as they are written are read', () => {
  for (const line of LINES) expect(isReadRightly(Buffer.from(JSON.stringify(line)))).toBe(true)
})

test('a line in which anything is changed is read rightly, or not at all', () => {
  let read = 0
  fc.assert(
    fc.property(anyChange, ({ one: { line, path }, how, odd }) => {
      if (isReadRightly(Buffer.from(JSON.stringify(changed(line, path, how, odd))))) read++
    }),
    { numRuns: 10_000, seed: 14 },
  )
  expect(read).toBeGreaterThan(500)
})

const piece = fc.oneof(
  fc.constantFrom('', '0', '-', '-0', '.', '1e3', '1.50', '9007199254740993', '\n', '\\', '"', ' '),
  fc.constantFrom('null', 'true', ',', '[', ']', '{', '}', ':', '\0', 'ä', '\u{1F41D}', '00'),
  fc.integer({ min: -10, max: 1e16 }).map(String),
  fc.double().map((value) => JSON.stringify(value)),
)

test('a line in which any bytes are replaced is read rightly, or not at all', () => {
  let read = 0
  const arbitrary = fc.record({
    line: fc.constantFrom(...LINES.map((line) => JSON.stringify(line))),
    at: fc.nat({ max: 900 }),
    length: fc.nat({ max: 3 }),
    piece,
  })
  fc.assert(
    fc.property(arbitrary, ({ line, at, length, piece: into }) => {
      const mangled = line.slice(0, at) + into + line.slice(at + length)
      if (isReadRightly(Buffer.from(mangled))) read++
    }),
    { numRuns: 20_000, seed: 14 },
  )
  expect(read).toBeGreaterThan(500)
})

test('decimals are read as JSON reads them', () => {
  const decimal = fc.tuple(fc.integer(), fc.constantFrom(10, 1_000, 1e6)).map(([a, b]) => a / b)
  const [line = ''] = LINES.filter(({ type }) => type === 'ended').map((one) => JSON.stringify(one))
  const withDecimal = (value: number): Buffer =>
    Buffer.from(line.replace('"completed":1,', `"completed":${JSON.stringify(value)},`))
  let read = 0
  fc.assert(
    fc.property(fc.oneof(decimal, fc.double()), (value) => {
      if (isReadRightly(withDecimal(value))) read++
    }),
    { numRuns: 10_000, seed: 14 },
  )
  expect(read).toBeGreaterThan(4_000)
})

test('the journals of runs by chance are read, nearly all from their bytes', async () => {
  let read = 0
  let all = 0
  for (const seed of seeds(1, RUNS)) {
    for (const line of (await journalOf(seed)).split('\n')) {
      const isExecution = /^\{"type":"(?:started|accepted|ended)"/.test(line)
      if (isReadRightly(Buffer.from(line))) read++
      if (isExecution) all++
    }
  }
  expect(read / all).toBeGreaterThan(0.8)
})

async function journalOf(seed: number): Promise<string> {
  const { journal } = await leftBy(weatherOf(seed))
  return journal
}
