/** The list of the hypotheses: one line for each, and everything else follows from it. */
import { concurrency } from './concurrency.ts'
import { elasticWindow } from './elastic-window.ts'
import { calendarWindow, firstHitWindow } from './fixed-window.ts'
import type { Hypothesis } from './hypothesis.ts'
import { erratic } from './erratic.ts'
import { none } from './none.ts'
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
