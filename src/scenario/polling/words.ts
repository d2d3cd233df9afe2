/** How an author writes a polling strategy, and how it is checked. */
import type { z } from 'zod'

export interface PollingWords<Policy, Written> {
  /** One sentence for the documentation. */
  description: string
  example: Written
  /** Parses the author's section into the policy. */
  schema: z.ZodType<Policy>
}
