/**
 * What a recovery test says: its findings, the reasons of its verdict, why trials are unclear, and
 * the sentences of the verdict and of the tipping point.
 */
import { z } from 'zod'
import { unreachable } from '../../base/assert.ts'
import {
  formatCount,
  formatInterval,
  formatMs,
  formatRough,
  formatValue,
  plural,
} from '../../base/numbers.ts'
import { capital } from '../../base/text.ts'
import { finding, reason } from '../../result/sentence-tables.ts'
import { count, ms } from '../frame/envelope.ts'
import { timeLapse } from '../frame/time-lapse.ts'

export const OUTCOMES = ['recovers', 'recovers-slowly', 'does-not-recover', 'inconclusive'] as const

/** Why the outcome of a trial is unclear. `needed`: arrivals. */
export const unclear = z.discriminatedUnion('code', [
  z.object({ code: z.literal('cut-short') }),
  z.object({ code: z.literal('degraded-anyway') }),
  z.object({ code: z.literal('few-before'), arrivals: count, needed: count }),
  z.object({ code: z.literal('few-in-window'), needed: count }),
  z.object({ code: z.literal('unsteady') }),
  z.object({ code: z.literal('overloaded') }),
])
export type Unclear = z.infer<typeof unclear>

const perArrival = z.number()

export const FINDINGS = {
  'trigger-harmless': finding(
    'warning',
    {},
    () => 'The trigger reduced goodput in no trial',
    'try a longer one (--for), or another (--trigger)',
  ),
  'retries-amplify': finding(
    'problem',
    {
      sentPerArrival: perArrival.describe('Kickoffs, long after the trigger'),
      startedPerArrival: perArrival.nullable().describe('By the ledger; null without one'),
    },
    ({ sentPerArrival, startedPerArrival: begun }) => {
      const work = begun === null ? '' : `, and ${formatRough(begun)} start`
      return (
        'Retries keep the crew overloaded: long after the trigger, clients send ' +
        `${formatRough(sentPerArrival)} kickoffs per arrival${work}`
      )
    },
    'use full jitter, limit retries (retry.budget), and retry no kickoff that may have started ' +
      '(retry.unknownKickoffs)',
  ),
  'slowest-late': finding(
    'warning',
    { slowestMs: ms, withinMs: ms },
    ({ slowestMs, withinMs }) =>
      `The slowest trial took ${formatMs(slowestMs)} to recover, over ${formatMs(withinMs)}`,
  ),
  'time-lapse': timeLapse(),
}

export const REASONS = {
  'no-trial': reason({}, () => 'no trial finished', 'try again, and let it finish'),
  budget: reason(
    { trials: count.describe('Those that finished'), seeds: count },
    ({ trials, seeds }) =>
      `the rest of the budget did not suffice after ${formatCount(trials)} of ` +
      plural(seeds, 'trial'),
    'raise --max-kickoffs or --max-requests, or try fewer seeds (--seeds)',
  ),
  disagreement: reason(
    {
      notRecovered: count,
      of: count.describe('Trials with a known outcome'),
      low: z.number().describe('The 95 % interval of the share'),
      high: z.number(),
    },
    ({ notRecovered, of, low, high }) =>
      `seeds disagree: ${formatCount(notRecovered)} of ${formatCount(of)} do not recover ` +
      `(${formatInterval({ value: notRecovered / of, low, high }, 'share')}), so this trigger is near the tipping point`,
    'try more seeds (--seeds), or another size (--for)',
  ),
  unclear: reason(
    {
      why: unclear.describe('Of the first trial that is unclear'),
      trials: count.describe('Those that are unclear'),
      ofTrials: count,
      beforeMs: ms,
      observeMs: ms,
    },
    ({ why, trials, ofTrials }) => {
      const many =
        ofTrials === 1 ? '' : ` in ${formatCount(trials)} of ${formatCount(ofTrials)} trials`
      return `${unclearText(why)}${many}`
    },
    ({ why, ...planned }) => UNCLEAR_REMEDIES[why.code](planned),
  ),
}

interface PlannedTimes {
  beforeMs: number
  observeMs: number
}

const LOWER_RATE = 'lower the rate to what the crew can handle'

/** What to change for a trial to become clear. */
const UNCLEAR_REMEDIES: Record<Unclear['code'], (plan: PlannedTimes) => string> = {
  'cut-short': () => 'raise the budget, or let it finish',
  'few-before': ({ beforeMs }) =>
    `hold the load for more than ${formatMs(beforeMs)} before the trigger (--before), ` +
    'or raise the rate',
  'few-in-window': ({ observeMs }) =>
    `observe for more than ${formatMs(observeMs)} after the trigger (--observe), or raise the rate`,
  unsteady: ({ beforeMs }) =>
    `give it a longer warm-up, or more than ${formatMs(beforeMs)} before the trigger (--before)`,
  'degraded-anyway': () => LOWER_RATE,
  overloaded: () => LOWER_RATE,
}

export function unclearText(why: Unclear): string {
  switch (why.code) {
    case 'cut-short':
      return 'it was cut short: some executions were never polled'
    case 'degraded-anyway':
      return 'goodput was also reduced without the trigger'
    case 'few-before':
      return (
        'too few executions before the trigger: ' +
        `${plural(why.arrivals, 'arrival')} of ${why.needed} needed`
      )
    case 'few-in-window':
      return (
        'too few executions to distinguish noise from reduced goodput: a window needs ' +
        `${why.needed}`
      )
    case 'unsteady':
      return 'goodput was not steady before the trigger'
    case 'overloaded':
      return 'goodput was already reduced before the trigger'
    default:
      return unreachable(why)
  }
}

interface MedianSaid {
  median: number
}

/** What the sentence is made of, in the words of the document. */
interface RecoverySaid {
  plan: { triggerMs: number; observeMs: number; trigger: { words: string } }
  measures: {
    recoveryMs: MedianSaid | null
    windowMs: number | null
    goodputAfter: MedianSaid | null
    attempts: { after: MedianSaid | null }
  }
  notRecovered: number
  /** Trials with a known outcome. */
  known: number
}

type VerdictOutcome = (typeof OUTCOMES)[number] | 'invalid'

export function verdictSentence(outcome: VerdictOutcome, said: RecoverySaid): string {
  const { plan, measures } = said
  const trigger = `a trigger of ${formatMs(plan.triggerMs)} (${plan.trigger.words})`
  switch (outcome) {
    case 'recovers':
    case 'recovers-slowly':
      return (
        `The crew recovers${outcome === 'recovers' ? '' : ' slowly'} from ${trigger}. ` +
        `${capital(backWords(measures))}${ofTrials(said, outcome)}.`
      )
    case 'does-not-recover':
      return (
        `The crew does not recover from ${trigger}. ${formatMs(plan.observeMs)} later, under the ` +
        `former load, ${remainder(measures)}${ofTrials(said, outcome)}.`
      )
    case 'inconclusive':
      return `Whether the crew recovers from ${trigger} is not clear.`
    case 'invalid':
      return `Whether the crew recovers from ${trigger} could not be measured.`
    default:
      return unreachable(outcome)
  }
}

function backWords({ recoveryMs, windowMs }: RecoverySaid['measures']): string {
  const time = recoveryMs?.median ?? 0
  const window = windowMs === null ? '' : ` (resolution ${formatMs(windowMs)})`
  if (time === 0) return `goodput recovers immediately${window}`
  return `goodput recovers ${formatMs(time)} after its end${window}`
}

function remainder({ goodputAfter, attempts }: RecoverySaid['measures']): string {
  const left = formatValue(goodputAfter?.median ?? 0, 'share', { step: 0.001 })
  const after = attempts.after?.median ?? null
  const cost = after === null ? '' : `, with ${formatRough(after)} kickoffs per arrival`
  return `goodput is ${left} of its former level${cost}`
}

/** Counts the trials, as `. 20 of 20 trials recover`, when there is more than one. */
function ofTrials({ notRecovered, known }: RecoverySaid, outcome: VerdictOutcome): string {
  if (known < 2) return ''
  const same = outcome === 'does-not-recover' ? notRecovered : known - notRecovered
  return (
    `. ${formatCount(same)} of ${plural(known, 'trial')} ` +
    (outcome === 'does-not-recover' ? 'do not recover' : 'recover')
  )
}

const tippingSize = z.object({
  sizeMs: ms,
  tipped: count.describe('Trials that did not recover, out of those with a known outcome'),
  of: count,
  low: z.number().nullable().describe('The 95 % interval of their share'),
  high: z.number().nullable(),
})

export const tipping = z.object({
  kind: z
    .enum(['between', 'above', 'below', 'unknown'])
    .describe(
      '`between`: most trials at `lowMs` recover, most at `highMs` do not. `above`: ' +
        'they recover at every size tried. `below`: at none. `unknown`: too few trials were clear',
    ),
  lowMs: ms.nullable(),
  highMs: ms.nullable(),
  sureLowMs: ms
    .nullable()
    .describe(
      'Fewer than half do not recover, with 95 % confidence; null if that is certain at no size',
    ),
  sureHighMs: ms.nullable().describe('More than half tip here with 95 % confidence'),
  sizes: z.array(tippingSize).describe('In increasing order'),
  sentence: z.string(),
})

export type TippingPoint = z.infer<typeof tipping>
export type TippingSize = z.infer<typeof tippingSize>

/** The sentence without its full stop. */
export function tippingWords(point: Omit<TippingPoint, 'sentence'>): string {
  const { kind, lowMs, highMs, sizes } = point
  const at = (ms: number | null): string => {
    const size = sizes.find(({ sizeMs }) => sizeMs === ms)
    return size === undefined ? '' : `${formatCount(size.tipped)} of ${formatCount(size.of)} tipped`
  }
  switch (kind) {
    case 'between':
      return betweenWords(
        point,
        `${formatMs(lowMs ?? 0)} (${at(lowMs)}) and ${formatMs(highMs ?? 0)} (${at(highMs)})`,
      )
    case 'above':
      return (
        `No tipping point up to a trigger of ${formatMs(lowMs ?? 0)}: most trials recover ` +
        `at each of ${plural(sizes.length, 'size')}`
      )
    case 'below':
      return (
        `The tipping point lies below a trigger of ${formatMs(highMs ?? 0)} ` +
        `(${at(highMs)}), the smallest one tried`
      )
    case 'unknown':
      return 'The tipping point is unknown: at some size, no trial had a clear outcome'
    default:
      return unreachable(kind)
  }
}

function sureWords(low: number | null, high: number | null): string | null {
  if (low === null) return high === null ? null : `below ${formatMs(high)}`
  return high === null ? `above ${formatMs(low)}` : `at ${formatInterval({ low, high }, 'ms')}`
}

/** Claims no narrower range than the trials prove; `bracket` is where half of them tip. */
function betweenWords(
  { lowMs, highMs, sureLowMs, sureHighMs }: Omit<TippingPoint, 'sentence'>,
  bracket: string,
): string {
  if (sureLowMs === lowMs && sureHighMs === highMs) {
    return `The tipping point lies between triggers of ${bracket}`
  }
  const range = sureWords(sureLowMs, sureHighMs)
  const known =
    range === null ? 'No bound of the tipping point is certain' : `The tipping point lies ${range}`
  return `${known}. Most trials change sides between ${bracket}. More seeds would narrow it down`
}
