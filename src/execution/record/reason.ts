/** Why a run was stopped, an execution ended as it did, or an arrival was not sent, in words. */
import { unreachable } from '../../base/assert.ts'
import type { ExecutionRecord } from './record.schema.ts'
import type { EndReason, StopReason } from './reason.schema.ts'

export type { EndReason, StopReason }

export const CREW_ENDED = 'the fake crew of the run ended with it'

/** `kickoff budget spent`, `refused`, or what the crew said of its failure. */
export function endText(reason: EndReason): string {
  switch (reason.code) {
    case 'answer':
      return String(reason.answer)
    case 'crew-error':
      return reason.text
    case 'not-found':
      return 'NOT FOUND'
    case 'paused':
      return 'PAUSED'
    case 'never-polled':
      return 'no poll before the deadline'
    case 'max-in-flight':
      return 'max in flight'
    case 'author-error':
      return `${reason.part}: ${reason.text}`
    case 'budget-spent':
      return `${reason.isPart ? "this instance's share of the " : ''}${reason.budget} budget spent`
    case 'target-lost':
      return reason.state === 'dead' ? 'target dead' : 'target refuses us'
    case 'stopped':
      return stoppedText(reason)
    case 'cut':
      return CUT[reason.when]
    default:
      return unreachable(reason)
  }
}

const CUT = {
  unsent: 'the run was cut before it was sent',
  unanswered: 'the run was cut before the kickoff was answered',
} as const

function stoppedText({ when, stop }: Extract<EndReason, { code: 'stopped' }>): string {
  const why = stopText(stop)
  if (when === 'now') return why
  return when === 'unsent'
    ? `stopped before it was sent: ${why}`
    : `${why}, and not ended within the drain time`
}

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

/** What the crew said of a failed execution; null for every other one, and if it said nothing. */
export function crewError({ reason }: Pick<ExecutionRecord, 'reason'>): string | null {
  return reason?.code === 'crew-error' ? reason.text : null
}
