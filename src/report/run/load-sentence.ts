/** The load of a run as it was run, and what users waited: `9/min, Poisson, 4 h, ...`. */
import { unreachable } from '../../base/assert.ts'
import { formatCount, formatInterval, formatMs, plural, toDigits } from '../../base/numbers.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../base/units.ts'
import type { ResultDocument } from '../../result/document.ts'
import { arrivalWords, earlyStopOf, outcomeWord } from '../../result/ending/outcome-counts.ts'
import { formatMetric, isTooFew } from '../../result/metrics/sentences.ts'
import { earlyStopWords } from '../../result/sentences/early-ends.ts'
import { endsByCount, lastArrivalMicros } from '../../scenario/arrivals/index.ts'
import { PROCESS_WORDS } from '../../scenario/arrivals/processes.schema.ts'
import { UNSERVED } from '../../scenario/outcomes.ts'
import { elapsedLabel } from '../charts/ticks.ts'
import { plainText } from '../text/format.ts'
import { findMetric } from './sections/waits/rows.ts'

export function loadWords(document: ResultDocument): string {
  const { plan, run, arrivals, outcomes } = document
  const changes = Object.entries(run.set ?? {}).map(([path, value]) => `${path}=${value}`)
  const load = [
    ...(run.engine === 'virtual' ? ['simulated'] : []),
    ...offeredWords(plan.arrivals),
    ...(endsByCount(plan.arrivals) ? [] : [timeWords(lastArrivalMicros(plan.arrivals))]),
    `deadline ${timeWords(plan.deadlineMicros)}`,
  ].join(', ')
  const parts = [
    load,
    changes.length === 0 ? null : `set ${plainText(changes.join(', '), 100)}`,
    [arrivalWords(arrivals, outcomes), ...failedWords(outcomes), ...stopWords(document)].join(', '),
    waitWords(document),
  ]
  return parts.filter((part) => part !== null).join('; ')
}

/** Some may fail in a run that passes. */
function failedWords(outcomes: ResultDocument['outcomes']): string[] {
  return (['failed', ...UNSERVED] as const)
    .filter((outcome) => outcomes[outcome] > 0)
    .map((outcome) => `${formatCount(outcomes[outcome])} ${outcomeWord(outcome)}`)
}

function stopWords(document: ResultDocument): string[] {
  const stop = earlyStopOf(document)
  return stop === null ? [] : [plainText(earlyStopWords(stop))]
}

/** `2/min`, `2/min to 10/min, Poisson`, `20 clients`. */
function offeredWords(arrivals: ResultDocument['plan']['arrivals']): string[] {
  switch (arrivals.kind) {
    case 'closed':
      return [plural(arrivals.clients, 'client')]
    case 'replay':
      return ['replay']
    case 'open': {
      const perSecond = arrivals.segments
        .flatMap(({ from, to }) => [from, to])
        .map(({ count, perMicros }) => (count * MICROS_PER_SECOND) / perMicros)
      const [low, high] = [Math.min(...perSecond), Math.max(...perSecond)]
      const { word } = PROCESS_WORDS[arrivals.process.kind]
      return [formatInterval({ low, high }, rateWords)!, word]
    }
    default:
      return unreachable(arrivals)
  }
}

function digits(value: number): number {
  return toDigits(value, 3)
}

/** `2/s`, `9/min` or `40/h`. */
export function rateWords(perSecond: number): string {
  if (perSecond >= 1) return `${digits(perSecond)}/s`
  if (perSecond * 60 >= 1) return `${digits(perSecond * 60)}/min`
  return `${digits(perSecond * 3_600)}/h`
}

/** `4 h`; a time that is not whole seconds as a measured one. */
function timeWords(micros: number): string {
  return micros % MICROS_PER_SECOND === 0
    ? elapsedLabel(micros / MICROS_PER_MS)
    : formatMs(micros / MICROS_PER_MS)
}

function waitWords(document: ResultDocument): string | null {
  const words = (['p50', 'p95'] as const).flatMap((name) => {
    const metric = findMetric(document, 'execution', name)
    return metric === null || isTooFew(metric) || metric.n === 0
      ? []
      : [`${name} ${formatMetric(metric)}`]
  })
  if (words.length < 2) words.push(...longestWords(document))
  return words.length === 0 ? null : words.join(', ')
}

/** Only where every execution ended: whoever never saw an end waited longer. */
function longestWords({ distributions }: ResultDocument): string[] {
  const { never = 0, censored = 0, max = null } = distributions['execution'] ?? {}
  return max === null || never + censored > 0 ? [] : [`longest ${formatMs(max)}`]
}
