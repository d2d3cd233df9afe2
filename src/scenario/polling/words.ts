/** How an author writes a polling strategy, and how it is checked. */
import type { z } from 'zod'

export interface PollingWords<Policy, Written> {
  /** One sentence, for the docs. */
  description: string
  example: Written
  /** From the author's section to the policy. */
  schema: z.ZodType<Policy>
}
