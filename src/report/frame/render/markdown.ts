/**
 * A report as GitHub-flavoured Markdown: `summary.md`, which a reviewer reads in a pull request.
 */
import { unreachable } from '../../../base/assert.ts'
import { SEVERITIES, allText, blocksOn, startWords } from '../report.ts'
import { cellText, cellTone, isShown } from '../../text/table.ts'
import { SENTENCES_LIMIT, plainText } from '../../text/format.ts'
import type { Block, Fact, Headline, Report, Section, ThresholdRow } from '../report.ts'
import type { Table } from '../../text/table.ts'
import { plainLines, thresholdTable } from '../thresholds.ts'
import { visible } from '../../../base/visible.ts'

/**
 * Renders a report as Markdown. Every foreign text is escaped or in a code span. It ends with a
 * newline.
 */
export function renderMarkdown(report: Report): string {
  const { parts = [] } = report
  const blocks = [...ownBlocks(report), ...parts.flatMap(ownBlocks), provenance(report)]
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}

function ownBlocks({
  headline,
  title,
  reasons,
  lead = [],
  findings,
  facts,
  sections,
}: Report): string[] {
  const { basis = [] } = headline
  return [
    `## ${headline.sign} ${headline.word}: ${escapeMarkdown(title)}`,
    ...headTexts(headline),
    escaped(basis.map(({ text }) => text).join(' · ')),
    list(reasons),
    ...markdownBlocks({ title: null, blocks: lead }),
    list(findings.map(({ severity, message }) => `${SEVERITIES[severity].word}: ${message}`)),
    factLines(facts),
    ...sections.flatMap(markdownBlocks),
  ]
}

/** The cause stands out; sentence and load follow. */
function headTexts(headline: Headline): string[] {
  const { cause = '', load = '' } = headline
  const bold = cause === '' ? '' : `**${escaped(cause)}**`
  return [bold, escaped(allText(headline)), escaped(load)]
}

function escaped(text: string): string {
  return escapeMarkdown(text, SENTENCES_LIMIT)
}

function list(texts: readonly string[]): string {
  return texts.map((text) => `- ${escaped(text)}`).join('\n')
}

/** `- **Name**: text`, one line per fact. */
function factLines(facts: readonly Fact[]): string {
  return facts
    .filter((fact) => isShown(fact, 'markdown'))
    .map(({ name, text }) => `- **${name}**: ${escaped(text)}`)
    .join('\n')
}

/** The blocks that Markdown shows, under their title if they have one. */
function markdownBlocks({ title, blocks }: Pick<Section, 'title' | 'blocks'>): string[] {
  const texts = blocksOn({ blocks }, 'markdown').map(blockText)
  return texts.length === 0 || title === null ? texts : [`### ${title}`, ...texts]
}

function blockText(block: Block): string {
  switch (block.kind) {
    case 'prose':
      return block.as === 'heading' ? `**${escaped(block.text)}**` : escaped(block.text)
    case 'list':
      return list(block.items)
    case 'facts':
      return factLines(block.facts)
    case 'table':
      return tableText(block)
    case 'thresholds':
      return thresholdText(block.rows)
    case 'figure':
    case 'drawing':
    case 'explored':
    case 'fold':
      return ''
    case 'verbatim':
      return codeBlock(block.text)
    default:
      return unreachable(block)
  }
}

function thresholdText(rows: readonly ThresholdRow[]): string {
  return [tableText(thresholdTable(rows)), ...plainLines(rows).map((line) => escaped(line))]
    .filter((text) => text !== '')
    .join('\n\n')
}

/** Renders a table; without rows, the text of an empty table. */
function tableText({ columns, rows, empty }: Table): string {
  if (rows.length === 0) return empty ?? ''
  const shown = columns.flatMap((column, at) =>
    isShown(column, 'markdown') ? [{ column, at }] : [],
  )
  const body = rows.map((row) =>
    shown.map(({ at }) => {
      const cell = row[at] ?? ''
      const text = escaped(cellText(cell))
      return cellTone(cell) === 'bad' ? `**${text}**` : text
    }),
  )
  return [shown.map(({ column }) => escaped(column.title)), shown.map(() => '---'), ...body]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}

function provenance({ origin, command }: Report): string {
  const way = origin.proxy === undefined ? '' : ` through ${code(origin.proxy)}`
  const words = [
    `${escapeMarkdown((origin.name ?? 'Target').toLowerCase())} ${code(origin.target)}${way}`,
    startWords(origin),
    escapeMarkdown(origin.tool),
  ]
  const repeated = command === null ? '' : `\n\n${code(command, SENTENCES_LIMIT)}`
  return `<sub>${words.join(' · ')}</sub>${repeated}`
}

/**
 * Foreign text that must not become markup, a mention, a reference or a link. A backslash is not
 * enough for `@team`, `#123`, `GH-123`, GitLab's `!123` and `&123`, and addresses: GitHub and
 * GitLab look for them after the markup is removed. A zero-width space divides them.
 */
function escapeMarkdown(text: string, limit = 200): string {
  return plainText(text, limit)
    .replaceAll(/@|[#!&](?=\w)|\bGH-(?=\d)|\bwww(?=\.)|:(?=\/\/)/gi, '$&\u200B')
    .replaceAll(/[\\`*_[\]{}|~#!]/g, String.raw`\$&`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}

/** A code block: its lines stay as they are. */
function codeBlock(text: string): string {
  const fence = fenceOf(text, 3)
  return `${fence}\n${visible(text)}\n${fence}`
}

/** Longer than any run of backticks in the text. */
function fenceOf(text: string, least: number): string {
  const runs = [...text.matchAll(/`+/g)].map(([run]) => run.length + 1)
  return '`'.repeat(Math.max(least, ...runs))
}

/** A code span; a bar is replaced because it would end a table's cell. */
function code(text: string, limit = 160): string {
  const plain = plainText(text, limit).replaceAll('|', '¦')
  const fence = fenceOf(plain, 1)
  const pad = plain.startsWith('`') || plain.endsWith('`') || plain === '' ? ' ' : ''
  return `${fence}${pad}${plain}${pad}${fence}`
}
