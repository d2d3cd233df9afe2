/**
 * A target that could not be reached at all, or that denied us access: then nothing was measured.
 */
import type { AnswerCode } from '../../crew/observation.ts'
import type { TargetLossResult } from '../document.ts'
import { plural } from '../metrics/format.ts'
import { lossCause } from '../ending/loss-words.ts'
import type { Observations } from '../observations.ts'
import { targetLossReason } from '../ending/target-loss.ts'
import type { RunReason } from '../findings-and-reasons.ts'

/**
 * The way to the target, or our permission to use it, is gone, whatever the state of the target.
 */
const LOCKED_OUT: ReadonlySet<AnswerCode> = new Set([401, 403, 'dns', 'tls'])

export function accessReasons(
  observations: Observations,
  loss: TargetLossResult | null,
): readonly RunReason[] {
  if (loss !== null && (loss.state === 'refused' || LOCKED_OUT.has(loss.last))) {
    return [targetLossReason(loss)]
  }
  return [...lockedOut(observations), ...neverUsable(observations)].slice(0, 1)
}

/** Seen by the probes at the end: too late, or too little, for the circuit. */
function lockedOut({ probes }: Observations): RunReason[] {
  const last = probes.find(({ usable, last: answer }) => !usable && LOCKED_OUT.has(answer))?.last
  if (last === undefined || probes.some(({ usable }) => usable)) return []
  const { happened, remedy } = lossCause(last)
  return [
    {
      code: 'target-refused',
      message: `${happened} at the end of the run (${last})`,
      remedy: `${remedy}, and run again`,
    },
  ]
}

function neverUsable({ requests, probes }: Observations): RunReason[] {
  const { kickoff, status } = requests
  const asked = kickoff.sent + status.sent + kickoff.errors
  if (asked === 0 || probes.some(({ usable }) => usable)) return []
  if (requests.afterLoss.everAnswered) return []
  const last = probes.at(-1)?.last ?? [...kickoff.byClass.keys()].at(-1)
  if (last === undefined) return []
  const { happened, remedy } = lossCause(last)
  return [
    {
      code: 'target-unreachable',
      message:
        `none of ${plural(kickoff.requests + status.requests, 'request')} got a usable ` +
        `answer: ${happened} (${last})`,
      remedy: `${remedy}, and run again`,
    },
  ]
}
