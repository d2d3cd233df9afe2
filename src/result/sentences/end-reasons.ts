/**
 * Why an execution, a run or a process ended, in words. Pages read them too: this file has no
 * schema, of which a page would carry the whole library.
 */
import { unreachable } from '../../base/assert.ts'
import type {
  CrewEnd,
  EndReason,
  K6End,
  ProcessExit,
  StopReason,
} from '../../execution/record/reason.schema.ts'
import { typedBound } from '../../scenario/thresholds/bounds.ts'

export type StoppingThreshold = Extract<StopReason, { code: 'threshold' }>

export function thresholdText(threshold: StoppingThreshold): string {
  return `${threshold.metric} ${typedBound(threshold)}`
}

/** `threshold`: `execution.p95 < 8 s`. */
export function unmetWords(threshold: string): string {
  return `${threshold} could no longer be met`
}

/** What became of the fake crew of a run that was cut. */
export const CREW_ENDED = 'the fake crew ended with the run'

/** `kickoff budget spent`, `refused`, or what the crew said of its failure. */
export function endReasonText(reason: EndReason): string {
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
  const why = stopReasonText(stop)
  if (when === 'now') return why
  return when === 'unsent' ? `stopped before it was sent: ${why}` : `${why}; the drain time ran out`
}

/** Why the run was stopped, for the records of executions that it left unfinished. */
export function stopReasonText(reason: StopReason): string {
  switch (reason.code) {
    case 'threshold':
      return unmetWords(thresholdText(reason))
    case 'crew-ended':
      return CREW_ENDED
    case 'crew-died':
      return crewDiedText('run', reason)
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

/** `of`: whose fake crew it was. A `why` that is empty says nothing. */
export function crewDiedText(of: 'run' | 'study', { exit, why }: CrewEnd): string {
  const { code, signal } = exit
  const how = signal === null ? `with exit code ${code}` : `killed by ${signal}`
  return `the fake crew of this ${of} ended by itself (${why === '' ? how : `${how}: ${why}`})`
}

/** A `why` that is empty says nothing. */
export function k6EndText({ process, exit, why }: K6End): string {
  if (exit === null && why === '') return `${process} was not ready to begin in time`
  if (exit === null) return `${process} said: ${why}`
  return `${process} ${exitWords(exit)}${why === '' ? '' : `; it said: ${why}`}`
}

/** Exit codes with which a script of ours can end (`errext/exitcodes/codes.go` of k6 2.2). */
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
