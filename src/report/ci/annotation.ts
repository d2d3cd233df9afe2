/**
 * An annotation of GitHub Actions, which stands above the log of a job and in its summary. The log
 * is read for workflow commands, one a line:
 * https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
 */
import { plainText } from '../frame/format.ts'
import type { Report, Tone } from '../frame/report.ts'
import { decisive } from './comment.ts'

const MOST_REASONS = 10
const TEXT_LIMIT = 400

const COMMANDS: Record<Exclude<Tone, 'good'>, string> = { bad: 'error', doubt: 'warning' }

/** One line with its line feed; empty for a good verdict, which needs no attention. */
export function renderAnnotation(report: Report): string {
  const { title, headline } = report
  const { tone, word, sentence } = headline
  if (tone === 'good') return ''
  const lines = [sentence, ...decisive(report).slice(0, MOST_REASONS)]
  const message = lines.map((line) => plainText(line, TEXT_LIMIT)).join('\n')
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
