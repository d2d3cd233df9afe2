/** What it means that nothing but this code or error class comes back, and what to do about it. */

export interface LossCause {
  /** `the token was not accepted any more`; goes on with `from 30.2 s on`. */
  happened: string
  remedy: string
}

/** `name`: a status code, or the class of a failure. */
export function lossCause(name: string): LossCause {
  const known = CAUSES[name]
  if (known !== undefined) return known
  if (/^5\d\d$/.test(name)) return SERVER_ERRORS
  if (/^[1-4]\d\d$/.test(name)) return OTHER_CODES
  return SILENCE
}

const LOOK = 'see what became of the deployment'

const CAUSES: Readonly<Record<string, LossCause>> = {
  401: {
    happened: 'the token was not accepted any more',
    remedy: 'see whether it was revoked or has expired, and give a new one in CREWLOAD_TOKEN',
  },
  403: {
    happened: 'the token was not allowed to do this any more',
    remedy: 'see what it may do, and whether its rights were taken away',
  },
  429: {
    happened: 'a limit refused everything',
    remedy: 'send less, and wait as long as it asks',
  },
  dns: {
    happened: 'the name of the target did not resolve any more',
    remedy: 'look at its DNS record, and at the resolver of this machine',
  },
  refused: {
    happened: 'the target refused connections',
    remedy: `nothing listens there: ${LOOK}`,
  },
  tls: {
    happened: 'no secure connection could be made any more',
    remedy: 'see whether its certificate has expired or was changed',
  },
}

const SERVER_ERRORS: LossCause = {
  happened: 'the target answered with errors alone',
  remedy: `it is there, but of no use: ${LOOK}`,
}
const OTHER_CODES: LossCause = {
  happened: 'the target turned everything away',
  remedy: `${LOOK}, or what stands before it`,
}
const SILENCE: LossCause = {
  happened: 'the target gave no whole answer any more',
  remedy: `${LOOK}, and of the network before it`,
}
