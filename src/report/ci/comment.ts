/**
 * `comment.md`: a comment on a pull request of GitHub, or a note on a merge request of GitLab. The
 * verdict is its first line, and its one table has no pictures.
 */
import { utf8Length } from '../../base/utf8.ts'
import { plural } from '../frame/format.ts'
import { code, escapeMarkdown } from '../frame/markdown-text.ts'
import type { Report, Table } from '../frame/report.ts'
import { blocksOn, startWords } from '../frame/report.ts'
import { tableText } from '../frame/render/markdown.ts'
import { thresholdTable, worstFirst } from '../frame/thresholds.ts'

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

/** The first table that `summary.md` shows; of thresholds, the worst first. */
function firstTable({ lead = [], sections }: Report): Table | null {
  for (const block of [{ blocks: lead }, ...sections].flatMap((part) =>
    blocksOn(part, 'markdown'),
  )) {
    if (block.kind === 'table') return block
    if (block.kind === 'thresholds') return thresholdTable(worstFirst(block.rows))
  }
  return null
}

/** What decided, and what else went wrong, in sentences. */
export function decisive({ reasons, findings }: Report): string[] {
  const told = findings.filter(({ severity }) => severity !== 'info')
  return [...reasons, ...told.map(({ message }) => message)]
}

function textOf(report: Report, table: string): string {
  const { headline, title, origin, command } = report
  const reasons = decisive(report)
  const left = reasons.length - MOST_REASONS
  const provenance = [
    `${escapeMarkdown((origin.name ?? 'Target').toLowerCase())} ${code(origin.target)}`,
    escapeMarkdown(startWords(origin)),
    escapeMarkdown(origin.tool),
  ]
  const blocks = [
    `## ${headline.sign} ${headline.word}: ${escapeMarkdown(title)}`,
    `**${escapeMarkdown(headline.sentence, TEXT_LIMIT)}**`,
    (headline.basis ?? []).map(({ text }) => escapeMarkdown(text)).join(' · '),
    [
      ...reasons.slice(0, MOST_REASONS).map((reason) => escapeMarkdown(reason, TEXT_LIMIT)),
      ...(left > 0 ? [`and ${left} more`] : []),
    ]
      .map((reason) => `- ${reason}`)
      .join('\n'),
    table,
    `<sub>${provenance.join(' · ')}</sub>`,
    command === null ? '' : code(command, TEXT_LIMIT),
  ]
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}

function firstRows(table: Table, rows: number): string {
  const left = table.rows.length - rows
  const text = tableText({ ...table, rows: table.rows.slice(0, rows) })
  return left === 0 ? text : `${text}\n\n${plural(left, 'more row')} in summary.md`
}
