/** Opens one connection: TCP, TLS if the target uses it, through a proxy if there is one. */
import { X509Certificate } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect as connectTcp, isIP } from 'node:net'
import type { Socket } from 'node:net'
import { connect as connectTls, createSecureContext, rootCertificates } from 'node:tls'
import type { SecureContext } from 'node:tls'
import { UserError } from '../../base/mistakes.ts'
import type { Failure } from './failures.ts'
import { dialFailure } from './failures.ts'
import { defaultPort } from './proxy.ts'
import type { Proxy } from './proxy.ts'

export interface TlsOptions {
  /** Certificates in PEM, trusted in addition to the usual roots. */
  ca?: string
  /** Accept any certificate. */
  insecure?: boolean
}

export interface Route {
  target: URL
  proxy: Proxy | null
  security: Security
}

/** Created once: reading the roots takes longer than a handshake. */
export interface Security {
  context: SecureContext
  insecure: boolean
}

/** Throws UserError for certificates that cannot be read. */
export function createSecurity(tls: TlsOptions): Security {
  const insecure = tls.insecure === true
  if (tls.ca === undefined) return { context: createSecureContext(), insecure }
  if (!isCertificate(tls.ca)) {
    throw new UserError({ source: 'tls', path: 'ca', problem: 'expected certificates in PEM' })
  }
  return { context: createSecureContext({ ca: [...rootCertificates, tls.ca] }), insecure }
}

/** Checked separately, because a secure context silently ignores what it cannot read. */
function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}

/** Called once, later: with a socket that can carry a request, or why there is none. */
export type Dialled = (outcome: Socket | Failure) => void

/**
 * Every TLS connection makes a full handshake: sessions are not resumed, because each connection
 * represents a separate client. Returns a function that cancels the dial; `dialled` is then not
 * called.
 */
export function dial(route: Route, dialled: Dialled): () => void {
  const { target, proxy } = route
  if (proxy === null) return open(target, route.security, null, dialled)
  const throughProxy: Dialled = (outcome) => dialled('class' in outcome ? blame(outcome) : outcome)
  if (target.protocol === 'http:') return open(proxy.url, route.security, null, throughProxy)
  return tunnel(route, proxy, dialled)
}

function open(url: URL, security: Security, through: Socket | null, dialled: Dialled): () => void {
  const host = bareHost(url)
  const port = portOf(url)
  const secure = url.protocol === 'https:'
  let securing = through !== null
  const socket = secure
    ? connectTls({
        ...(through === null ? { host, port } : { socket: through }),
        ...(isIP(host) === 0 ? { servername: host } : {}),
        secureContext: security.context,
        rejectUnauthorized: !security.insecure,
        ALPNProtocols: ['http/1.1'],
        host,
      })
    : connectTcp({ host, port })
  const settle = (): void => {
    socket.off('error', onError).off('close', onClose).on('error', ignore)
  }
  const onError = (error: Error): void => {
    settle()
    dialled(dialFailure(error, securing))
  }
  const onClose = (): void => {
    settle()
    dialled({ class: securing ? 'tls' : 'unreachable', detail: 'closed while opening' })
  }
  socket.once('connect', () => (securing = secure))
  socket.once(secure ? 'secureConnect' : 'connect', () => {
    settle()
    socket.setNoDelay(true)
    dialled(socket)
  })
  socket.once('error', onError).once('close', onClose)
  return () => {
    settle()
    socket.destroy()
  }
}

/** RFC 9110, section 9.3.6: CONNECT, then TLS with the target through the tunnel. */
function tunnel(route: Route, proxy: Proxy, dialled: Dialled): () => void {
  const authority = `${route.target.hostname}:${portOf(route.target)}`
  const request = (proxy.url.protocol === 'https:' ? httpsRequest : httpRequest)({
    host: bareHost(proxy.url),
    port: portOf(proxy.url),
    method: 'CONNECT',
    path: authority,
    agent: false,
    headers: {
      host: authority,
      ...(proxy.authorization === null ? {} : { 'proxy-authorization': proxy.authorization }),
    },
  })
  let abandon = (): void => {
    request.off('error', onError).on('error', ignore).destroy()
  }
  const onError = (error: Error): void => dialled(blame(dialFailure(error, false)))
  request.once('error', onError)
  request.once('connect', (response, socket) => {
    request.off('error', onError).on('error', ignore)
    if (response.statusCode === 200) abandon = open(route.target, route.security, socket, dialled)
    else {
      socket.on('error', ignore).destroy()
      dialled(blame({ class: 'unreachable', detail: `answered ${response.statusCode}` }))
    }
  })
  request.end()
  return () => abandon()
}

/**
 * A failure on the way to the proxy says nothing about the target except that it cannot be reached.
 */
function blame(failure: Failure): Failure {
  return { class: 'unreachable', detail: `proxy: ${failure.detail}` }
}

function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

function portOf(url: URL): number {
  return Number(url.port === '' ? defaultPort(url) : url.port)
}

function ignore(): void {
  // The socket is not used any more: its errors are irrelevant.
}
