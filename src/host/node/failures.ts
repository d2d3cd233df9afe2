/** The failure class of a failed connection or exchange. */
import type { FailureClass } from '../../crew/answer.ts'
import { MalformedAnswer } from './http1/head.ts'

export interface Failure {
  class: FailureClass
  /** The error's code or message, shortened. */
  detail: string
}

const DETAIL_LENGTH = 120

/** The part of an answer that had arrived when its connection failed. */
export type Progress = 'nothing' | 'begun' | 'head'

/** Codes of `getaddrinfo`; all of its errors concern names. */
const DNS_CODES = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA', 'EAI_NONAME'])
/** The generator's own machine ran out of a resource. */
const LOCAL_CODES = new Set(['EMFILE', 'ENFILE', 'EADDRNOTAVAIL', 'ENOBUFS', 'ENOMEM'])

/** Precedes the detail of such a failure. */
const LOCAL = 'this machine: '

/**
 * What the generator's own machine ran out of, according to the error; null for any other failure.
 */
export function localShortage(failure: Failure): string | null {
  const isLocal = failure.class === 'other' && failure.detail.startsWith(LOCAL)
  return isLocal ? failure.detail.slice(LOCAL.length) : null
}

/**
 * A connection that could not be opened: no byte of a request was written. `securing`: TCP was
 * connected, and TLS was being negotiated.
 */
export function dialFailure(error: Error, securing: boolean): Failure {
  const code = codeOf(error)
  const detail = detailOf(error)
  if (LOCAL_CODES.has(code)) return { class: 'other', detail: `${LOCAL}${detail}` }
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
  return shorten(code === '' || error.message.includes(code) ? error.message : code)
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > DETAIL_LENGTH ? `${line.slice(0, DETAIL_LENGTH - 1)}…` : line
}
