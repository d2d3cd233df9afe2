/** `summary.md` of a recovery test: what a reviewer reads in a pull request. */
import type { RecoveryDocument } from '../document.ts'
import { formatInstant } from '../../../report/frame/format.ts'
import { code, escapeMarkdown, table } from '../../../report/frame/markdown-text.ts'
import { reasonText } from '../../../report/frame/report.ts'
import {
  countWords,
  courseWords,
  measureRows,
  RECOVERY_VERDICTS,
  seedWords,
  sizeRows,
  targetWords,
  unclearWords,
} from './summary.ts'

/** GitHub-flavoured; every foreign text is escaped or stands in a code span. Ends with a newline. */
export function renderRecoveryMarkdown(document: RecoveryDocument): string {
  const { verdict, run } = document
  const { word, sign } = RECOVERY_VERDICTS[verdict.outcome]
  const blocks = [
    `## ${sign} ${word}: recovery of ${escapeMarkdown(run.scenario)}`,
    escapeMarkdown(verdict.sentence, 500),
    list(verdict.reasons.map(reasonText)),
    facts(document),
    tipping(document),
    list([...document.findings.map(({ message }) => message), ...unclearWords(document.trials)]),
    provenance(document),
  ]
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}

function list(texts: readonly string[]): string {
  return texts.map((text) => `- ${escapeMarkdown(text, 500)}`).join('\n')
}

function facts(document: RecoveryDocument): string {
  const { run, verdict } = document
  const rows: [string, string][] = [
    ...(document.trials.length === 0 ? [] : measureRows(document)),
    ['Trials', countWords(verdict) || 'none'],
    ['Client', run.client],
    ['Run', `${courseWords(run)}; ${seedWords(run)}`],
  ]
  return rows.map(([name, text]) => `- **${name}**: ${escapeMarkdown(text, 400)}`).join('\n')
}

function tipping({ tipping: point }: RecoveryDocument): string {
  if (point === null) return ''
  const rows = sizeRows(point).map(({ size, tipped, interval }) => [size, tipped, interval])
  return `${escapeMarkdown(point.sentence, 400)}\n\n${table(['trigger', 'tipped', '95 % interval'], rows)}`
}

function provenance({ run, crewload }: RecoveryDocument): string {
  const words = [
    `target ${code(targetWords(run))}`,
    formatInstant(run.startedAt),
    `crewload ${escapeMarkdown(crewload)}`,
  ]
  return `<sub>${words.join(' · ')}</sub>${run.command === null ? '' : `\n\n${code(run.command, 500)}`}`
}
