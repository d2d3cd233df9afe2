/** What a target is lost to, as the journal keeps it. */
import { z } from 'zod'
import { micros } from '../base/micros.schema.ts'

export const targetLoss = z.object({
  /** `dead`: 5xx, or no answer at all. `refused`: 401 or 403, and nothing else. */
  state: z.enum(['dead', 'refused']),
  /** `kickoffs`: polls were still answered. */
  scope: z.enum(['everything', 'kickoffs']),
  /**
   * When the first of the bad answers came in a row that no good one broke, and when the circuit
   * opened.
   */
  sinceMicros: micros,
  untilMicros: micros,
  /** Bad answers in that row. */
  requests: z.int(),
  /** The first and the last of them: a status code, or the class of the failure. */
  first: z.string(),
  last: z.string(),
})
export type TargetLoss = z.infer<typeof targetLoss>
