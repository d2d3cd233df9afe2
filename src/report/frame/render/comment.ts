/**
 * `comment.md`: a comment on a pull request of GitHub, or a note on a merge request of GitLab. The
 * verdict is its first line, and its one table has no pictures. And an annotation of a job.
 */
import { utf8Length } from '../../../base/utf8.ts'
import { plural } from '../../../base/numbers.ts'
import { plainText } from '../../text/format.ts'
import { escapeMarkdown, provenance, tableText } from './markdown.ts'
import type { Report } from '../report.ts'
import { allText, blocksOn, headParts } from '../report.ts'
import { thresholdTable } from '../thresholds.ts'
import type { Table, Tone } from '../../text/table.ts'

/** GitHub refuses a comment of more than 65,536 characters; services that post it add to it. */
const MOST_BYTES = 64_000
const MOST_REASONS = 10
const TEXT_LIMIT = 500

/**
 * GitHub-flavoured Markdown of less than 64 kB: of a longer table the last rows are left out, and
 * counted. Every foreign text is escaped or in a code span. Ends with a newline.
 */
export function renderComment(report: Report): string {
  const table = firstTable(report)
  if (table === null) return textOf(report, '')
  for (let rows = table.rows.length; rows > 0; rows = Math.floor(rows / 2)) {
    const text = textOf(report, firstRows(table, rows))
    if (utf8Length(text) <= MOST_BYTES) return text
  }
  return textOf(report, '')
}

/** The first table that `summary.md` shows. */
function firstTable({ lead = [], sections }: Report): Table | null {
  for (const block of [{ blocks: lead }, ...sections].flatMap((part) =>
    blocksOn(part, 'markdown'),
  )) {
    if (block.kind === 'table') return block
    if (block.kind === 'thresholds') return thresholdTable(block.rows)
  }
  return null
}

/** What decided, and what else went wrong, in sentences. */
function decisive({ reasons, findings }: Report): string[] {
  const serious = findings.filter(({ severity }) => severity !== 'info')
  return [...reasons, ...serious.map(({ message }) => message)]
}

function textOf(report: Report, table: string): string {
  const { headline, title } = report
  const { cause } = headline
  const all = allText(headline)
  const [beside, rest] = cause === undefined ? [all, ''] : [cause, all]
  const reasons = decisive(report)
  const left = reasons.length - MOST_REASONS
  const blocks = [
    `## ${headline.sign} ${headline.word}: ${escapeMarkdown(title)}`,
    beside === '' ? '' : `**${escapeMarkdown(beside, TEXT_LIMIT)}**`,
    escapeMarkdown(rest, TEXT_LIMIT),
    escapeMarkdown(headline.load ?? '', TEXT_LIMIT),
    (headline.basis ?? []).map(({ text }) => escapeMarkdown(text)).join(' · '),
    [
      ...reasons.slice(0, MOST_REASONS).map((reason) => escapeMarkdown(reason, TEXT_LIMIT)),
      ...(left > 0 ? [`and ${left} more`] : []),
    ]
      .map((reason) => `- ${reason}`)
      .join('\n'),
    table,
    provenance(report),
  ]
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}

function firstRows(table: Table, rows: number): string {
  const left = table.rows.length - rows
  const text = tableText({ ...table, rows: table.rows.slice(0, rows) })
  return left === 0 ? text : `${text}\n\n${plural(left, 'more row')} in summary.md`
}

const ANNOTATION_LIMIT = 400

const COMMANDS: Record<Exclude<Tone, 'good'>, string> = { bad: 'error', doubt: 'warning' }

/**
 * An annotation of GitHub Actions, which stands above the log of a job and in its summary: one line
 * with its line feed; empty for a good verdict, which needs no attention. The log is read for
 * workflow commands, one a line:
 * https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
 */
export function renderAnnotation(report: Report): string {
  const { title, headline } = report
  const { tone, word } = headline
  if (tone === 'good') return ''
  const lines = [...new Set(headParts(headline)), ...decisive(report).slice(0, MOST_REASONS)]
  const message = lines
    .filter((line) => line !== '')
    .map((line) => plainText(line, ANNOTATION_LIMIT))
    .join('\n')
  const name = property(`${word}: ${plainText(title, 100)}`)
  return `::${COMMANDS[tone]} title=${name}::${data(message)}\n`
}

/** Escapes as `escapeData` of GitHub's own toolkit does (packages/core/src/command.ts). */
function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

/** Escapes a property as `escapeProperty` of GitHub's toolkit does. */
function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
