/** The answer: the capacity, what breaks first and what limits it; or why it is not known. */
import { formatInterval, formatMs, formatShare, plural } from '../../../base/numbers.ts'
import { capital, inSentences } from '../../../base/text.ts'
import { verdictText } from '../../frame/envelope.ts'
import { formatPerHour } from '../analyse/model/system.ts'
import type { CapacityDocument, RateRange } from '../document.ts'
import type { CapacityReasonOf, SearchLimits } from './reasons.ts'

/** What a search came to, whatever the verdict; a verdict without an answer leaves parts out. */
export type CapacityFigures = Pick<
  CapacityDocument,
  | 'model'
  | 'saturation'
  | 'inFlight'
  | 'binding'
  | 'limit'
  | 'sharedPerHour'
  | 'oneMoreWorker'
  | 'scaling'
  | 'confirmation'
> & { capacity: RateRange | null }

type CapacityText = ReturnType<typeof verdictText>

export function answerText(
  figures: CapacityFigures,
  capacity: RateRange,
  expected: number | null,
): CapacityText {
  const { binding, inFlight, saturation, model } = figures
  const flight =
    inFlight === null ? '' : `at the limit, ${formatPerHour(inFlight.value)} are in flight`
  const plan =
    capacity.low > 0 ? `Plan for ${formatPerHour(capacity.low)} kickoffs an hour; the` : 'The'
  const full =
    model?.queueLimit == null
      ? 'the backlog grows without end'
      : 'every worker is busy all the time'
  const why = binding?.why == null ? '' : `, because ${binding.why.message}`
  const grows =
    saturation === null ? '' : `at ${formatPerHour(saturation.perHour)} per hour ${full}`
  const first =
    binding?.metric == null
      ? 'no promise breaks before the backlog grows without end at that rate'
      : inSentences(`the first promise to break is ${binding.metric}${why}`, grows)
  return verdictText(
    `${plan} limit is about ${formatPerHour(capacity.perHour)} an hour ` +
      `(98 %: ${formatInterval(capacity, formatPerHour)}).`,
    `${capital(inSentences(flight, first))}.`,
    scalingWords(figures.scaling),
    limitWords(figures),
    roomWords(capacity, expected),
  )
}

function roomWords({ perHour }: RateRange, expected: number | null): string {
  if (expected === null) return ''
  const share = formatShare(Math.abs(perHour / expected - 1))
  const way = perHour >= expected ? 'more' : 'less'
  return `That is ${share} ${way} than the expected ${formatPerHour(expected)}.`
}

/** Empty if the workers do not scale. */
function scalingWords(scaling: CapacityFigures['scaling']): string {
  if (scaling === null) return ''
  const { from, to, tookMs, coldStart } = scaling
  const grew = `it grew from ${from} to ${plural(to, 'worker')} in ${formatMs(tookMs)}`
  const scaled = `That is the crew as scaled: ${grew}.`
  if (coldStart === null) return scaled
  const { caughtUpMs, p95Ms, broken } = coldStart
  const late =
    broken === null
      ? ''
      : `${formatShare(broken.share)} of the executions take longer than ${broken.promise} ` +
        'allows, and '
  return (
    `${scaled} If such a load starts on ${plural(from, 'worker')}, the crew needs ` +
    `${formatMs(caughtUpMs)} to catch up. Until then ${late}the p95 is ${formatMs(p95Ms)}.`
  )
}

/** What limits the crew, if that is not the workers alone. */
function limitWords(figures: CapacityFigures): string {
  const { limit, sharedPerHour, oneMoreWorker, model } = figures
  if (limit === null || limit.kind === 'workers') return ''
  const longer = formatShare(limit.slowdown.value - 1)
  const busy = model === null ? 'every worker is' : `all ${plural(model.slots.value, 'worker')} are`
  const shared =
    sharedPerHour === null
      ? 'All executions share something'
      : 'Something that all executions share caps the crew at about ' +
        `${formatPerHour(sharedPerHour.value)} per hour, whatever its workers`
  const cap = `${shared}. Executions take ${longer} longer while ${busy} busy.`
  if (oneMoreWorker === null) return cap
  const { gain } = oneMoreWorker
  return limit.kind === 'shared' && gain < NOTHING
    ? `${cap} More workers bring nothing; more of what is shared does, such as a higher quota of ` +
        'the language model.'
    : `${cap} One more worker brings at most ${formatShare(gain)}.`
}

/** A smaller gain is called nothing. */
const NOTHING = 0.03

export const UNTRUSTED = 'The measurement cannot be trusted.'
export const UNSURE = 'Not known yet: even a single execution may break a promise.'
export const GROWING = 'Not known yet: the number of workers still grew when the search ended.'

/** `promise`: the one that breaks, as it was written. */
export function aloneSentence(promise: string): string {
  return `None: ${promise} does not hold even for an execution that is alone in the crew.`
}

/** `carried`: the highest rate that it completed; null where none is known. */
export function unlimitedSentence(carried: number | null): string {
  const at = carried === null ? '' : `: it completed ${formatPerHour(carried)} kickoffs per hour`
  return `No limit was reached${at}.`
}

/** `workers`: how many there are; null where that is not known. */
export function emptySentence(workers: number | null, sent: SearchLimits | null): string {
  if (sent === null) {
    return 'Not known: the crew was not full, or not for long enough, in the recorded runs.'
  }
  if (workers !== null) return 'Not known yet: the search ended before the full crew was sampled.'
  return sent.stopped
    ? 'Not known yet: the search was stopped before it had filled the crew.'
    : 'Not known yet: the crew was not filled within the budget.'
}

export const LIMITED =
  'The capacity of the crew itself is unknown. A limiter in front of it refuses kickoffs for ' +
  'which the crew has room.'
export const SLOWS =
  'Only bounds are known: executions keep the promises while workers are free, and break ' +
  'them while all are busy.'

type CapacityBounds = Pick<CapacityDocument, 'atLeast' | 'atMost'>

export function boundsSentence({ atLeast, atMost }: CapacityBounds, why: CapacityReasonOf): string {
  const low = atLeast === null ? 'more than 0' : `at least ${formatPerHour(atLeast)}`
  const high = atMost === null ? '' : ` and at most ${formatPerHour(atMost)}`
  return `${inSentences(`Only bounds are known: ${low}${high} kickoffs per hour`, why.message)}.`
}
