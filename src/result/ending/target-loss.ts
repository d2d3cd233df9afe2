/** A target that was lost during the run: the observations of all instances together. */
import type { TargetLoss } from '../../scenario/target-loss.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import type { TargetLossResult } from '../document.ts'
import { formatMs, plural } from '../../base/numbers.ts'
import type { RunReason } from '../reason.ts'
import type { AnswerCode } from '../../crew/observation.ts'
import type { Observations } from '../observations.ts'

/**
 * The way to the target, or our permission to use it, is gone, whatever the state of the target.
 */
const LOCKED_OUT: ReadonlySet<AnswerCode> = new Set([401, 403, 'dns', 'tls'])

/**
 * A target that could not be reached at all, or that denied us access: then nothing was measured.
 */
export function accessReasons(
  { requests, probes }: Observations,
  loss: TargetLossResult | null,
): readonly RunReason[] {
  if (loss !== null && (loss.state === 'refused' || LOCKED_OUT.has(loss.last))) {
    return [targetLossReason(loss)]
  }
  if (probes.some(({ usable }) => usable)) return []
  // Seen by the probes at the end: too late, or too little, for the circuit.
  const locked = probes.find(({ last }) => LOCKED_OUT.has(last))?.last
  if (locked !== undefined) {
    const { happened, remedy } = lossCause(locked)
    const message = `${happened} at the end of the run (${locked})`
    return [{ code: 'target-refused', message, remedy: `${remedy}, and run again` }]
  }
  const { kickoff, status, afterLoss } = requests
  const last = probes.at(-1)?.last ?? [...kickoff.byClass.keys()].at(-1)
  const asked = kickoff.sent + status.sent + kickoff.errors
  if (asked === 0 || afterLoss.everAnswered || last === undefined) return []
  const { happened, remedy } = lossCause(last)
  const all = plural(kickoff.requests + status.requests, 'request')
  const message = `none of ${all} got a usable answer: ${happened} (${last})`
  return [{ code: 'target-unreachable', message, remedy: `${remedy}, and run again` }]
}

/** What it means that only this code or error class is returned, and what to do about it. */
interface LossCause {
  /** `the token was no longer accepted`; followed by `from 30.2 s on`. */
  happened: string
  remedy: string
}

export function lossCause(answer: AnswerCode): LossCause {
  const known = CAUSES[answer]
  if (known !== undefined) return known
  if (typeof answer !== 'number') return SILENCE
  return answer < 500 ? OTHER_CODES : SERVER_ERRORS
}

const LOOK = 'check the state of the deployment'

const CAUSES: Partial<Record<AnswerCode, LossCause>> = {
  401: {
    happened: 'the token was no longer accepted',
    remedy: 'check whether it has expired or was revoked, and give a new one',
  },
  403: {
    happened: 'the token was no longer permitted to do this',
    remedy: 'check the permissions of the token',
  },
  429: {
    happened: 'a limit refused every request',
    remedy: 'send fewer requests, and honour Retry-After',
  },
  dns: {
    happened: 'the host name of the target no longer resolved',
    remedy: 'check its DNS record and the resolver of this machine',
  },
  refused: {
    happened: 'the target refused connections',
    remedy: `no process listens there: ${LOOK}`,
  },
  tls: {
    happened: 'no TLS connection could be established any more',
    remedy: 'check whether its certificate has expired or was changed',
  },
}

const SERVER_ERRORS: LossCause = {
  happened: 'the target answered only with errors',
  remedy: `it responds but does not work: ${LOOK}`,
}
const OTHER_CODES: LossCause = {
  happened: 'the target rejected every request',
  remedy: `${LOOK} and any gateway in front of it`,
}
const SILENCE: LossCause = {
  happened: 'the target no longer gave complete answers',
  remedy: `${LOOK} and the network in front of it`,
}

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
  const { state, scope, sinceMs, untilMs, requests, first, last } = loss
  const what = plural(requests, scope === 'everything' ? 'request' : 'kickoff')
  const { happened, remedy } = lossCause(first)
  const codes = first === last ? first : `${first} at first and ${last} at last`
  return {
    code: state === 'refused' ? 'target-refused' : 'target-dead',
    message:
      `${happened} from ${formatMs(sinceMs)} on: all ${what} until ${formatMs(untilMs)} failed ` +
      `(${codes}); kickoffs stopped`,
    remedy: `${remedy}, and run again; circuit: off disables this stop`,
  }
}
