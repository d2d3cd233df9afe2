/** The record of how a target was lost, as the journal has it. */
import { z } from 'zod'
import { micros } from '../base/micros.schema.ts'

export const targetLoss = z.object({
  /** `dead`: 5xx, or no answer at all. `refused`: only 401 or 403. */
  state: z.enum(['dead', 'refused']),
  /** `kickoffs`: polls were still answered. */
  scope: z.enum(['everything', 'kickoffs']),
  /** When the first of the consecutive bad answers came, and when the circuit opened. */
  sinceMicros: micros,
  untilMicros: micros,
  /** The number of consecutive bad answers. */
  requests: z.int(),
  /** The first and the last of them: a status code, or the class of the failure. */
  first: z.string(),
  last: z.string(),
})
export type TargetLoss = z.infer<typeof targetLoss>
