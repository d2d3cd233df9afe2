/** Maps a connection's error to one of the failure classes. */
import type { FailureClass } from '../../../../crew/answer.ts'

const CLASSES: Readonly<Record<string, FailureClass>> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  EPIPE: 'closed',
  ETIMEDOUT: 'connect-timeout',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
}

export function failureClass(error: NodeJS.ErrnoException): FailureClass {
  if (error instanceof UnverifiedTarget) return 'tls'
  if (error.syscall === 'getaddrinfo') return 'dns'
  const code = error.code ?? ''
  return CLASSES[code] ?? (/^ERR_(SSL|TLS)_/.test(code) ? 'tls' : 'other')
}

/** The target's certificate is not trusted. */
export class UnverifiedTarget extends Error {
  override name = 'UnverifiedTarget'
}
