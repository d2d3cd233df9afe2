/**
 * What every report owes its readers, whatever it is about; and what it says, as lines of a golden
 * file.
 */
import { allText } from '../../src/report/frame/report.ts'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { unreachable } from '../../src/base/assert.ts'
import { reportFiles } from '../../src/report/frame/render/files.ts'
import { renderTerminal } from '../../src/report/frame/render/terminal.ts'
import type { Block, Fact, Report, Section } from '../../src/report/frame/report.ts'
import { junitMistakes } from '../support/ci/junit-10.ts'
import { pageFaults } from '../support/page-faults.ts'

/** What would act on a terminal, or turn the direction of a text. */
const UNSEEN = /[^\P{Cc}\n\t]|\p{Bidi_Control}/u

const VOID = new Set(['meta', 'br', 'input', 'link', 'img', 'hr'])

/**
 * `narrowest`: the columns of the narrowest terminal. `isHostile`: the texts of this report bring
 * words and signs of their own.
 */
export function describeReports(
  reports: Readonly<Record<string, () => Report>>,
  narrowest: number,
  isHostile: (name: string) => boolean = () => false,
): void {
  describe.each(Object.entries(reports))('%s', (name, create) => {
    const report = create()
    const files = reportFiles(report)
    const page = files['report.html']!

    test.each(isHostile(name) ? [200] : [narrowest, 200])(
      'a terminal of %i columns is wide enough',
      (width) => {
        const shown = (color: boolean): string =>
          renderTerminal(report, { color, width, reportPath: null })
        const lines = shown(false).split('\n')
        const wide = lines.filter((line) => Array.from(line).length > width)
        // A word that is longer than a line stays whole.
        expect(wide.filter((line) => line.trim().includes(' '))).toEqual([])
        expect(stripVTControlCharacters(shown(true))).toBe(shown(false))
      },
    )

    test('closes every tag of the page in order, and draws no number that is none', () => {
      expect(firstImbalance(page)).toBeNull()
      expect(page).not.toMatch(/NaN|Infinity|undefined|\[object/)
    })

    test('has each id once, every reference leads to one, and nothing leads outside', () => {
      const ids = matches(page, /\sid="([^"]+)"/g)
      expect(new Set(ids).size).toBe(ids.length)
      const named = matches(page, /aria-labelledby="([^"]+)"/g)
      expect(ids).toEqual(expect.arrayContaining(named.flatMap((names) => names.split(' '))))
      expect(page).not.toMatch(/(?:src|url\(|@import|xlink)\s*[=("']/)
      const isOwn = /^"(?:#section-[a-z0-9-]+|[a-z]+\.(?:json|ndjson|hlog|md|xml))"$/
      expect(matches(page, /href=("?[^\s>]*)/g).filter((link) => !isOwn.test(link))).toEqual([])
    })

    test('has a title and a description for each picture, and reads well for a screen reader', () => {
      const pictures = page.match(/<svg\s+class="w\d+"/g)?.length ?? 0
      expect(matches(page, /(<title)\s+id=/g)).toHaveLength(pictures)
      expect(matches(page, /(<desc)\s+id=/g)).toHaveLength(pictures)
      expect(isHostile(name) ? [] : pageFaults(page)).toEqual([])
    })

    test('is the same in each file for the same report, and begins with its verdict', () => {
      expect(reportFiles(create())).toEqual(files)
      const { sign, word } = report.headline
      expect(files['summary.md']!.startsWith(`## ${sign} ${word}: `)).toBe(true)
      for (const table of files['summary.md']!.split('\n\n')) {
        const rows = table.split('\n').filter((line) => line.startsWith('|'))
        expect(new Set(rows.map((row) => row.split(/(?<!\\)\|/).length)).size).toBeLessThan(2)
      }
      // A hostile heading is escaped.
      expect(isHostile(name) || headingOf(page).includes(allText(report.headline))).toBe(true)
    })

    test('lets nothing act that a target says, and Jenkins reads the test cases', () => {
      for (const text of Object.values(files)) expect(text).not.toMatch(UNSEEN)
      expect(page.match(/<script/g)).toHaveLength(1)
      expect(page.replaceAll(/"[^"]*"/g, '""')).not.toMatch(/<[a-z][^>]*onload/)
      expect(page).not.toMatch(/<crew>/)
      expect(junitMistakes(files['junit.xml']!)).toEqual([])
    })
  })
}

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, found = '']) => found)
}

/** The first tag that is closed out of order or never; null when all are. */
function firstImbalance(html: string): string | null {
  const open: string[] = []
  const body = html.replaceAll(/<(script|style)>.*?<\/\1>/gs, '')
  for (const [tag, close, name = '', rest = ''] of body.matchAll(
    /<(\/?)([a-z][a-z0-9]*)\b([^<>]*)>/g,
  )) {
    if (close === '/') {
      if (open.pop() !== name) return tag
    } else if (!rest.endsWith('/') && !VOID.has(name)) {
      open.push(name)
    }
  }
  return open.at(-1) ?? null
}

/** What a report says, in lines; tables and pictures belong to the whole. */
export function reportLines(report: Report, isWhole: boolean): string[] {
  const { title, headline, reasons, findings, facts, sections, files, command } = report
  const { cases, origin } = report
  return [
    `${headline.sign} ${headline.word} (${headline.tone}): ${headWords(headline)}`,
    ...(headline.load === undefined ? [] : [`load: ${headline.load}`]),
    ...(headline.basis ?? []).map(({ text }) => `basis: ${text}`),
    ...reasons.map((reason) => `! ${reason}`),
    ...findings.map(({ severity, message }) => `${severity}: ${message}`),
    ...(report.lead ?? []).flatMap((block) => blockLines(block, isWhole)),
    ...facts.map(factLine),
    ...sections.flatMap((section) => sectionLines(section, isWhole)),
    ...abridged(cases.map(({ name, result }) => `case ${name}: ${JSON.stringify(result)}`)),
    ...(isWhole ? [title, files, command, origin].map((part) => JSON.stringify(part)) : []),
  ]
}

function headWords(headline: Report['headline']): string {
  const { cause } = headline
  const all = allText(headline)
  return cause === undefined ? all : `${cause} | ${all}`
}

function sectionLines(section: Section, isWhole: boolean): string[] {
  const { title, blocks } = section
  const chapter = 'chapter' in section ? section.chapter : null
  const lines = blocks.flatMap((block) => blockLines(block, isWhole))
  const heading = [chapter, title].filter((each) => typeof each === 'string').join(': ')
  return lines.length === 0 ? [] : [`## ${heading}`].concat(lines)
}

function blockLines(block: Block, isWhole: boolean): string[] {
  switch (block.kind) {
    case 'prose':
      return [`${block.as ?? 'prose'}: ${block.text}${placed(block)}`]
    case 'list':
      return block.items.map((item) => `- ${item}${placed(block)}`)
    case 'facts':
      return block.facts.map((fact) => `${factLine(fact)}${placed(block)}`)
    case 'thresholds':
      return block.rows.map((row) => `threshold ${JSON.stringify(row)}`)
    case 'explored':
      return isWhole ? [`explored: ${block.figure.id}`] : []
    case 'fold':
      return [block.title, ...block.blocks.flatMap((each) => blockLines(each, isWhole))]
    case 'verbatim':
      return isWhole ? abridged(block.text.trimEnd().split('\n')) : []
    case 'drawing':
      return isWhole ? [`drawing: ${block.figure.id}`] : []
    case 'figure': {
      const { heading, caption, table } = block.chart
      if (!isWhole) return []
      const tables = 'columns' in table ? [table] : table
      return [`figure: ${heading}. ${caption}`, ...tables.flatMap(rowLines)]
    }
    case 'table': {
      const { kind: _, columns, rows, ...more } = block
      return isWhole ? [`table ${JSON.stringify(more)}`, ...rowLines({ columns, rows })] : []
    }
    default:
      return unreachable(block)
  }
}

function rowLines({ columns, rows }: Record<'columns' | 'rows', readonly unknown[]>): string[] {
  return abridged([columns, ...rows].map((row) => `  ${JSON.stringify(row)}`))
}

/** What is longer than ten lines, without its middle. */
export function abridged(lines: readonly string[]): string[] {
  if (lines.length <= 10) return [...lines]
  return [...lines.slice(0, 7), `  ... ${lines.length - 8} lines`, lines.at(-1)!]
}

function factLine(fact: Fact): string {
  return `${fact.name} = ${fact.text}${placed(fact)}`
}

function placed({ on }: Pick<Fact, 'on'>): string {
  return on === undefined ? '' : ` [${on.join(', ')}]`
}

/** The verdict as people read it: its first sentence is the heading, the others follow. */
function headingOf(page: string): string {
  const [, heading = ''] = /<h1>(.*?)<\/h1>/s.exec(page) ?? []
  const [, lede = ''] = /<\/h1>\s*<p class="lede">(.*?)<\/p>/s.exec(page) ?? []
  return `${heading} ${lede}`
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('\u00A0', ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
