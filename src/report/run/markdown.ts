/** `summary.md`: what a reviewer reads in a pull request. */
import { onCrewClock } from '../../analysis/crew-clock.ts'
import { timeNotes } from './time-notes.ts'
import type { ResultDocument, ThresholdResult } from '../../analysis/document.ts'
import { outcomeWord } from '../../analysis/ending/endings.ts'
import { formatBound, formatInstant, formatInterval, formatMeasured } from '../frame/format.ts'
import { judgementNote, metricNote, NOTHING, wallMeasured, wallNote } from '../frame/format.ts'
import { judgementSentences } from './judgement-words.ts'
import { code, escapeMarkdown, table } from '../frame/markdown-text.ts'
import {
  cellText,
  contractSentence,
  exampleName,
  extentWords,
  engineWords,
  intervalOf,
  noOutcomes,
  otherReasons,
  outcomeShares,
  pollingSentence,
  STATISTICS,
  thresholdSummary,
  validityWords,
  verdictSign,
  verdictWord,
  waitRows,
  wallCellText,
} from './summary.ts'
import { reasonText } from '../frame/report.ts'
import type { WaitRow } from './summary.ts'
import { limitsSentence, retriesSentence } from './disturbances.ts'

/**
 * GitHub-flavoured; every foreign text is escaped or stands in a code span. Ends with a newline.
 */
export function renderMarkdown(result: ResultDocument): string {
  const document = onCrewClock(result)
  const blocks = [
    heading(document),
    reasons(document),
    thresholds(document.thresholds, document.run.speed),
    judgementSentences(document)
      .map((sentence) => escapeMarkdown(sentence, 400))
      .join('\n\n'),
    waits(document),
    outcomes(document),
    troubles(document),
    findings(document),
    provenance(document),
  ]
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}

function heading(document: ResultDocument): string {
  const { verdict } = document
  const lines = [
    `## ${verdictSign(verdict)} ${verdictWord(verdict)}: ${escapeMarkdown(document.run.scenario)}`,
    escapeMarkdown(document.verdict.sentence, 400),
    `${thresholdSummary(document)} · ${validityWords(document)} · ${extentWords(document)}`,
  ]
  const notes = timeNotes(document).map((note) => `*${escapeMarkdown(note, 500)}*`)
  return [...lines, ...notes].join('\n\n')
}

function reasons(document: ResultDocument): string {
  return otherReasons(document)
    .map((reason) => `- ${escapeMarkdown(reasonText(reason), 400)}`)
    .join('\n')
}

const STATUS: Record<ThresholdResult['status'], string> = {
  met: '✓ ok',
  missed: '✗ **miss**',
  undecided: '? undecided',
  unmeasurable: '? not measurable',
}

function thresholds(results: readonly ThresholdResult[], speed: number): string {
  if (results.length === 0) return ''
  const rows = results.map((result) => [
    STATUS[result.status],
    code(result.metric) + noteOf(result, speed),
    withWall(formatMeasured(result), wallMeasured(result, speed)),
    formatInterval(result.measured) ?? NOTHING,
    code(formatBound(result)),
    result.hint === null ? '' : escapeMarkdown(result.hint, 300),
  ])
  return table(['', 'threshold', 'measured', '95 % interval', 'bound', 'next'], rows)
}

function withWall(text: string, wall: string | null): string {
  return wall === null ? text : `${text} (${wall})`
}

function noteOf(result: ThresholdResult, speed: number): string {
  const notes = [metricNote(result.metric), judgementNote(result), wallNote(result, speed)].filter(
    (note) => note !== null,
  )
  return notes.length === 0 ? '' : ` (${notes.join('; ')})`
}

function waits(document: ResultDocument): string {
  const rows = waitRows(document).map(waitCells)
  const head =
    document.run.speed === 1
      ? 'what users wait for'
      : 'what users wait for (in brackets: in this run)'
  return table([head, ...STATISTICS, '95 % interval of p95'], rows)
}

function waitCells(row: WaitRow): string[] {
  const times = STATISTICS.map((name) =>
    withWall(cellText(row.cells[name]), wallCellText(row, name)),
  )
  const label = row.note === null ? row.label : `${row.label} (${row.note})`
  return [label, ...times, intervalOf(row, 'p95') ?? NOTHING]
}

function outcomes(document: ResultDocument): string {
  const seen = outcomeShares(document).filter(({ count }) => count > 0)
  const words = seen.map(({ outcome, text }) => `${outcomeWord(outcome)} ${text}`).join(', ')
  const limits = limitsSentence(document)
  const retries = retriesSentence(document)
  return [
    `- **Outcomes**: ${words === '' ? noOutcomes(document) : words}`,
    `- **Polling**: ${pollingSentence(document)}`,
    `- **Contract**: ${escapeMarkdown(contractSentence(document), 400)}`,
    ...(limits === null ? [] : [`- **Limits**: ${limits}`]),
    ...(retries === null ? [] : [`- **Retries**: ${escapeMarkdown(retries, 400)}`]),
  ].join('\n')
}

/** Errors, failed checks and disagreements with the ledger, one line each. */
function troubles(document: ResultDocument): string {
  const errors = document.errors.map(
    ({ operation, class: name, count }) => `- ${operation} ${code(name)}: ${count}`,
  )
  const checks = document.checks
    .filter(({ failed, threw }) => failed + threw > 0)
    .map(({ name, failed, threw, example }) => {
      const seen = example === null ? '' : `, for example ${code(example)}`
      return `- check ${code(name)}: ${failed} failed, ${threw} threw${seen}`
    })
  const ledger = (document.ledger?.disagreements ?? []).map(({ kind, count, examples }) => {
    const first = examples[0]
    const seen =
      first === undefined ? '' : `, for example ${code(exampleName(first))} ${code(first.detail)}`
    return `- ledger: ${kind} ${count}${seen}`
  })
  const lines = [...errors, ...checks, ...ledger]
  return lines.length === 0 ? '' : ['**What went wrong**', '', ...lines].join('\n')
}

function findings(document: ResultDocument): string {
  return document.findings
    .map(({ severity, message }) => `- ${severity}: ${escapeMarkdown(message, 400)}`)
    .join('\n')
}

function provenance(document: ResultDocument): string {
  const { run, crewload } = document
  const target =
    run.profile === null ? code(run.target) : `${code(run.target)} (${escapeMarkdown(run.profile)})`
  const facts = [
    `target ${target}`,
    `engine ${engineWords(document)}`,
    `seed ${run.seed}`,
    formatInstant(run.startedAt),
    `crewload ${escapeMarkdown(crewload)}`,
  ]
  const command = run.command === null ? '' : `\n\n${code(run.command, 500)}`
  return `<sub>${facts.join(' · ')}</sub>${command}`
}
