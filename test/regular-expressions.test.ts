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

interface Text {
  name: string
  whole: string
  /** An eighth as long. */
  part: string
}

/** Linear patterns take well under a millisecond for this; quadratic ones some 12 ms. */
const LENGTH = 5_000
const SLOW_MS = 3
/** A pattern may need its own beginning before it repeats. */
const BEGINNINGS = ['', '"', '< 1']

const TEXTS: readonly Text[] = RUNS.flatMap((run) =>
  BEGINNINGS.flatMap((begin) =>
    ENDS.map((end) => {
      const textOf = (length: number): string =>
        `${begin}${run.repeat(Math.ceil(length / run.length))}${end}`
      return { name: `${begin}${run}…${end}`, whole: textOf(LENGTH), part: textOf(LENGTH / 8) }
    }),
  ),
)

/** The name of the first text that takes quadratic time; null if none does. */
function quadraticText(pattern: RegExp): string | null {
  return TEXTS.find((text) => isQuadratic(pattern, text))?.name ?? null
}

/** What else the machine does is in one measurement, and seldom in the least of several. */
function leastMs(pattern: RegExp, text: string, times = 1): number {
  let least = Infinity
  for (let i = 0; i < times; i++) {
    const before = performance.now()
    text.replace(pattern, '')
    least = Math.min(least, performance.now() - before)
  }
  return least
}

/** An eighth of the text takes a linear pattern an eighth of the time, a quadratic one a 64th. */
function isQuadratic(pattern: RegExp, { whole, part }: Text): boolean {
  if (leastMs(pattern, whole) <= SLOW_MS) return false
  const ms = leastMs(pattern, whole, 5)
  return ms > SLOW_MS && ms / leastMs(pattern, part, 5) > 20
}

test('all literals are found', () => {
  expect(FOUND.length).toBeGreaterThan(150)
  expect(literalsOf('const a = b.replace(/x\\/[/]+$/g, c) / 2 / d')).toEqual([['x\\/[/]+$', 'g']])
})

test('a quadratic pattern is found', () => {
  expect(quadraticText(/\s+$/)).not.toBeNull()
  expect(quadraticText(/a+@/)).not.toBeNull()
})

test('every pattern is linear over long text', () => {
  const unique = new Map(FOUND.map((each) => [`/${each.pattern}/${each.flags}`, each]))
  const slow = [...unique.values()].flatMap(({ file, pattern, flags }) => {
    const text = quadraticText(new RegExp(pattern, flags))
    return text === null ? [] : [`${file}: /${pattern}/${flags} on ${JSON.stringify(text)}`]
  })
  expect(slow).toEqual([])
}, 120_000)
