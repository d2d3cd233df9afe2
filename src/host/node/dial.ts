/** Opens one connection: TCP, TLS if the target uses it, through a proxy if there is one. */
import { connect as connectTcp, isIP } from 'node:net'
import type { Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Failure } from './failures.ts'
import { answerFailure, brokenFailure, dialFailure } from './failures.ts'
import { AnswerParser, HeadReader } from './http1/answer-parser.ts'
import { defaultPort, proxyName } from './proxy.ts'
import type { Proxy } from './proxy.ts'
import type { Security } from './tls.ts'

export interface DialRoute {
  target: URL
  proxy: Proxy | null
  security: Security
}

/** Called once, later: with a socket that can carry a request, or why there is none. */
export type Dialled = (outcome: Socket | Failure) => void

/**
 * Every TLS connection makes a full handshake: sessions are not resumed, because each connection
 * represents a separate client. Returns a function that cancels the dial; `dialled` is then not
 * called.
 */
export function dial(route: DialRoute, dialled: Dialled): () => void {
  const { target, proxy } = route
  if (proxy === null) return open(target, route.security, null, dialled)
  const throughProxy: Dialled = (outcome) =>
    dialled('class' in outcome ? blame(outcome, proxy) : outcome)
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
function tunnel({ target, security }: DialRoute, proxy: Proxy, dialled: Dialled): () => void {
  let abandon = open(proxy.url, security, null, (socket) => {
    if ('class' in socket) return dialled(blame(socket, proxy))
    abandon = askForTunnel(socket, target, proxy, (refusal) => {
      if (refusal === null) abandon = open(target, security, socket, dialled)
      else dialled(blame(refusal, proxy))
    })
  })
  return () => abandon()
}

/** `done` is called once, with null when the socket leads to the target. */
function askForTunnel(
  socket: Socket,
  target: URL,
  proxy: Proxy,
  done: (refusal: Failure | null) => void,
): () => void {
  const parser = new AnswerParser(new HeadReader(true))
  const stop = (): void => {
    socket.off('data', onData).off('error', onError).off('close', onClose)
  }
  const refused = (failure: Failure): void => {
    stop()
    socket.destroy()
    done(failure)
  }
  const onError = (error: Error): void => refused(answerFailure(error, 'nothing'))
  const onClose = (): void => refused(brokenFailure('nothing'))
  const onData = (bytes: Buffer): void => {
    try {
      parser.push(bytes)
    } catch (error) {
      onError(error as Error)
    }
  }
  parser.expect({
    onBegun: ignore,
    onHead: ({ status }) => {
      if (status < 200 || status > 299)
        return refused({ class: 'unreachable', detail: refusalWords(status, proxy) })
      stop()
      done(null)
    },
    onData: ignore,
    onComplete: ignore,
  })
  socket.on('data', onData).on('error', onError).on('close', onClose)
  const authority = `${target.hostname}:${portOf(target)}`
  const { authorization } = proxy
  const credentials = authorization === null ? '' : `proxy-authorization: ${authorization}\r\n`
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n${credentials}\r\n`)
  return () => {
    stop()
    socket.destroy()
  }
}

/**
 * A failure on the way to the proxy says nothing about the target except that it cannot be reached.
 */
function blame(failure: Failure, proxy: Proxy): Failure {
  return { class: 'unreachable', detail: `proxy ${proxyName(proxy)}: ${failure.detail}` }
}

/** The status of a proxy that wants a user and password (RFC 9110, section 15.5.8). */
export const PROXY_WANTS_CREDENTIALS = 407

/** The proxy itself answered, in place of the target. */
export function refusedByProxy(status: number, proxy: Proxy): Failure {
  return blame({ class: 'unreachable', detail: refusalWords(status, proxy) }, proxy)
}

function refusalWords(status: number, { variable, authorization }: Proxy): string {
  if (status !== PROXY_WANTS_CREDENTIALS) return `answered ${status}`
  return authorization === null
    ? `asks for a user and password (407): put them in ${variable}`
    : `refuses the user and password in ${variable} (407)`
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
