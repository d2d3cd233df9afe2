/** How an author writes an arrival process, and how it is checked. */
import type { z } from 'zod'

export interface ProcessWords<Process extends { kind: string }, Written> {
  /** One sentence for the documentation. */
  description: string
  example: Written
  /**
   * Parses the author's section into the process; null for a process without parameters, which is
   * written as its name alone.
   */
  schema: { kind: Process['kind'] } extends Process ? null : z.ZodType<Process>
  /** The shape of the process in a plan. */
  planned: z.ZodType<Process>
}
