/** The shape of a reason to stop, from which its type is inferred. The type alone reaches k6. */
import { z } from 'zod'

export const stopReason = z.discriminatedUnion('code', [
  /** The threshold that could not be met any more, `execution.p95` and `< 8 s`. */
  z.object({ code: z.literal('threshold'), metric: z.string(), text: z.string() }),
  /** A cut run: its fake crew ended with it. */
  z.object({ code: z.literal('crew-ended') }),
  /** Whoever stopped it said so: `interrupted`. */
  z.object({ code: z.literal('asked'), why: z.string() }),
])
export type StopReason = z.infer<typeof stopReason>
