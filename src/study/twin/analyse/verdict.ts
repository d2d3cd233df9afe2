/** Sums up a twin in one sentence. */
import { formatCount, formatMs, plural, formatShare, threeDigits } from '../../../base/numbers.ts'
import { verdictText } from '../../frame/envelope.ts'
import { reasonOf } from '../../frame/findings.ts'
import type { Comparison, TwinDocument, TwinPart } from '../document.ts'
import { REASONS } from '../document.ts'

type TwinVerdict = TwinDocument['verdict']
type TwinShown = Pick<TwinDocument, 'parts' | 'agreement' | 'source' | 'profile'>

export function reachVerdict(told: TwinShown): TwinVerdict {
  const { agreement, profile, parts } = told
  const unknown = parts.filter(({ identified }) => !identified)
  if (profile === null) {
    const tasks = unknown.filter(({ kind }) => kind === 'task')
    const reasons = tasks.map((part) => partReason('too-few', part))
    return { outcome: 'too-few', sentence: tooFewWords(told), reasons }
  }
  const off = (agreement?.comparisons ?? []).filter(({ agrees }) => !agrees)
  const text = textOf(told, off)
  if (agreement?.comparisons.length === 0) {
    return { outcome: 'too-few', ...text, reasons: [NOT_COMPARED] }
  }
  return {
    outcome: off.length > 0 ? 'disagrees' : 'learned',
    ...text,
    reasons: [
      ...off.map((comparison) => reasonOf(REASONS, 'disagrees', offWords(comparison))),
      ...unknown.filter(({ at }) => at !== null).map((part) => partReason('not-identified', part)),
    ],
  }
}

function partReason(code: 'too-few' | 'not-identified', { name, words, tells }: TwinPart) {
  return reasonOf(REASONS, code, `${name}: ${words}`, tells)
}

/** Replays that share no figure with the runs prove nothing of the twin. */
const NOT_COMPARED = reasonOf(
  REASONS,
  'not-compared',
  'the runs and the replays have no figure in common',
)

function tooFewWords({ source: { ended, executions } }: TwinShown): string {
  return (
    `No twin: of ${plural(executions, 'execution')}, ${formatCount(ended)} ended, and too few ` +
    'of them completed their tasks to learn how long tasks take.'
  )
}

function textOf({ agreement, source, parts }: TwinShown, off: readonly Comparison[]) {
  const crew = `A twin of ${plural(source.ended, 'execution')}: ${workersWords(parts)}.`
  if (agreement === null || agreement.comparisons.length === 0) {
    return verdictText(crew, 'It was not compared with the crew.')
  }
  const [first] = off
  if (first !== undefined) {
    return verdictText(crew, `The twin does not behave like the crew: ${offWords(first)}.`)
  }
  const all = agreement.comparisons.length
  return verdictText(
    crew,
    `The same arrivals, replayed on it ${plural(agreement.replays, 'time')}, agree with the runs ` +
      `in all ${all} comparisons.`,
  )
}

function workersWords(parts: TwinShown['parts']): string {
  const estimate = parts.find(({ kind }) => kind === 'workers')?.estimate
  if (estimate == null) return 'its workers are not known'
  const { value, low, high } = estimate
  if (high === null) return `at least ${plural(low, 'worker')}, because the load never filled them`
  return `${plural(value, 'worker')}${low === high ? '' : ` (${low} to ${high})`}`
}

function offWords({ name, unit, observed, twin, low, high }: Comparison): string {
  const text = (value: number): string => valueWords(value, unit)
  return (
    `${name} was ${text(observed)}, and is ${text(twin)} on the twin (${text(low)} to ` +
    `${text(high)})`
  )
}

export function valueWords(value: number, unit: Comparison['unit']): string {
  if (unit === 'ms') return formatMs(value)
  return unit === 'share' ? formatShare(Number(value.toPrecision(3))) : threeDigits(value)
}
