/** Why the trials of a study cannot be trusted: as a run, and as a study. */
import { z } from 'zod'
import { keptReason } from '../../../result/document.ts'
import type { ReasonTable } from '../../../result/coded.ts'
import { reasonSchema } from '../../../result/coded.ts'
import { RUN_REASON_CODES } from '../../../result/sentences/reasons.ts'

const TRIAL_CODES = [
  ...RUN_REASON_CODES,
  /** The target was lost. */
  'target',
  /** The command of the user that should disturb the crew failed. */
  'trigger',
] as const

export const trialReason = keptReason.extend({ code: z.enum(TRIAL_CODES) })
export type TrialReason = z.infer<typeof trialReason>

/** The reasons of one study, or of its trials. */
export function trialReasonSchema<const Table extends ReasonTable>(own: Table) {
  return z.union([reasonSchema(own), trialReason])
}
