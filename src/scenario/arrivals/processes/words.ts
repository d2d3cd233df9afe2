/** How an author writes an arrival process, and how it is checked. */
import type { z } from 'zod'

export interface ProcessWords<Process extends { kind: string }, Written> {
  /** One sentence, for the docs. */
  description: string
  example: Written
  /**
   * From the author's section to the process; null for one without parameters, of which the name
   * alone is written.
   */
  schema: { kind: Process['kind'] } extends Process ? null : z.ZodType<Process>
}
