/** A violation of the contract as records and the journal keep it. */
import { z } from 'zod'

export const violation = z.object({
  /** A rule's name in the contract. */
  rule: z.string(),
  /** The excerpt that was seen, shortened and without tokens. */
  example: z.string(),
})
export type Violation = z.infer<typeof violation>
