/** What a terminal shows of a saturation: its plan, each rung as it is done, and the end print. */
import { ENDPOINTS } from '../document.ts'
import type { SaturationDocument, SaturationPlan, SaturationRung } from '../document.ts'
import {
  formatCount,
  formatMetric,
  formatMs,
  plainText,
  plural,
} from '../../../report/frame/format.ts'
import { reasonText } from '../../../report/run/summary.ts'
import { columns, wrap } from '../../../report/frame/columns.ts'
import type { TerminalOptions } from '../../../report/run/terminal/end.ts'
import type { Paint } from '../../../report/frame/paint.ts'
import { createPaint } from '../../../report/frame/paint.ts'
import {
  briefly,
  doubtSentences,
  errorWords,
  extentSentence,
  feedSentence,
  kneeSentence,
  LATENCY_NOTE,
  rungRows,
  SATURATION_VERDICTS,
  targetWords,
} from './summary.ts'

/** Ends with a newline; plain text, at most 100 characters a line. */
export function renderSaturationPlan(plan: SaturationPlan): string {
  const { ladder, rungMs, warmUpMs, budget } = plan
  const target = plan.profile === null ? plan.target : `${plan.target}, ${plan.profile}`
  const totalMs = ladder.length * (rungMs + warmUpMs)
  const rows: [string, string][] = [
    ['target', plainText(target)],
    ['ladder', `${ladder.map(formatCount).join(', ')} connections, each as fast as it is answered`],
    ['duration', `about ${formatMs(totalMs)}, ${formatMs(rungMs)} a rung`],
    ['kickoffs', kickoffWords(plan)],
    ['requests', budget.requests === null ? 'no limit' : `at most ${formatCount(budget.requests)}`],
  ]
  const lines = columns(rows, ['left', 'left']).flatMap((line) =>
    wrap(line, 100, '  ', ' '.repeat(12)),
  )
  return [`Plan to saturate ${ENDPOINTS[plan.endpoint]}`, ...lines, ''].join('\n')
}

function kickoffWords({ endpoint, budget }: SaturationPlan): string {
  if (endpoint === 'kickoff')
    return `at most ${formatCount(budget.kickoffs ?? 0)}, each may cost money`
  return endpoint === 'status' ? 'at most 1' : 'none'
}

/** While the ladder is climbed: one plain line a rung, without a newline. */
export function renderRungLine(rung: SaturationRung): string {
  const { connections, throughput, latency, errorClasses } = rung
  const errors = errorClasses.length === 0 ? '' : `  errors ${errorWords(rung)}`
  return ` ${plural(connections, 'connection')}  ${formatMetric(throughput)}  p50 ${briefly(latency.p50)}  p99 ${briefly(latency.p99)}${errors}`
}

/** Ends with a newline. Foreign text is shown without control characters. */
export function renderSaturation(document: SaturationDocument, options: TerminalOptions): string {
  const paint = createPaint(options.color)
  const { width } = options
  const sections = [
    headline(document, paint, width),
    reasons(document, paint, width),
    rungTable(document),
    facts(document, width),
    remarks(document, paint, width),
    options.reportPath === null ? [] : [`  ${paint('report', 'bold')}  ${options.reportPath}`],
  ]
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

const INKS = { measured: 'green', inconclusive: 'yellow', invalid: 'red' } as const

function headline({ verdict }: SaturationDocument, paint: Paint, width: number): string[] {
  const { word } = SATURATION_VERDICTS[verdict.outcome]
  const indent = ' '.repeat(word.length + 3)
  const [first = '', ...rest] = wrap(plainText(verdict.sentence, 400), width, indent, indent)
  return [paint(word, 'bold', INKS[verdict.outcome]) + first.slice(word.length), ...rest]
}

function reasons({ verdict }: SaturationDocument, paint: Paint, width: number): string[] {
  return verdict.reasons.flatMap((reason) => marked('!', reasonText(reason), paint, width))
}

/** What the reasons of an invalid verdict have said already is not said again. */
function remarks(document: SaturationDocument, paint: Paint, width: number): string[] {
  const doubts = document.verdict.outcome === 'invalid' ? [] : doubtSentences(document)
  return [
    ...document.findings.flatMap(({ severity, message }) =>
      marked(severity === 'info' ? 'i' : '!', plainText(message, 400), paint, width),
    ),
    ...doubts.flatMap((text) => marked('!', text, paint, width)),
  ]
}

function marked(sign: '!' | 'i', text: string, paint: Paint, width: number): string[] {
  const [first = '', ...rest] = wrap(text, width, `  ${sign} `, '    ')
  return [`  ${paint(sign, sign === 'i' ? 'cyan' : 'yellow')}${first.slice(3)}`, ...rest]
}

function rungTable(document: SaturationDocument): string[] {
  if (document.rungs.length === 0) return []
  const head = [
    '  connections',
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
    row.errors,
    row.busy,
  ])
  return columns(
    [head, ...rows],
    ['right', 'left', 'right', 'right', 'right', 'right', 'right', 'left', 'right'],
  )
}

function facts(document: SaturationDocument, width: number): string[] {
  const knee = kneeSentence(document)
  const feeds = feedSentence(document)
  const rows: [string, string][] = [
    ...(knee === null ? [] : [['Knee', knee] as [string, string]]),
    ...(feeds === null ? [] : [['Feeds', feeds] as [string, string]]),
    ['Target', targetWords(document)],
    ['Extent', extentSentence(document)],
    ['Note', LATENCY_NOTE],
  ]
  return rows.flatMap(([name, text]) => wrap(text, width, `  ${name.padEnd(7)}  `, ' '.repeat(11)))
}
