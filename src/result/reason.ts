/** A reason of a run's verdict: a code, a sentence and its remedy. */
import { z } from 'zod'

/** What a valid measurement needs: the name of a check is the code of the reason if it fails. */
export const CHECKS = [
  'lateness',
  'utilisation',
  'little',
  'records',
  'journal',
  'clock',
  'scenario',
  'start',
  'admission',
] as const

export const runReason = z.object({
  code: z.enum([
    'threshold',
    'undecided',
    'unmeasurable',
    ...CHECKS,
    'generator-error',
    'reports-unwritten',
    'target-unreachable',
    'target-refused',
    'target-dead',
    'budget',
    'interrupted',
    'cut',
    'crashed',
    'resumed',
    'shared-id',
    'no-arrivals',
    'nothing-completed',
  ]),
  metric: z
    .string()
    .exactOptional()
    .describe('Of the threshold that was missed, is undecided or could not be measured'),
  message: z.string(),
  remedy: z.string(),
})
export type RunReason = z.infer<typeof runReason>
