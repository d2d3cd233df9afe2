/** What TLS needs besides the usual roots, checked before anything is sent. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { createSecureContext, rootCertificates } from 'node:tls'
import type { SecureContext } from 'node:tls'
import { demandNone } from '../../base/mistakes.ts'

export interface TlsOptions {
  /** Certificates in PEM, trusted in addition to the usual roots. */
  ca?: string
  /** Accept any certificate. */
  insecure?: boolean
  /** The client's certificate in PEM, and what leads from it to an authority. */
  cert?: string
  /** The private key of `cert` in PEM, not encrypted. */
  key?: string
}

/** Created once: reading the roots takes longer than a handshake. */
export interface Security {
  context: SecureContext
  insecure: boolean
}

/** Throws UserError for certificates and keys that cannot be used. */
export function createSecurity(tls: TlsOptions): Security {
  demandNone(tlsMistakes(tls).map(({ part, problem }) => ({ source: 'tls', path: part, problem })))
  return { context: createSecureContext(tlsMaterial(tls)), insecure: tls.insecure === true }
}

/** The same as options of `node:tls`. */
export function tlsMaterial({ ca, cert, key }: TlsOptions): {
  ca?: string[]
  cert?: string
  key?: string
} {
  return {
    ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
  }
}

interface TlsMistake {
  part: 'ca' | 'cert' | 'key'
  problem: string
}

const SEALED = 'is encrypted: CREWLOAD_KEY_PASSPHRASE must hold its passphrase'

/** Everything wrong with them, without a word of what they contain. */
export function tlsMistakes({ ca, cert, key }: TlsOptions): TlsMistake[] {
  const mistakes: TlsMistake[] = []
  const found = (part: TlsMistake['part'], problem: string): void => {
    mistakes.push({ part, problem })
  }
  // A secure context silently ignores an authority that it cannot read.
  if (ca !== undefined && read(() => new X509Certificate(ca)) === null) {
    found('ca', 'expected certificates in PEM')
  }
  const certificate = cert === undefined ? null : read(() => new X509Certificate(cert))
  const secret = key === undefined ? null : read(() => createPrivateKey(key))
  if (cert !== undefined && certificate === null) found('cert', 'expected a certificate in PEM')
  if (key !== undefined && secret === null) {
    const isSealed = /ENCRYPTED/.test(key)
    found('key', isSealed ? SEALED : 'expected a private key in PEM')
  }
  if (cert === undefined && key !== undefined) found('cert', 'is missing beside the private key')
  if (cert !== undefined && key === undefined) found('key', 'is missing beside the certificate')
  if (certificate === null || secret === null) return mistakes
  if (!certificate.checkPrivateKey(secret)) found('key', 'is not the key of the certificate')
  else if (read(() => createSecureContext(tlsMaterial({ cert: cert!, key: key! }))) === null) {
    found('cert', 'cannot be used: its key is too short, or of an unknown kind')
  }
  return mistakes
}

function read<T>(parse: () => T): T | null {
  try {
    return parse()
  } catch {
    return null
  }
}
