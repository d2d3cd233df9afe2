/**
 * What crewload says is short: sentences that are made of pieces, as they are said in the end, with
 * facts of every form.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { z } from 'zod'
import { expect, test } from 'vitest'
import { createRandom } from '../src/base/random.ts'
import type { Random } from '../src/base/random.ts'

const MOST_WORDS = 20
/** So often a row is given other facts. */
const TIMES = 100

interface Row {
  facts: Readonly<Record<string, z.core.$ZodType>>
  says: (facts: object) => string
}

/** Facts with a form of their own. */
const GIVEN: Readonly<Record<string, unknown>> = {
  metric: 'execution.p95',
  at: '2026-05-04T03:02:01.000Z',
  written: { amounts: [{ number: 15, decimals: 0, unit: 's' }], per: null },
}

/** Those that have words of their own. */
const STATUSES = [
  200, 302, 400, 401, 402, 403, 404, 405, 407, 409, 410, 413, 415, 418, 422, 429, 500, 501, 503,
]

const root = fileURLToPath(new URL('..', import.meta.url))

function longOnes(text: string): string[] {
  return text
    .split(/(?<=[.?!])\s+|\n| \| /)
    .filter((sentence) => (sentence.match(/\S*[\w…]\S*/g) ?? []).length > MOST_WORDS)
}

/** A value of the schema: names are single words, lists have two members at most. */
function sample(schema: z.core.$ZodType, random: Random, name = ''): unknown {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (name in GIVEN) return GIVEN[name]
  const one = <T>(choices: readonly T[]): T => choices[random.int(choices.length)]!
  switch (def.type) {
    case 'string':
      return 'word'
    case 'number':
      if (name === 'answer' || name === 'last') return one(STATUSES)
      return 'format' in def ? one([1, 2, 36]) : one([0.25, 2.5, 36])
    case 'boolean':
      return one([true, false])
    case 'enum':
      return one(Object.values(def.entries))
    case 'literal':
      return one(def.values)
    case 'nullable':
      return one([null, sample(def.innerType, random, name)])
    case 'optional':
      return one([undefined, sample(def.innerType, random, name)])
    case 'readonly':
      return sample(def.innerType, random, name)
    case 'array':
      return Array.from({ length: one([0, 1, 2]) }, () => sample(def.element, random, name))
    case 'object':
      return factsOf(def.shape, random)
    case 'union':
      return sample(one(def.options), random, name)
    default:
      throw new Error(`no facts of the type ${def.type} are known`)
  }
}

function factsOf(shape: Row['facts'], random: Random): object {
  const facts = Object.entries(shape).map(([name, each]) => [name, sample(each, random, name)])
  return Object.fromEntries(facts) as object
}

/** The tables of what is said by a code. */
async function rowsOf(): Promise<ReadonlyMap<string, Row>> {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter(
    (file) =>
      file.endsWith('.ts') &&
      /\/(?:sentence-tables|diagnosis)\.ts'/.test(readFileSync(join(root, 'src', file), 'utf8')),
  )
  const rows = new Map<string, Row>()
  for (const file of files) {
    const exported: Record<string, unknown> = await import(
      join(root, 'dist/src', `${file.slice(0, -2)}js`)
    )
    for (const table of Object.values(exported))
      for (const [code, row] of Object.entries(table ?? {}))
        if (typeof row?.says === 'function') rows.set(`${dirname(file)}: ${code}`, row)
  }
  return rows
}

/** Everything that a row says of these facts, and of all. */
function textsOf(row: Row, facts: object): string[] {
  return Object.values(row).flatMap((part: unknown) => {
    if (typeof part === 'string') return part
    if (typeof part !== 'function') return []
    try {
      return String(part(facts))
    } catch {
      return []
    }
  })
}

test('what is said by a code has at most 20 words a sentence', async () => {
  const long = new Set<string>()
  for (const [name, row] of await rowsOf()) {
    const random = createRandom(7).fork(name)
    const texts = Array.from({ length: TIMES }, () => textsOf(row, factsOf(row.facts, random)))
    if (!texts.some((each) => each.length > 0)) long.add(`${name} says nothing`)
    const [longest] = texts
      .flat()
      .flatMap(longOnes)
      .toSorted((a, b) => b.length - a.length)
    if (longest !== undefined) long.add(`${name} says ${longest}`)
  }
  expect([...long]).toEqual([])
})

/** Of a pinned report: the rows of its plan, its verdict, its reasons, findings, lists and prose. */
const SAID =
  /^(?: {2}\w+ {2,}|(?:. )?[A-Z ]+ \(\w+\): |! |- |(?:info|warning|problem|prose|heading|figure): )(?<text>.*?)(?: \[[a-z, ]+\])?$/

/** Figures that semicolons divide. */
const FIGURES = /^(?:Limits|Retries|Ledger): /

test('what pinned reports say has at most 20 words a sentence', () => {
  const folder = join(root, 'test/golden/report')
  const files = readdirSync(folder).filter((file) => /^(?!rich).*\.txt$/.test(file))
  const lines = files.flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .replaceAll(/\n {13}/g, ' ')
      .split('\n')
      .flatMap((line) => SAID.exec(line)?.groups?.['text'] ?? [])
      .map((text) => (FIGURES.test(text) ? text.replaceAll('; ', '. ') : text)),
  )
  expect(lines.length).toBeGreaterThan(150)
  expect(new Set(lines.flatMap(longOnes))).toEqual(new Set())
})
