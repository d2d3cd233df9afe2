/**
 * What every study owes its readers. Its report is pinned as a value: of the first sample the whole,
 * of each other sample what it says in sentences. Run with `-u`, and read the difference.
 */
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import { createPaint } from '../../src/report/frame/paint.ts'
import type { Block, Fact, Report, Section } from '../../src/report/frame/report.ts'
import { renderPage } from '../../src/report/frame/render/page.ts'
import { renderPlanText, renderTerminal } from '../../src/report/frame/render/terminal.ts'
import type { StudyDocument } from '../../src/study/frame/envelope.ts'
import { studyFiles } from '../../src/study/frame/files.ts'
import { studyJsonSchema } from '../../src/study/frame/json-schema.ts'
import type { Study } from '../../src/study/frame/study.ts'
import { junitMistakes } from '../support/ci/junit-10.ts'
import { pageFaults } from '../support/page-faults.ts'

type Samples<Document> = Readonly<Record<string, () => Document>>

/** What would act on a terminal, or turn the direction of a text. */
const UNSEEN = /[^\P{Cc}\n\t]|\p{Bidi_Control}/u

const ELEMENTS = ['section', 'figure', 'svg', 'table', 'tr', 'td', 'dl', 'details', 'g']

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true })
addFormats.default(ajv)

/**
 * The golden file is `report/NAME.txt`. `way`: the lines that are told of a document on the way; of
 * the first sample all of them are pinned, of each other the first.
 */
export function describeReports<Plan, Document extends StudyDocument & { plan?: Plan }>(
  study: Study<Plan, Document>,
  samples: Samples<Document>,
  way: (document: Document) => readonly string[] = () => [],
): void {
  const golden = fileURLToPath(new URL(`../golden/report/${study.name}.txt`, import.meta.url))
  const validate = ajv.compile(studyJsonSchema(study))

  test(`what the report of ${study.name} says`, async () => {
    const texts = Object.entries(samples).flatMap(([name, create], at) => {
      const document = create()
      const isWhole = at === 0
      const told = [`==== ${name}: ${study.exit(document)}`]
      if (isWhole && document.plan !== undefined) {
        told.push(renderPlanText(study.planText(document.plan)))
      }
      const lines = way(document)
      told.push(...(isWhole ? abridged(lines) : lines.slice(0, 1)))
      return told.concat(reportLines(study.report(document), isWhole), '')
    })
    await expect(texts.join('\n')).toMatchFileSnapshot(golden)
  })

  test('its schema refuses a document without a verdict', () => {
    const [create] = Object.values(samples)
    const { verdict: _, ...rest } = create!()
    validate(JSON.parse(JSON.stringify(rest)))
    expect(validate.errors).toMatchObject([{ instancePath: '', keyword: 'required' }])
  })

  describe.each(Object.entries(samples))('%s', (_, create) => {
    test('the document follows its schema, and the published one', () => {
      const document = create()
      const stored: unknown = JSON.parse(JSON.stringify(document))
      expect(study.schema.parse(stored)).toEqual(document)
      validate(stored)
      expect(validate.errors).toBeNull()
    })

    test('a terminal of 80 columns is wide enough', () => {
      const options = { color: false, width: 80, reportPath: null }
      const shown = renderTerminal(study.report(create()), options)
      expect(shown.split('\n').filter((line) => line.length > 80)).toEqual([])
    })

    test('the page is sound and reads well, for a screen reader too', () => {
      const page = renderPage(study.report(create()))
      expect(headingOf(page)).toContain(create().verdict.sentence)
      expect(renderPage(study.report(create()))).toBe(page)
      expect(page).not.toMatch(/NaN|Infinity|undefined|\[object/)
      expect(page).not.toMatch(/src="|href="(?!#section-|[a-z]+\.(?:json|md|xml)")/)
      expect(pageFaults(page)).toEqual([])
      for (const name of ELEMENTS) {
        const opened = page.match(new RegExp(`<${name}[\\s>]`, 'g'))?.length ?? 0
        const closed = page.match(new RegExp(`</${name}\\s*>`, 'g'))?.length ?? 0
        expect([name, closed]).toEqual([name, opened])
      }
    })

    test('what a target says acts nowhere, and Jenkins reads the test cases', () => {
      const { [`${study.name}.json`]: _, ...files } = studyFiles(study, create())
      for (const text of Object.values(files)) expect(text).not.toMatch(UNSEEN)
      expect(files['report.html']).not.toMatch(/<script>alert|<crew>/)
      expect(junitMistakes(files['junit.xml']!)).toEqual([])
    })
  })
}

function reportLines(report: Report, isWhole: boolean): string[] {
  const { title, headline, reasons, findings, facts, sections, files, command } = report
  const { cases, origin } = report
  return [
    `${headline.sign} ${headline.word} (${headline.tone}): ${headline.sentence}`,
    ...reasons.map((reason) => `! ${reason}`),
    ...findings.map(({ severity, message }) => `${severity}: ${message}`),
    ...facts.map(factLine),
    ...sections.flatMap((section) => sectionLines(section, isWhole)),
    ...abridged(cases.map(({ name, result }) => `case ${name}: ${JSON.stringify(result)}`)),
    ...(isWhole ? [title, files, command, origin].map((part) => JSON.stringify(part)) : []),
  ]
}

function sectionLines({ title, blocks }: Section, isWhole: boolean): string[] {
  const lines = blocks.flatMap((block) => blockLines(block, isWhole))
  return lines.length === 0 ? [] : [`## ${title}`].concat(lines)
}

/** Tables and pictures belong to the whole. */
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
    case 'fold':
      return [block.title, ...block.blocks.flatMap((each) => blockLines(each, isWhole))]
    case 'verbatim':
      return isWhole ? abridged(block.text.trimEnd().split('\n')) : []
    case 'lines':
      return isWhole ? block.lines(createPaint(false), 80) : []
    case 'drawing':
      return isWhole ? [`drawing: ${block.figure.id}`] : []
    case 'figure': {
      const { finding, caption, table } = block.chart
      return isWhole ? [`figure: ${finding}. ${caption}`, ...rowLines(table)] : []
    }
    case 'table': {
      const { kind: _, columns, rows, ...more } = block
      return isWhole ? [`table ${JSON.stringify(more)}`, ...rowLines({ columns, rows })] : []
    }
  }
}

function rowLines({ columns, rows }: Record<'columns' | 'rows', readonly unknown[]>): string[] {
  return abridged([columns, ...rows].map((row) => `  ${JSON.stringify(row)}`))
}

/** What is longer than ten lines, without its middle. */
function abridged(lines: readonly string[]): string[] {
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
export function headingOf(page: string): string {
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
