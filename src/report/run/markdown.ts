/** `summary.md`, which a reviewer reads in a pull request. */
import { timeNotes } from './time-notes.ts'
import type { ResultDocument, ThresholdResult } from '../../result/document.ts'
import { formatBound, formatMeasured, formatMeasuredInterval } from '../frame/format.ts'
import { judgementNote, metricNote, NOTHING } from '../frame/format.ts'
import { judgementSentences } from './judgement-words.ts'
import { code, escapeMarkdown, table } from '../frame/markdown-text.ts'
import {
  extentWords,
  engineWords,
  otherReasons,
  startWords,
  thresholdSummary,
  validityWords,
  verdictSign,
  verdictWord,
} from './summary.ts'
import { reasonText } from '../frame/report.ts'
import { factLines, markdownBlocks } from '../frame/render/markdown.ts'
import { factsOf } from './facts.ts'
import { standingOf } from './standing.ts'
import type { Standing } from './standing.ts'
import { RUN_SECTIONS } from './sections/list.ts'

/**
 * Renders a run as GitHub-flavoured Markdown; every foreign text is escaped or in a code span. It
 * ends with a newline.
 */
export function renderMarkdown(document: ResultDocument): string {
  const blocks = [
    heading(document),
    reasons(document),
    thresholds(document.thresholds),
    judgementSentences(document)
      .map((sentence) => escapeMarkdown(sentence, 400))
      .join('\n\n'),
    ...RUN_SECTIONS.flatMap(({ title, blocks }) => markdownBlocks(title, blocks(document))),
    factLines(factsOf(document, 'markdown')),
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

const STATUS: Record<Standing, string> = {
  met: '✓ ok',
  within: 'within, by value',
  missed: '✗ **miss**',
  undecided: '? undecided',
  unmeasurable: '? not measurable',
  notJudged: '– not judged',
}

function thresholds(results: readonly ThresholdResult[]): string {
  if (results.length === 0) return ''
  const rows = results.map((result) => [
    STATUS[standingOf(result)],
    code(result.metric) + noteOf(result),
    formatMeasured(result),
    formatMeasuredInterval(result) ?? NOTHING,
    code(formatBound(result)),
    result.hint === null ? '' : escapeMarkdown(result.hint, 300),
  ])
  return table(['', 'threshold', 'measured', '95 % interval', 'bound', 'next'], rows)
}

function noteOf(result: ThresholdResult): string {
  const notes = [metricNote(result.metric), judgementNote(result)].filter((note) => note !== null)
  return notes.length === 0 ? '' : ` (${notes.join('; ')})`
}

function troubles(document: ResultDocument): string {
  const lines = RUN_SECTIONS.flatMap(({ troubles: linesOf }) => linesOf?.(document) ?? [])
  if (lines.length === 0) return ''
  return ['**What went wrong**', '', ...lines.map((line) => `- ${line}`)].join('\n')
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
    `target ${target}${run.proxy === undefined ? '' : ` through ${code(run.proxy)}`}`,
    `engine ${engineWords(document)}`,
    `seed ${run.seed}`,
    startWords(document),
    `crewload ${escapeMarkdown(crewload)}`,
  ]
  const command = run.command === null ? '' : `\n\n${code(run.command, 500)}`
  return `<sub>${facts.join(' · ')}</sub>${command}`
}
