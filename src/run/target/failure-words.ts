/** Says why a target could not be reached, and what to do about it. */
import type { FailedRequest, FailureClass } from '../../crew/answer.ts'

const WORDS: Partial<Record<FailureClass, string>> = {
  refused: 'no process listens there (connection refused)',
  unreachable: 'no connection to it can be made',
  dns: 'its host name cannot be resolved',
  'connect-timeout': 'no connection within the time-out',
  timeout: 'no answer within the time-out',
  closed: 'it closed the connection without an answer; if it uses TLS, use https://',
  reset: 'it reset the connection; if it uses TLS, use https://',
  'malformed-http': 'the server there does not speak HTTP',
}

/** OpenSSL's names for a first answer that is not TLS, in the versions of Node 20 to 24. */
const NOT_TLS = /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|UNKNOWN_PROTOCOL|HTTP_REQUEST/
/**
 * Node's codes for problems with a certificate (its documentation, "X509 certificate error codes").
 */
const CERTIFICATE = /CERT|CRL|CA\b|SIGNED|ISSUER|LEAF_SIGNATURE|PATH_LENGTH/

export type Failure = Pick<FailedRequest, 'class' | 'detail' | 'isLocal'>

export function failureWords({ class: failure, detail, isLocal }: Failure): string {
  if (isLocal === true) return 'this machine ran out of what a connection needs'
  return failure === 'tls' ? tlsWords(detail) : (WORDS[failure] ?? failure)
}

function tlsWords(detail: string): string {
  if (NOT_TLS.test(detail)) return 'it does not use TLS: use http://'
  if (!CERTIFICATE.test(detail)) return 'no TLS connection could be negotiated'
  return 'its certificate is not trusted (--ca FILE names an authority, --insecure skips the check)'
}
