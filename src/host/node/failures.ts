/** The failure class of a failed connection or exchange. */
import type { FailedRequest, FailureClass } from '../../crew/answer.ts'
import { detailFrom } from '../../crew/answer.ts'
import { MalformedAnswer } from './http1/answer-parser.ts'

/** `detail`: the error's code or message, shortened. */
export type Failure = Pick<FailedRequest, 'class' | 'detail' | 'isLocal'>

/**
 * OpenSSL's names for the alerts about a client's certificate (RFC 8446, section 6.2). By TLS 1.3 a
 * server sends them when the client already takes the connection for open, and reads no request.
 */
const REFUSED_CLIENT =
  /ALERT_(CERTIFICATE_(REQUIRED|EXPIRED|REVOKED|UNKNOWN)|(BAD|UNSUPPORTED)_CERTIFICATE|UNKNOWN_CA)$/

/** The part of an answer that had arrived when its connection failed. */
export type Progress = 'nothing' | 'begun' | 'head'

/** Codes of `getaddrinfo`; all of its errors concern names. */
const DNS_CODES = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA', 'EAI_NONAME'])
/** Codes for a resource of which this machine ran out. */
const LOCAL_CODES = new Set(['EMFILE', 'ENFILE', 'EADDRNOTAVAIL', 'ENOBUFS', 'ENOMEM'])

/**
 * A connection that could not be opened: no byte of a request was written. `securing`: TCP was
 * connected, and TLS was being negotiated.
 */
export function dialFailure(error: Error, securing: boolean): Failure {
  const code = codeOf(error)
  const detail = detailOf(error)
  if (LOCAL_CODES.has(code)) return { class: 'other', detail, isLocal: true }
  if (code === 'ECONNREFUSED') return { class: 'refused', detail }
  if (code === 'ETIMEDOUT') return { class: 'connect-timeout', detail }
  if (DNS_CODES.has(code) || (error as NodeJS.ErrnoException).syscall === 'getaddrinfo') {
    return { class: 'dns', detail }
  }
  return { class: securing ? 'tls' : 'unreachable', detail }
}

/** The server closed the connection before the answer was complete. */
export function brokenFailure(progress: Progress): Failure {
  return { class: endedClass(progress), detail: 'other side closed' }
}

/** An exchange that failed on an open connection, by the error of its socket or of the parser. */
export function answerFailure(error: Error, progress: Progress): Failure {
  const detail = detailOf(error)
  if (error instanceof MalformedAnswer) return { class: 'malformed-http', detail }
  const code = codeOf(error)
  if (progress === 'nothing' && REFUSED_CLIENT.test(code)) return { class: 'tls', detail }
  if (code === 'ECONNRESET') return { class: 'reset', detail }
  if (code === 'EPIPE') return { class: endedClass(progress), detail }
  return { class: 'other', detail }
}

function endedClass(progress: Progress): FailureClass {
  return progress === 'nothing' ? 'closed' : 'truncated'
}

function codeOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException
  return typeof code === 'string' ? code : ''
}

function detailOf(error: Error): string {
  const code = codeOf(error)
  return detailFrom(code === '' || error.message.includes(code) ? error.message : code)
}
