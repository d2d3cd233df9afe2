/** Why a run was stopped, an execution ended as it did, or an arrival was not sent, in words. */
import { unreachable } from '../../base/assert.ts'
import type { ExecutionRecord } from './record.schema.ts'
import type { EndReason, ProcessExit, StopReason } from './reason.schema.ts'
import { typedBound } from '../../scenario/thresholds/bounds.ts'

export type { EndReason, ProcessExit, StopReason }

export const CREW_ENDED = 'the fake crew ended with the run'

/** How the fake crew of a run ended by itself, and what it said. */
export type CrewEnd = Omit<StoppedBy<'crew-died'>, 'code'>

export type K6End = Omit<StoppedBy<'k6-ended'>, 'code'>

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

type StoppedBy<Code extends StopReason['code']> = Extract<StopReason, { code: Code }>

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
      return `${reason.metric} ${typedBound(reason)} cannot be met any more`
    case 'crew-ended':
      return CREW_ENDED
    case 'crew-died':
      return `the fake crew of this run ended by itself (${crewEnd(reason)})`
    case 'inputs-refused':
      return 'the crew refused the inputs of the first kickoff'
    case 'k6-ended':
      return k6EndText(reason)
    case 'crewload-failed':
      return 'crewload itself failed'
    case 'crewload-gone':
      return 'crewload ended before k6 did'
    case 'asked':
      return reason.why
    default:
      return unreachable(reason)
  }
}

function crewEnd({ exit: { code, signal }, why }: StoppedBy<'crew-died'>): string {
  const how = signal === null ? `with exit code ${code}` : `killed by ${signal}`
  return why === '' ? how : `${how}: ${why}`
}

/** A `why` that is empty says nothing. */
export function k6EndText({ process, exit, why }: K6End): string {
  if (exit === null && why === '') return `${process} was not ready to begin in time`
  if (exit === null) return `${process} said: ${why}`
  return `${process} ${exitWords(exit)}${why === '' ? '' : `; it said: ${why}`}`
}

/** Those that a script of ours can end with (`errext/exitcodes/codes.go` of k6 2.2). */
const MEANINGS = new Map<number, string>([
  [104, 'its configuration is wrong'],
  [105, 'it was interrupted'],
  [107, 'its script threw'],
  [108, 'its script aborted the run'],
  [109, 'a Go panic'],
])

/** The words begin with a verb. */
function exitWords({ code, signal }: ProcessExit): string {
  if (signal !== null) return `was ended by ${signal}`
  if (code === null) return 'could not be started'
  const meaning = MEANINGS.get(code)
  return `ended with exit code ${code}${meaning === undefined ? '' : `: ${meaning}`}`
}

/** What the crew said of a failed execution; null for every other one, and if it said nothing. */
export function crewError({ reason }: Pick<ExecutionRecord, 'reason'>): string | null {
  return reason?.code === 'crew-error' ? reason.text : null
}
