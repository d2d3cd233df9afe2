/** Why a threshold was missed, is undecided or could not be measured, in words. */
import { z } from 'zod'
import type { ShapeFacts } from '../coded.ts'
import { reason } from '../coded.ts'
import {
  boundText,
  formatMeasured,
  formatMeasuredInterval,
  isTooFew,
} from '../metrics/sentences.ts'
import { threshold } from '../shapes.ts'
import { doubtWords } from './doubts.ts'
import { hintWords } from './next-steps.ts'

const judged = threshold.pick({
  metric: true,
  text: true,
  operator: true,
  bound: true,
  status: true,
  doubt: true,
  measured: true,
  next: true,
}).shape

export const THRESHOLD_REASONS = {
  threshold: reason(
    { ...judged, isEarly: z.boolean().describe('It stopped the run early') },
    ({ isEarly, ...result }) => {
      const { metric, status } = result
      const found =
        isEarly && status !== 'missed'
          ? `${metric} ${boundText(result)} could no longer be met`
          : `${metric} is ${formatMeasured(result)}, bound ${boundText(result)}`
      return isEarly ? `${found}, and it stopped the run early` : found
    },
    remedyWords,
  ),
  undecided: reason(
    judged,
    (result) => `${result.metric} ${boundText(result)} is undecided: ${whyOf(result)}`,
    remedyWords,
  ),
  unmeasurable: reason(judged, ({ metric }) => `${metric} could not be measured`, remedyWords),
}

function remedyWords(result: ShapeFacts<typeof judged>): string {
  return hintWords(result) ?? ''
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
