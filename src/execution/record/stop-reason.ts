/** Why a run was stopped before its plan was complete. */
import { unreachable } from '../../base/assert.ts'
import type { StopReason } from './stop-reason.schema.ts'

export type { StopReason }

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
    default:
      return unreachable(reason)
  }
}
