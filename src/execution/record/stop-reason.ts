/** Why a run was stopped before its plan was complete. */
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

export const CREW_ENDED = 'the fake crew of the run ended with it'

/** As the records of what was not followed to its end tell it. */
export function stopText(reason: StopReason): string {
  switch (reason.code) {
    case 'threshold':
      return `${reason.metric} ${reason.text} cannot be met any more`
    case 'crew-ended':
      return CREW_ENDED
    case 'asked':
      return reason.why
  }
}
