/**
 * Every regular expression of the sources takes linear time, whatever text it meets: a target's
 * answer, a token file, a message that a check throws.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const LITERAL =
  /(?<=(?:[=(,:[!&|?{};>]|return|^)\s*)\/(?![*/])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+)\/([dgimsuvy]*)/gm

function literalsOf(source: string): [pattern: string, flags: string][] {
  const code = source.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '')
  return [...code.matchAll(LITERAL)].map(([, pattern = '', flags = '']) => [pattern, flags])
}

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
}

const FOUND = ['src', 'fake-crew'].flatMap((folder) =>
  sources(folder).flatMap((file) =>
    literalsOf(readFileSync(file, 'utf8')).map(([pattern, flags]) => ({ file, pattern, flags })),
  ),
)

/** Runs of what patterns repeat, each ended by what none of them expects. */
const CHARACTERS = 'aA0Z_-./:;,=#`"\'\\()[]{}<>*+?!@%&|~^$ \n\t'
const PAIRS =
  'a | a|0 |0.|1,|a:|a.|a=|\\"|\n | \n|a(| (a|/*|*/|##|0m|1h|at |""|--|-a|00:|a/|/a|{ |bearer '
const RUNS = [...CHARACTERS.split(''), ...PAIRS.split('|'), '\r\n', '::']
const ENDS = ['', '\u0000', 'a']

function worstMs(pattern: RegExp, length: number): { ms: number; text: string } {
  let worst = { ms: 0, text: '' }
  for (const run of RUNS) {
    const repeated = run.repeat(Math.ceil(length / run.length))
    // A pattern may need its own beginning before it repeats.
    for (const begin of ['', ...BEGINNINGS]) {
      for (const end of ENDS) {
        const text = `${begin}${repeated}${end}`
        const ms = leastMs(pattern, text)
        if (ms > worst.ms) worst = { ms, text: `${begin}${run}…${end}` }
        if (ms > SLOW_MS) return worst
      }
    }
  }
  return worst
}
/** What else the machine does is in one measurement, and seldom in the least of several. */
function leastMs(pattern: RegExp, text: string): number {
  let least = Infinity
  for (let i = 0; i < 3 && least > SLOW_MS; i++) {
    const before = performance.now()
    text.replace(pattern, '')
    least = Math.min(least, performance.now() - before)
  }
  return least
}

const BEGINNINGS = ['"', '< 1']

/** Linear patterns take well under a millisecond for this; quadratic ones some 50 ms. */
const LENGTH = 10_000
const SLOW_MS = 20

test('all literals are found', () => {
  expect(FOUND.length).toBeGreaterThan(150)
  expect(literalsOf('const a = b.replace(/x\\/[/]+$/g, c) / 2 / d')).toEqual([['x\\/[/]+$', 'g']])
})

test('a quadratic pattern is found', () => {
  expect(worstMs(/\s+$/, LENGTH).ms).toBeGreaterThan(SLOW_MS)
  expect(worstMs(/a+@/, LENGTH).ms).toBeGreaterThan(SLOW_MS)
})

test('every pattern is linear over long text', () => {
  const unique = new Map(FOUND.map((each) => [`/${each.pattern}/${each.flags}`, each]))
  const slow = [...unique.values()].flatMap(({ file, pattern, flags }) => {
    const made = new RegExp(pattern, flags)
    const { ms, text } = worstMs(made, LENGTH)
    return ms > SLOW_MS ? [`${file}: /${pattern}/${flags} on ${JSON.stringify(text)}`] : []
  })
  expect(slow).toEqual([])
}, 120_000)
