/** The list of the hypotheses: one line for each, and everything else follows from it. */
import { concurrency } from './concurrency.ts'
import { elasticWindow, calendarWindow, firstHitWindow } from './fixed-window.ts'
import type { Hypothesis } from './hypothesis.ts'
import { erratic, none } from './no-limit.ts'
import { penalties } from './penalty.ts'
import { slidingCounters } from './sliding-counter.ts'
import { slidingLogs } from './sliding-log.ts'
import { tokenBuckets } from './token-bucket.ts'

export const HYPOTHESES: readonly Hypothesis[] = [
  none,
  erratic,
  ...tokenBuckets,
  calendarWindow,
  firstHitWindow,
  elasticWindow,
  ...slidingLogs,
  ...slidingCounters,
  concurrency,
  ...penalties,
]
