/** The failure class of a request, from k6's error code and message. */
import type { FailureClass } from '../../crew/answer.ts'
import type { K6Response } from './world.ts'

export interface K6Failure {
  class: FailureClass
  /** k6's message, shortened. */
  detail: string
  /** A byte of the request may have reached the target. */
  written: boolean
}

const DETAIL_LENGTH = 120

/**
 * Codes of `lib/netext/httpext/error_codes.go` in k6 that have a single meaning; the others cover
 * many cases, and their message decides. They are the same from k6 1.8 to 2.3.
 */
const CLASS_OF_CODE = new Map<number, FailureClass>([
  [1050, 'timeout'],
  [1100, 'dns'],
  [1101, 'dns'],
  [1201, 'closed'],
  [1211, 'connect-timeout'],
  [1212, 'refused'],
  [1220, 'reset'],
  [1300, 'tls'],
  [1301, 'tls'],
  [1310, 'tls'],
  [1311, 'tls'],
  [1701, 'malformed-http'],
])

/** Messages of Go's `net/http` and of the system; the first match counts. */
const CLASS_OF_WORDS: readonly (readonly [RegExp, FailureClass])[] = [
  [/too many open files|cannot assign requested address|no buffer space/, 'other'],
  [/context canceled/, 'cancelled'],
  [/unexpected EOF/, 'truncated'],
  [/malformed|bad Content-Length|too many 1xx|headers exceeded/i, 'malformed-http'],
  [/transfer encoding|invalid header|chunk/i, 'malformed-http'],
  [/\bEOF\b|server closed|broken pipe|GoAway/, 'closed'],
  [/reset by peer|stream error/, 'reset'],
]

/** These fail before a connection can carry a request, whatever else is known. */
const UNWRITTEN = new Set<FailureClass>(['dns', 'connect-timeout', 'refused', 'tls', 'unreachable'])

/** `secure`: the target uses TLS, whose handshake fails with many different messages. */
export function failureOf(response: K6Response, secure: boolean): K6Failure {
  const detail = shorten(response.error === '' ? `error ${response.error_code}` : response.error)
  const named = CLASS_OF_CODE.get(response.error_code) ?? classOfWords(response.error)
  const connected = wasConnected(response)
  const name = connected ? (named ?? 'other') : withoutConnection(named, response, secure)
  return { class: name, detail, written: connected && !UNWRITTEN.has(name) }
}

/**
 * A request that k6 refused to send, or gave up together with the whole run. It may have been
 * written.
 */
export function rejectionOf(reason: unknown): K6Failure {
  const words = reason instanceof Error ? reason.message : String(reason)
  return { class: classOfWords(words) ?? 'other', detail: shorten(words), written: true }
}

/** k6 knows the address of the other end as soon as it has a connection for the request. */
function wasConnected({ remote_ip: address, timings }: K6Response): boolean {
  return address !== '' || timings.sending > 0 || timings.waiting > 0
}

function withoutConnection(
  named: FailureClass | undefined,
  { error_code: code, error }: K6Response,
  secure: boolean,
): FailureClass {
  switch (named) {
    case 'timeout':
      return 'connect-timeout'
    case 'reset':
    case 'closed':
    case 'truncated':
    case 'malformed-http':
      return secure && !error.startsWith('dial') ? 'tls' : 'unreachable'
    case undefined:
      if (secure && /\btls\b|x509|certificate/.test(error)) return 'tls'
      return code === 1020 ? 'other' : 'unreachable'
    default:
      return named
  }
}

function classOfWords(words: string): FailureClass | undefined {
  return CLASS_OF_WORDS.find(([pattern]) => pattern.test(words))?.[1]
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > DETAIL_LENGTH ? `${line.slice(0, DETAIL_LENGTH - 1)}…` : line
}
