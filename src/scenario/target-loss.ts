/** The record of how a target was lost, as the journal has it. */
import { z } from 'zod'
import { micros } from '../base/micros.schema.ts'
import { FAILURE_CLASSES } from '../crew/answer.ts'

/** The status code of an answer, or the class of the failure in its place. */
export const statusOrFailure = z.union([z.int(), z.enum(FAILURE_CLASSES)])

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
  /** The first and the last of them. */
  first: statusOrFailure,
  last: statusOrFailure,
})
export type TargetLoss = z.infer<typeof targetLoss>
