/** The words of the report of a recovery test. */
import type { NumberWording } from '../../../base/numbers.ts'
import { placeText } from '../../../report/frame/place-text.ts'
import type {
  RecoveryDocument,
  RecoveryPhases,
  RecoveryPlan,
  RecoveryTrial,
  RecoveryVerdict,
  TrialSpread,
} from '../document.ts'
import {
  formatCount,
  formatEstimate,
  formatInterval,
  formatMs,
  formatRough,
  formatValue,
  NOTHING,
  plural,
} from '../../../base/numbers.ts'
import type { Fact } from '../../../report/frame/report.ts'
import { knownFacts } from '../../../report/frame/report.ts'
import type { TippingPoint } from '../sentences.ts'
import { unclearText } from '../sentences.ts'
import { groupedBy } from '../../../base/collections/counts.ts'
import { canonicalJson } from '../../../scenario/plan-data.ts'

export const OUTCOME_WORDS: Record<RecoveryTrial['outcome'], string> = {
  recovers: 'recovers',
  'recovers-slowly': 'recovers slowly',
  'does-not-recover': 'does not recover',
  unclear: 'unclear',
}

/** `4.98 (4.71 to 5.14)`; a single value when all are the same. */
function spreadWords(spread: TrialSpread | null, wording: NumberWording): string {
  if (spread === null) return NOTHING
  const { median: value, least: low, most: high } = spread
  return formatEstimate({ value, low, high }, wording)
}

export function shareText(value: number): string {
  return formatValue(value, 'share', { step: 0.001 })
}

/** The time after the trigger. */
export function backWords(ms: number): string {
  return ms === 0 ? 'immediately' : formatMs(ms)
}

/** The measures in the order of every report; none without a trial. */
export function measureFacts(document: RecoveryDocument): Fact[] {
  if (document.trials.length === 0) return []
  const { measures, plan, verdict } = document
  const { backlog, recoveryMs, windowMs } = measures
  const notBack = verdict.counts['does-not-recover'] > 0 ? 'never' : 'unknown'
  const known = windowMs === null ? '' : `, resolution ${formatMs(windowMs)}`
  return knownFacts(
    [
      'Former goodput',
      `${spreadWords(measures.formerPerSecond, formatRough)} per second, of ` +
        `${formatRough(plan.wantedPerSecond)} arrivals`,
    ],
    [
      'Recovery time',
      recoveryMs === null ? notBack : `${spreadWords(recoveryMs, backWords)}${known}`,
    ],
    [
      'Goodput at the end',
      `${spreadWords(measures.goodputAfter, shareText)} of the former goodput`,
    ],
    ['Kickoffs per arrival', phaseWords(measures.attempts)],
    ['Started per arrival', measures.started && phaseWords(measures.started)],
    [
      'Backlog',
      backlog &&
        `at most ${spreadWords(backlog.peak, formatRough)} waiting for a worker, ` +
          `${spreadWords(backlog.end, formatRough)} at the end`,
    ],
  )
}

/** For example `1 before, 4.33 in the trigger, 5.02 long after`. */
function phaseWords({ before, trigger, after }: RecoveryPhases): string {
  const [first, second, third] = [before, trigger, after].map((spread) =>
    ratioWords(spread?.median),
  )
  return `${first} before, ${second} during the trigger, ${third} long after`
}

export function ratioWords(value: number | null | undefined): string {
  return value == null ? NOTHING : formatRough(value)
}

/** For example `20 seeds from 42, each once more without the trigger`. */
export function seedWords({ seeds, control }: RecoveryPlan): string {
  const [first = 0] = seeds
  const which =
    seeds.length === 1 ? `seed ${first}` : `${plural(seeds.length, 'seed')} from ${first}`
  return control ? `${which}, each again without the trigger` : `${which}, no control run`
}

/** For example `1.00 min of warm-up, 2.00 min before, 30.0 s of the trigger, 8.00 min observed`. */
export function courseWords(plan: RecoveryPlan): string {
  const { warmUpMs, beforeMs, triggerMs, observeMs } = plan
  return (
    `${formatMs(warmUpMs)} of warm-up, ${formatMs(beforeMs)} before, ` +
    `${formatMs(triggerMs)} of the trigger, ${formatMs(observeMs)} observed`
  )
}

export function targetWords({ place, engine }: RecoveryPlan, where = placeText(place)): string {
  return engine === 'virtual' ? where : `${where}, over sockets`
}

/** For example `12 recover, 1 recovers slowly, 7 do not recover`. */
export function countWords({ counts }: RecoveryVerdict): string {
  const words: [number, string, string][] = [
    [counts.recovers, 'recovers', 'recover'],
    [counts['recovers-slowly'], 'recovers slowly', 'recover slowly'],
    [counts['does-not-recover'], 'does not recover', 'do not recover'],
    [counts.unclear, 'is unclear', 'are unclear'],
  ]
  return words
    .filter(([count]) => count > 0)
    .map(([count, one, many]) => plural(count, one, many))
    .join(', ')
}

/** Progress: one plain line per trial, without a newline. */
export function trialLine(trial: RecoveryTrial): string {
  const { seed, outcome, recoveryMs, why, servedAfter } = trial
  const words = OUTCOME_WORDS[outcome]
  if (why !== null) return ` seed ${seed}  ${words}: ${unclearText(why)}`
  return (
    ` seed ${seed}  ${words}${backClause(recoveryMs)}; at the end ` +
    `${shareText(servedAfter.value ?? 0)} served`
  )
}

/** Progress: shown before a size of the bisection is tried. */
export function sizeLine(sizeMs: number, trials: number): string {
  return ` trigger of ${formatMs(sizeMs)}: ${plural(trials, 'trial')}`
}

function backClause(recoveryMs: number | null): string {
  if (recoveryMs === null) return ''
  return recoveryMs === 0 ? ', recovered immediately' : `, recovered after ${formatMs(recoveryMs)}`
}

/** Why trials are unclear, each reason once. */
export function unclearWords(trials: readonly RecoveryTrial[]): string[] {
  const byReason = groupedBy(trials, ({ why }) => canonicalJson(why))
  return byReason.flatMap(([, group]) => {
    const { why } = group[0]!
    if (why === null) return []
    const seeds = group.slice(0, 5).map(({ seed }) => seed)
    return `seed ${seeds.join(', ')}${group.length > 5 ? ', ...' : ''}: ${unclearText(why)}`
  })
}

/** Size, trials that did not recover, and the interval of their share. */
export function sizeRows({ sizes }: TippingPoint): string[][] {
  return sizes.map(({ sizeMs, tipped, of, low, high }) => [
    formatMs(sizeMs),
    `${formatCount(tipped)} of ${formatCount(of)}`,
    formatInterval({ value: tipped / of, low, high }, 'share') ?? NOTHING,
  ])
}
