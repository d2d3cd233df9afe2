/** The report at the end of a run, on stdout, beginning with the verdict. */
import { timeNotes } from '../time-notes.ts'
import type { ResultDocument, ThresholdResult } from '../../../result/document.ts'
import {
  formatBound,
  formatMeasuredBriefly,
  judgementNote,
  plainText,
  plural,
} from '../../frame/format.ts'
import {
  extentWords,
  otherReasons,
  thresholdSummary,
  validityWords,
  verdictWord,
} from '../summary.ts'
import { reasonText } from '../../frame/report.ts'
import { judgementSentences } from '../judgement-words.ts'
import { columns } from '../../frame/columns.ts'
import { wrap } from '../../../base/wrap.ts'
import { createPaint } from '../../frame/paint.ts'
import type { Ink, Paint } from '../../frame/paint.ts'
import { terminalBlocks } from '../../frame/render/terminal.ts'
import type { TerminalOptions } from '../../frame/render/terminal.ts'
import { factsOf } from '../facts.ts'
import { standingOf } from '../standing.ts'
import type { Standing } from '../standing.ts'
import { RUN_SECTIONS } from '../sections/list.ts'

/** Ends with a newline. Foreign text is shown without control characters. */
export function renderTerminal(document: ResultDocument, options: TerminalOptions): string {
  const paint = createPaint(options.color)
  const { width } = options
  const sections = [
    headline(document, paint, width),
    reasons(document, paint, width),
    ...RUN_SECTIONS.flatMap(({ title, blocks }) =>
      terminalBlocks(title, blocks(document), paint, width),
    ),
    facts(document, width),
    [...thresholds(document, paint, width), ...judgement(document, paint, width)],
    findings(document, paint, width),
    footer(options.reportPath, paint),
  ]
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

const VERDICT_INKS = {
  passed: 'green',
  failed: 'red',
  invalid: 'red',
  inconclusive: 'yellow',
  unreachable: 'red',
} as const

function inkOf({ outcome, problems }: ResultDocument['verdict']): Ink {
  return problems > 0 ? 'yellow' : VERDICT_INKS[outcome]
}

/** On a wider line, readers would overlook the right end. */
const HEAD_WIDTH = 120

function headline(document: ResultDocument, paint: Paint, width: number): string[] {
  const word = verdictWord(document.verdict)
  const left = `   ${thresholdSummary(document)} · ${validityWords(document)}`
  const { instances } = document.run
  const several = instances > 1 ? `${plural(instances, 'instance')}, ` : ''
  const right = several + extentWords(document)
  const gap = Math.min(width, HEAD_WIDTH) - word.length - left.length - right.length
  const head = paint(word, 'bold', inkOf(document.verdict)) + left
  const lines = gap >= 2 ? [head + ' '.repeat(gap) + right] : [head, `  ${right}`]
  const told = timeNotes(document).flatMap((note) => wrap(note, width, '  ', '  '))
  return [...lines, ...told.map((line) => paint(line, 'dim'))]
}

/** Why the run did not pass, apart from thresholds, which have their own lines below. */
function reasons(document: ResultDocument, paint: Paint, width: number): string[] {
  return otherReasons(document).flatMap((reason) =>
    marked('!', reasonText(reason), 'red', paint, width),
  )
}

/** Wide enough for all current names, so that the facts of every run are aligned. */
const NAME_WIDTH = 9

function facts(document: ResultDocument, width: number): string[] {
  const rows = factsOf(document, 'terminal')
  const room = Math.max(NAME_WIDTH, ...rows.map(({ name }) => name.length))
  const indent = ' '.repeat(room + 4)
  return rows.flatMap(({ name, text }) => wrap(text, width, `  ${name.padEnd(room)}  `, indent))
}

const STATUS: Record<Standing, { word: string; ink: Ink }> = {
  met: { word: 'ok', ink: 'green' },
  within: { word: 'within', ink: 'yellow' },
  missed: { word: 'MISS', ink: 'red' },
  undecided: { word: 'undecided', ink: 'yellow' },
  unmeasurable: { word: 'none', ink: 'yellow' },
  notJudged: { word: 'not judged', ink: 'yellow' },
}

function thresholds(document: ResultDocument, paint: Paint, width: number): string[] {
  const { thresholds: results } = document
  const lines = thresholdTable(results)
  return results.flatMap((result, index) =>
    thresholdLines(result, lines[index] ?? '', paint, width),
  )
}

function thresholdTable(results: readonly ThresholdResult[]): string[] {
  const longest = Math.max(...results.map((each) => STATUS[standingOf(each)].word.length), 4)
  return columns(
    results.map((result) => {
      const note = judgementNote(result)
      return [
        `  ${STATUS[standingOf(result)].word.padEnd(longest)}`,
        plainText(result.metric) + (note === null ? '' : ` (${note})`),
        formatMeasuredBriefly(result),
        formatBound(result),
      ]
    }),
    ['left', 'left', 'unit', 'left'],
  )
}

/** The row, and after a miss the next command, on the same line when it fits. */
function thresholdLines(
  result: ThresholdResult,
  line: string,
  paint: Paint,
  width: number,
): string[] {
  const { word, ink } = STATUS[standingOf(result)]
  const painted = `  ${paint(word, ink)}${line.slice(2 + word.length)}`
  if (result.hint === null) return [painted]
  const hint = plainText(result.hint, 300)
  if (line.length + 3 + hint.length <= width) return [`${painted}   ${hint}`]
  return [painted, ...wrap(hint, width, '        ', '        ')]
}

function judgement(document: ResultDocument, paint: Paint, width: number): string[] {
  return judgementSentences(document)
    .flatMap((sentence) => wrap(sentence, width, '  ', '  '))
    .map((line) => paint(line, 'dim'))
}

const SEVERITIES = {
  info: { sign: 'i', word: 'note', ink: 'cyan' },
  warning: { sign: '!', word: 'warning', ink: 'yellow' },
  problem: { sign: '✗', word: 'problem', ink: 'red' },
} as const

function findings(document: ResultDocument, paint: Paint, width: number): string[] {
  return document.findings.flatMap(({ severity, message }) => {
    const { sign, word, ink } = SEVERITIES[severity]
    return marked(sign, `${word}: ${plainText(message, 400)}`, ink, paint, width)
  })
}

function marked(sign: string, text: string, ink: Ink, paint: Paint, width: number): string[] {
  const [first = '', ...rest] = wrap(text, width, `  ${sign} `, '    ')
  return [`  ${paint(sign, ink)}${first.slice(2 + sign.length)}`, ...rest]
}

function footer(reportPath: string | null, paint: Paint): string[] {
  return reportPath === null ? [] : [`  ${paint('report', 'bold')}  ${reportPath}`]
}
