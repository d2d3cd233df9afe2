/**
 * The documents are right in what they name and list, and readable: short, in short sentences and
 * plain words. Nothing is run here.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { listProfiles } from '../../../fake-crew/profiles.ts'
import { DIALECT } from '../../support/page-faults.ts'
import { BLOCKS, IN_DOCS, READ_BY_PEOPLE, ROOT, WRITTEN, plain, read } from './documents.ts'

/** Code spans before the first colon of each item of the list under a heading. */
function listed(document: string, heading: string): string[] {
  const [, rest = ''] = read(document).split(new RegExp(`^#+ ${heading}\n`, 'm'))
  const [section = ''] = rest.split(/^#/m)
  return [...section.matchAll(/^- ((?:`[^`]+`(?:, )?)+):/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  )
}

describe('lists of the documents', () => {
  test('name every profile', () => {
    expect(listed('docs/fake-crew.md', 'Shipped profiles').sort()).toEqual(listProfiles())
  })

  test('name every document', () => {
    const linked = [...read('docs/README.md').matchAll(/\]\(([\w-]+\.md)\)/g)]
    expect(linked.map(([, name = '']) => name).sort()).toEqual(
      IN_DOCS.filter((name) => name !== 'README.md').sort(),
    )
  })
})

/** A failing gate ends with 1, so no step can print it. */
test('the README answers its questions in words that a command of the documents prints', () => {
  const printed = BLOCKS.filter(({ language }) => language === 'text').map(({ text }) =>
    plain(text),
  )
  const quoted = [...read('README.md').matchAll(/^> ((?:ANSWERED|CLAIMED) .*\n(?:> .*\n)*)/gm)]
  const answers = quoted.map(([, text = '']) => plain(text.replaceAll(/^> /gm, '')))
  expect(answers).toHaveLength(2)
  for (const answer of answers) expect(printed).toContainEqual(expect.stringContaining(answer))
})

test('documents link only to files that there are', () => {
  const links = READ_BY_PEOPLE.flatMap((document) =>
    [...read(document).matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, link = '']) =>
      join(document, '..', link),
    ),
  )
  expect(links.length).toBeGreaterThan(30)
  expect(links.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
})

test('documents name only files that there are', () => {
  const named = READ_BY_PEOPLE.filter((document) => document !== 'CHANGELOG.md').flatMap(
    (document) =>
      read(document).match(/(?<=`)(src|test|fake-crew|bench|docs|tools)\/[\w./-]+(?=`)/g) ?? [],
  )
  expect(named.length).toBeGreaterThan(30)
  const missing = named.filter((path) => !existsSync(join(ROOT, path)))
  expect(missing.filter((path) => !path.includes('NAME') && path !== 'tools/k6/k6')).toEqual([])
})

test('documents say who does what, in plain words', () => {
  const found = READ_BY_PEOPLE.flatMap((document) => {
    const prose = plain(read(document).replaceAll(/```[\s\S]*?```|`[^`]*`/g, ''))
    const at = prose.search(DIALECT)
    return at === -1 ? [] : [`${document}: ${prose.slice(at, at + 60)}`]
  })
  expect(found).toEqual([])
})

/** Sentences, and what stands between colons and semicolons, of paragraphs and list items. */
function sentencesOf(document: string): string[] {
  const prose = read(document)
    .replaceAll(/```[\s\S]*?```/g, '')
    .replaceAll(/^[|#>].*$/gm, '')
    .replaceAll(/\]\([^)]*\)/g, ']')
  return prose
    .split(/\n(?=\s*(?:[-*]|\d+\.) |\n)/)
    .flatMap((block) => block.split(/(?<=[.:;?!])\s+/))
    .filter((sentence) => /\w/.test(sentence))
}

test('documents are written in short sentences: one in twenty has more than 20 words', () => {
  const sentences = WRITTEN.flatMap(sentencesOf)
  const long = sentences.filter((sentence) => sentence.trim().split(/\s+/).length > 20)
  expect(sentences.length).toBeGreaterThan(1_000)
  expect(long.slice(sentences.length / 20)).toEqual([])
})

test.each(['limits', 'studies', 'gate'])('no sentence of %s has more than 20 words', (name) => {
  const words = sentencesOf(`docs/${name}.md`).map((each) => each.match(/\S*\w\S*/g) ?? [])
  expect(words.filter(({ length }) => length > 20)).toEqual([])
})

/** Of paragraphs, items and cells, to their end. What is in backticks counts as one word. */
function wholeSentencesOf(document: string): string[] {
  return read(document)
    .replaceAll(/```[\s\S]*?```/g, '\n\n')
    .split(/\n\s*\n|\n(?=\s*(?:[-*|#>]|\d+\.) )/)
    .flatMap((block) => (block.startsWith('|') ? block.split('|') : [block]))
    .map((text) => plain(text.replaceAll(/`[^`]*`/g, 'X').replaceAll(/\]\([^)]*\)/g, ']')))
    .flatMap((text) => text.split(/(?<=[.?!])\s+/))
}

test('no sentence of the documents has more than 20 words to its end', () => {
  const sentences = [...WRITTEN, 'docs/clients/README.md'].flatMap(wholeSentencesOf)
  expect(sentences.length).toBeGreaterThan(1_000)
  const long = sentences.filter((each) => (each.match(/\S*\w\S*/g) ?? []).length > 20)
  expect(long).toEqual([])
})

test('documents are short enough to read: the README in lines, all of them in columns', () => {
  expect(read('README.md').split('\n').length).toBeLessThanOrEqual(101)
  const wide = [...WRITTEN, 'CONTRIBUTING.md', 'reports/README.md'].flatMap((document) =>
    read(document)
      .split('\n')
      .filter((line) => line.length > 140)
      .map((line) => `${document}: ${line}`),
  )
  expect(wide).toEqual([])
})

/** The bytes of the documents, without the tables that are made from the code. */
function sizeOf(excepted: readonly string[]): number {
  return readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !excepted.includes(name))
    .reduce((sum, name) => sum + Buffer.byteLength(read(`docs/${name}`)), 0)
}

test('docs/ has at most 130 kB beside the generated reference, and 175 kB with it', () => {
  expect(sizeOf(['reference.md'])).toBeLessThanOrEqual(130_000)
  expect(sizeOf([])).toBeLessThanOrEqual(175_000)
})
