/** What it means that only this code or error class is returned, and what to do about it. */

export interface LossCause {
  /** `the token was no longer accepted`; followed by `from 30.2 s on`. */
  happened: string
  remedy: string
}

/** `name`: a status code, or the class of a failure. */
export function lossCause(name: string): LossCause {
  const known = Object.hasOwn(CAUSES, name) ? CAUSES[name] : undefined
  if (known !== undefined) return known
  if (/^5\d\d$/.test(name)) return SERVER_ERRORS
  if (/^[1-4]\d\d$/.test(name)) return OTHER_CODES
  return SILENCE
}

const LOOK = 'check the state of the deployment'

const CAUSES: Readonly<Record<string, LossCause>> = {
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
