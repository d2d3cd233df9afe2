/** What it means that only this code or error class is returned, and what to do about it. */
import type { AnswerCode } from '../../crew/observation.ts'

export interface LossCause {
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
    remedy: 'check whether it has expired or was revoked, and set a new one in CREWLOAD_TOKEN',
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
