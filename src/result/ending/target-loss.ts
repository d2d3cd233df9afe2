/** A target that was lost during the run: the observations of all instances together. */
import type { TargetLoss } from '../../scenario/target-loss.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import type { TargetLossResult } from '../document.ts'
import { formatMs, plural } from '../metrics/format.ts'
import { lossCause } from './loss-words.ts'
import type { RunReason } from '../findings-and-reasons.ts'

/** `losses` ordered by time; null for none. */
export function targetLossResult(losses: readonly TargetLoss[]): TargetLossResult | null {
  const first = losses[0]
  const last = losses.toSorted((a, b) => a.untilMicros - b.untilMicros).at(-1)
  if (first === undefined || last === undefined) return null
  return {
    state: losses.every(({ state }) => state === 'refused') ? 'refused' : 'dead',
    scope: losses.some(({ scope }) => scope === 'everything') ? 'everything' : 'kickoffs',
    sinceMs: first.sinceMicros / MICROS_PER_MS,
    untilMs: last.untilMicros / MICROS_PER_MS,
    requests: losses.reduce((sum, { requests }) => sum + requests, 0),
    first: first.first,
    last: last.last,
    instances: losses.length,
  }
}

/** Why this ended the run. */
export function targetLossReason(loss: TargetLossResult): RunReason {
  const { state, scope, sinceMs, untilMs, requests } = loss
  const what = scope === 'everything' ? plural(requests, 'request') : plural(requests, 'kickoff')
  const { happened, remedy } = lossCause(loss.first)
  const answered = `all ${what} until ${formatMs(untilMs)} failed (${codes(loss)})`
  return {
    code: state === 'refused' ? 'target-refused' : 'target-dead',
    message: `${happened} from ${formatMs(sinceMs)} on: ${answered}; kickoffs stopped`,
    remedy: `${remedy}, and run again; circuit: off disables this stop`,
  }
}

/** `503`, or `refused at first and timeout at last`. */
function codes({ first, last }: TargetLossResult): string {
  return first === last ? String(first) : `${first} at first and ${last} at last`
}
