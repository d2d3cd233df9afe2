/** The reasons of a run's verdict: a code, its facts, and the sentence and remedy made of them. */
import { z } from 'zod'
import type { ReasonOf, ShapeFacts } from '../sentence-tables.ts'
import { reason } from '../sentence-tables.ts'
import { formatCount, plural } from '../../base/numbers.ts'
import {
  boundText,
  formatMeasured,
  formatMeasuredInterval,
  isTooFew,
} from '../metrics/sentences.ts'
import { count, threshold } from '../document-parts.schema.ts'
import { doubtWords } from './undecided.ts'
import { remedyWords } from './next-steps.ts'
import { EARLY_END_REASONS } from './early-ends.ts'
import { unmetWords } from './end-reasons.ts'
import { GENERATOR_REASONS } from './generator.ts'
import { LOSS_REASONS } from './target-loss.ts'

const judged = threshold.pick({
  metric: true,
  operator: true,
  written: true,
  bound: true,
  status: true,
  doubt: true,
  measured: true,
  next: true,
}).shape

export const REASONS = {
  threshold: reason(
    { ...judged, isEarly: z.boolean().describe('It stopped the run early') },
    ({ isEarly, ...result }) => {
      const { metric, status } = result
      const found =
        isEarly && status !== 'missed'
          ? unmetWords(`${metric} ${boundText(result)}`)
          : `${metric} is ${formatMeasured(result)}, bound ${boundText(result)}`
      return isEarly ? `${found}, and it stopped the run early` : found
    },
    remedyOf,
  ),
  undecided: reason(
    judged,
    (result) => `${result.metric} ${boundText(result)} is undecided: ${whyOf(result)}`,
    remedyOf,
  ),
  unmeasurable: reason(judged, ({ metric }) => `${metric} could not be measured`, ''),
  ...GENERATOR_REASONS,
  ...LOSS_REASONS,
  ...EARLY_END_REASONS,
  'shared-id': reason(
    { kickoffs: count, accepted: count },
    ({ kickoffs, accepted }) =>
      `${formatCount(kickoffs)} of ${plural(accepted, 'accepted kickoff')} got the kickoff_id of ` +
      'another',
    'give every kickoff an id of its own: these arrivals have no execution, and read the ' +
      'result of somebody else',
    'several kickoffs got the same id',
  ),
}

export type RunReason = ReasonOf<typeof REASONS>
export type RunReasonCode = RunReason['code']

export const RUN_REASON_CODES = Object.keys(REASONS) as readonly RunReasonCode[]

function remedyOf(result: ShapeFacts<typeof judged>): string {
  return remedyWords(result) ?? ''
}

/** The interval that holds the bound, or what leaves it undecided although it does not. */
function whyOf(result: ShapeFacts<typeof judged>): string {
  const { metric, doubt, measured } = result
  const words = doubt === null ? null : doubtWords(metric, doubt, measured.n)
  const interval = words === null ? formatMeasuredInterval(result) : null
  const parts = [
    isTooFew(measured) && words !== null ? null : formatMeasured(result),
    interval === null ? null : `95 % interval ${interval}`,
    words,
  ]
  return parts.filter((part) => part !== null).join(', ')
}
