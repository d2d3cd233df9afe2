/** `summary.md` of a saturation: what a reviewer reads in a pull request. */
import type { SaturationDocument } from '../document.ts'
import { formatInstant } from '../../../report/frame/format.ts'
import { code, escapeMarkdown, table } from '../../../report/frame/markdown-text.ts'
import { reasonText } from '../../../report/run/summary.ts'
import {
  doubtSentences,
  extentSentence,
  feedSentence,
  kneeSentence,
  LATENCY_NOTE,
  rungRows,
  SATURATION_VERDICTS,
  targetWords,
} from './summary.ts'

/** GitHub-flavoured; every foreign text is escaped or stands in a code span. Ends with a newline. */
export function renderSaturationMarkdown(document: SaturationDocument): string {
  const { verdict, run } = document
  const { word, sign } = SATURATION_VERDICTS[verdict.outcome]
  const blocks = [
    `## ${sign} ${word}: saturate ${run.endpoint}`,
    escapeMarkdown(verdict.sentence, 400),
    list(verdict.reasons.map(reasonText)),
    rungTable(document),
    facts(document),
    list([...document.findings.map(({ message }) => message), ...doubts(document)]),
    provenance(document),
  ]
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}

function list(texts: readonly string[]): string {
  return texts.map((text) => `- ${escapeMarkdown(text, 400)}`).join('\n')
}

/** What the reasons of the verdict have said already is not said again. */
function doubts(document: SaturationDocument): string[] {
  return document.verdict.outcome === 'invalid' ? [] : doubtSentences(document)
}

function rungTable(document: SaturationDocument): string {
  if (document.rungs.length === 0) return ''
  const head = [
    'connections',
    '',
    'answers',
    '95 % interval',
    'p50',
    'p95',
    'p99',
    'errors',
    'busy',
  ]
  const rows = rungRows(document).map((row) => [
    row.connections,
    row.mark,
    row.throughput,
    row.interval,
    row.p50,
    row.p95,
    row.p99,
    escapeMarkdown(row.errors),
    row.busy,
  ])
  return table(head, rows)
}

function facts(document: SaturationDocument): string {
  const knee = kneeSentence(document)
  const feeds = feedSentence(document)
  return [
    ...(knee === null ? [] : [`- **Knee**: ${knee}`]),
    ...(feeds === null ? [] : [`- **Feeds**: ${feeds}`]),
    `- **Extent**: ${extentSentence(document)}`,
    `- ${LATENCY_NOTE}`,
  ].join('\n')
}

function provenance(document: SaturationDocument): string {
  const { run, crewload } = document
  const words = [
    `target ${code(targetWords(document))}`,
    formatInstant(run.startedAt),
    `crewload ${escapeMarkdown(crewload)}`,
  ]
  return `<sub>${words.join(' · ')}</sub>${run.command === null ? '' : `\n\n${code(run.command, 500)}`}`
}
