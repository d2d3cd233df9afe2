/** What a terminal shows of a recovery test: its plan, each trial as it is done, and the end print. */
import type { RecoveryDocument, RecoveryPlan, RecoveryTrial } from '../document.ts'
import { formatMs, plainText, plural } from '../../../report/frame/format.ts'
import { reasonText } from '../../../report/frame/report.ts'
import { columns, wrap } from '../../../report/frame/columns.ts'
import type { TerminalOptions } from '../../../report/frame/render/terminal.ts'
import type { Paint } from '../../../report/frame/paint.ts'
import { createPaint } from '../../../report/frame/paint.ts'
import {
  countWords,
  courseWords,
  measureRows,
  OUTCOME_WORDS,
  RECOVERY_VERDICTS,
  rounded,
  seedWords,
  share,
  sizeRows,
  targetWords,
  trialRow,
  unclearWords,
} from './summary.ts'

/** Trials of one outcome are told by their counts: a table of more would scroll the verdict away. */
const MOST_ROWS = 20

/** Ends with a newline; plain text, at most 100 characters a line. */
export function renderRecoveryPlan(plan: RecoveryPlan): string {
  const runs = plan.seeds.length * (plan.control ? 2 : 1)
  const eachMs = plan.warmUpMs + plan.beforeMs + plan.triggerMs + plan.observeMs
  const time =
    plan.engine === 'virtual' ? 'in virtual time' : `about ${formatMs(runs * eachMs)} in all`
  const rows: [string, string][] = [
    ['target', targetWords(plan)],
    ['load', `${rounded(plan.wantedPerSecond)} executions wanted a second, held`],
    ['client', plan.client],
    ['trigger', `${plainText(plan.trigger.words)}, for ${formatMs(plan.triggerMs)}`],
    ['a run', courseWords(plan)],
    ['runs', `${seedWords(plan)}: ${plural(runs, 'run')}, ${time}`],
    ['then', plan.bisect ? 'other sizes of the trigger, for the tipping point' : 'no other size'],
  ]
  const lines = columns(rows, ['left', 'left']).flatMap((line) =>
    wrap(line, 100, '  ', ' '.repeat(11)),
  )
  return [`Plan of the recovery test ${plainText(plan.scenario)}`, ...lines, ''].join('\n')
}

/** While it goes on: one plain line a trial, without a newline. */
export function renderTrialLine(trial: RecoveryTrial): string {
  const { seed, outcome, recoveryMs, why, servedAfter } = trial
  const words = OUTCOME_WORDS[outcome]
  if (why !== null) return ` seed ${seed}  ${words}: ${plainText(why, 200)}`
  const back =
    recoveryMs === null
      ? ''
      : recoveryMs === 0
        ? ', back at once'
        : `, back after ${formatMs(recoveryMs)}`
  return ` seed ${seed}  ${words}${back}; at the end ${share(servedAfter.value ?? 0)} served`
}

/** Ends with a newline. Foreign text is shown without control characters. */
export function renderRecovery(document: RecoveryDocument, options: TerminalOptions): string {
  const paint = createPaint(options.color)
  const { width } = options
  const sections = [
    headline(document, paint, width),
    document.verdict.reasons.flatMap((reason) => marked('!', reasonText(reason), paint, width)),
    facts(document, width),
    trialTable(document),
    tipping(document, width),
    remarks(document, paint, width),
    options.reportPath === null ? [] : [`  ${paint('report', 'bold')}  ${options.reportPath}`],
  ]
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

const INKS = {
  recovers: 'green',
  'recovers-slowly': 'yellow',
  'does-not-recover': 'red',
  inconclusive: 'yellow',
  invalid: 'red',
} as const

function headline({ verdict }: RecoveryDocument, paint: Paint, width: number): string[] {
  const { word } = RECOVERY_VERDICTS[verdict.outcome]
  const [first = '', ...rest] = wrap(
    plainText(verdict.sentence, 500),
    width,
    ' '.repeat(word.length + 3),
    ' '.repeat(4),
  )
  return [paint(word, 'bold', INKS[verdict.outcome]) + first.slice(word.length), ...rest]
}

function marked(sign: '!' | 'i', text: string, paint: Paint, width: number): string[] {
  const [first = '', ...rest] = wrap(text, width, `  ${sign} `, '    ')
  return [`  ${paint(sign, sign === 'i' ? 'cyan' : 'yellow')}${first.slice(3)}`, ...rest]
}

function facts(document: RecoveryDocument, width: number): string[] {
  const { run, verdict } = document
  const rows: [string, string][] = [
    ...(document.trials.length === 0 ? [] : measureRows(document)),
    ['Trials', countWords(verdict) || 'none'],
    ['Client', run.client],
    ['Run', `${courseWords(run)}; ${seedWords(run)}`],
    ['Target', targetWords(run)],
  ]
  return rows.flatMap(([name, text]) => wrap(text, width, `  ${name.padEnd(25)} `, ' '.repeat(28)))
}

function trialTable({ trials }: RecoveryDocument): string[] {
  const shown = trials.slice(0, MOST_ROWS)
  if (shown.length < 2) return []
  const head = ['  seed', 'outcome', 'back after', 'served before', 'at the end', 'backlog']
  const rows = shown.map((trial) => {
    const row = trialRow(trial)
    return [row.seed, row.outcome, row.back, row.before, row.after, row.backlog]
  })
  const more = trials.length - shown.length
  return [
    ...columns([head, ...rows], ['right', 'left', 'right', 'right', 'right', 'right']),
    ...(more === 0 ? [] : [`  and ${more} more`]),
  ]
}

function tipping({ tipping: point }: RecoveryDocument, width: number): string[] {
  if (point === null) return []
  const rows = sizeRows(point).map(({ size, tipped, interval }) => [size, tipped, interval])
  return [
    ...wrap(point.sentence, width, '  ', '  '),
    ...columns([['  trigger', 'tipped', '95 % interval'], ...rows], ['right', 'right', 'right']),
  ]
}

function remarks(document: RecoveryDocument, paint: Paint, width: number): string[] {
  return [
    ...document.findings.flatMap(({ severity, message }) =>
      marked(severity === 'info' ? 'i' : '!', plainText(message, 500), paint, width),
    ),
    ...unclearWords(document.trials).flatMap((text) => marked('!', text, paint, width)),
  ]
}
