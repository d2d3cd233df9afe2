/**
 * `comment.md`: a comment on a pull request of GitHub, or a note on a merge request of GitLab. The
 * verdict is its first line, and its one table has no pictures. And an annotation of a job.
 */
import { utf8Length } from '../../../base/utf8.ts'
import { plural } from '../../../base/numbers.ts'
import { plainText } from '../../text/format.ts'
import { renderMarkdown } from './markdown.ts'
import type { Block, Report } from '../report.ts'
import { allText, blocksOn, headParts } from '../report.ts'
import { thresholdTable } from '../thresholds.ts'
import { tableOf } from '../../text/table.ts'
import type { Table, Tone } from '../../text/table.ts'

/** GitHub refuses a comment of more than 65,536 characters; services that post it add to it. */
const MOST_BYTES = 64_000
const MOST_REASONS = 10
const TEXT_LIMIT = 500

/** Markdown of less than 64 kB: of a longer table the last rows are left out, and counted. */
export function renderComment(report: Report): string {
  const table = firstTable(report)
  for (let rows = table.rows.length; rows > 0; rows = Math.floor(rows / 2)) {
    const text = renderMarkdown(shortReport(report, firstRows(table, rows)))
    if (utf8Length(text) <= MOST_BYTES) return text
  }
  return renderMarkdown(shortReport(report, []))
}

/** The first table that `summary.md` shows. */
function firstTable({ lead = [], sections }: Report): Table {
  const parts = [{ blocks: lead }, ...sections]
  for (const block of parts.flatMap((part) => blocksOn(part, 'markdown'))) {
    if (block.kind === 'table') return block
    if (block.kind === 'thresholds') return thresholdTable(block.rows)
  }
  return tableOf([], [])
}

function firstRows(table: Table, rows: number): Block[] {
  const left = table.rows.length - rows
  const text = left === 0 ? '' : `${plural(left, 'more row')} in summary.md`
  return [
    { ...table, rows: table.rows.slice(0, rows) },
    { kind: 'prose', text },
  ]
}

/** What decided, and what else went wrong, in sentences. */
function decisive({ reasons, findings }: Report): string[] {
  const serious = findings.filter(({ severity }) => severity !== 'info')
  return [...reasons, ...serious.map(({ message }) => message)]
}

/** The head, with the sentence in place of a cause where there is none, and what decided. */
function shortReport(report: Report, lead: readonly Block[]): Report {
  const { cause, load = '', more: _, ...headline } = report.headline
  const texts = allText(report.headline)
  const [beside, sentence] = cause === undefined ? [texts, ''] : [cause, texts]
  const reasons = decisive(report)
  const kept = reasons.slice(0, MOST_REASONS).map(short)
  const left = reasons.length - kept.length
  return {
    ...report,
    headline: { ...headline, cause: short(beside), sentence: short(sentence), load: short(load) },
    reasons: left > 0 ? [...kept, `and ${left} more`] : kept,
    lead,
    findings: [],
    facts: [],
    sections: [],
    parts: [],
  }
}

function short(text: string): string {
  return plainText(text, TEXT_LIMIT)
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
