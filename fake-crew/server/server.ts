/** The Fastify server around a crew or proxy: parses HTTP, listens, and stops cleanly. */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { fastify } from 'fastify'
import { assert } from '../../src/base/assert.ts'
import { UserError } from '../../src/base/mistakes.ts'
import { addControl } from './control/control.ts'
import type { Backend } from './backend.ts'
import { NO_SCHEMAS } from './no-schemas.ts'
import { knowEveryMethod } from './other-methods.ts'
import { originForm } from '../model/route.ts'
import { ReplySender } from './reply-sender.ts'
import { isIPv6, Server as NetServer } from 'node:net'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { MICROS_PER_MS } from '../../src/base/units.ts'
import type { LiveModel } from './live-model.ts'

export interface ServeOptions {
  backend: Backend
  adminToken: string | null
  host: string
  /** 0: the system chooses. */
  port: number
}

export interface FakeServer {
  url: string
  /** Answers every request in flight immediately, then closes every connection. */
  stop(): Promise<void>
}

/**
 * Fastify's own default. It is longer than clients keep an idle connection, so that they close it
 * first and no request meets a connection that is being closed.
 */
const KEEP_ALIVE_MS = 72_000
/** Answers given at the stop have this long to be sent. */
const STOP_GRACE_MS = 200

/** Starts to listen. Throws UserError if the address is unavailable. */
export async function serve(asked: ServeOptions): Promise<FakeServer> {
  const options = { ...asked, host: oneAddress(asked.host) }
  const performer = new ReplySender(asked.backend.live.clock)
  let isUp = false
  const app = build(options, performer, () => isUp)
  await listen(app, options)
  // Read now: a crew that refuses connections from its start closes the socket at once.
  const url = urlOf(options.host, portOf(app))
  const line = new ListeningSocket(app.server, options.backend.live)
  line.start()
  isUp = true
  return {
    url,
    async stop() {
      isUp = false
      line.stop()
      performer.close()
      const closed = app.close()
      await Promise.race([closed, sleep(STOP_GRACE_MS, undefined, { ref: false })])
      app.server.closeAllConnections()
      await closed
    },
  }
}

function build(
  { backend, adminToken }: ServeOptions,
  performer: ReplySender,
  isUp: () => boolean,
): FastifyInstance {
  const { live, ledger, forwardsTo } = backend
  const answer = (request: FastifyRequest, reply: FastifyReply): void => {
    const { socket } = request.raw
    if (live.spared.has(socket)) {
      reply.hijack()
      socket.resetAndDestroy()
      return
    }
    live.controls.delete(socket)
    backend.answer(request, reply, performer)
  }
  const app = fastify({
    requestTimeout: backend.requestTimeoutMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    exposeHeadRoutes: false,
    schemaController: NO_SCHEMAS,
    rewriteUrl: ({ url = '/' }) => originForm(url),
    frameworkErrors: (_, request, reply) => backend.answerUndecoded(request, reply, performer),
  })
  knowEveryMethod(app)
  app.removeAllContentTypeParsers()
  backend.furnish(app)
  app.setErrorHandler((_, request, reply) => answer(request, reply))
  app.setNotFoundHandler(answer)
  app.all('/*', answer)
  // Open to everybody: an orchestrator has no token, and learns nothing but this.
  app.get('/__fake__/health', async (request, reply) => {
    live.controls.add(request.raw.socket)
    const isReady = isUp() && !live.connectionState().refusing
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ready' : 'not ready' })
  })
  const control = { live, ledger, forwardsTo, adminToken }
  app.register(async (scope) => addControl(scope, control), { prefix: '/__fake__' })
  return app
}

/**
 * For `localhost`, Fastify would open a second server on IPv6, which connection faults would not
 * reach.
 */
function oneAddress(host: string): string {
  return host === 'localhost' ? '127.0.0.1' : host
}

function portOf(app: FastifyInstance): number {
  const address = app.server.address()
  assert(address !== null && typeof address === 'object', 'the server listens on a port')
  return address.port
}

async function listen(app: FastifyInstance, { host, port }: ServeOptions): Promise<void> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new UserError({
      source: 'fake crew',
      path: 'port',
      problem: listenProblem(code, message),
    })
  }

  function listenProblem(code: string | undefined, message: string): string {
    if (code === 'EADDRINUSE') {
      return `port ${port} on ${host} is in use: choose another, or 0 for a free one`
    }
    if (code === 'EACCES') return `no permission to listen on port ${port} of ${host}`
    return `cannot listen on port ${port} of ${host}: ${message}`
  }
}

/** A wildcard address cannot be connected to: its URL names the loopback address. */
export function urlOf(host: string, port: number): string {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`
  if (host === '::') return `http://[::1]:${port}`
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`
}

/** Time between two attempts to get a port back that another process has taken meanwhile. */
const RETRY_MS = 200

/** Opens and closes the socket that listens, as the faults of connections say. */
class ListeningSocket {
  readonly #server: Server
  readonly #live: LiveModel
  #address: { host: string; port: number } | null = null
  /** Ends the wait for the next change. */
  #cancel = (): void => {}
  #retry: NodeJS.Timeout | undefined
  #opening: Promise<void> | null = null
  #stopped = false
  #cutMicros = -Infinity
  readonly #sockets = new Set<Socket>()

  constructor(server: Server, live: LiveModel) {
    this.#server = server
    this.#live = live
  }

  /** The server listens. */
  start(): void {
    const address = this.#server.address()
    assert(address !== null && typeof address === 'object', 'the server listens on a port')
    this.#address = { host: address.address, port: address.port }
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    // One that fails to be accepted; what `listen` reports is met in `#open`.
    this.#server.on('error', () => {})
    this.#live.watchLine(
      () => this.#follow(),
      async () => this.#settled(),
    )
    this.#follow()
  }

  stop(): void {
    this.#stopped = true
    this.#cancel()
    clearTimeout(this.#retry)
  }

  #follow(): void {
    if (this.#stopped) return
    const { refusing, untilMicros, cutMicros } = this.#live.connectionState()
    if (cutMicros > this.#cutMicros) this.#cut()
    this.#cutMicros = cutMicros
    // `close` of an HTTP server would also end its idle connections.
    if (refusing && this.#server.listening) NetServer.prototype.close.call(this.#server)
    if (!refusing && !this.#server.listening) this.#opening ??= this.#open()
    this.#cancel()
    const leftMicros = untilMicros - this.#live.nowMicros()
    if (leftMicros === Infinity) return
    this.#cancel = this.#live.clock.after(Math.max(MICROS_PER_MS, leftMicros), () => this.#follow())
  }

  /** The state may have changed when the socket is open, or its port is taken meanwhile. */
  async #open(): Promise<void> {
    try {
      this.#server.listen(this.#address!)
      await once(this.#server, 'listening')
      this.#opening = null
      this.#follow()
    } catch {
      this.#opening = null
      this.#retry = setTimeout(() => this.#follow(), RETRY_MS)
    }
  }

  async #settled(): Promise<void> {
    while (this.#opening !== null) await this.#opening
  }

  /** The control's connections stay open: otherwise nobody could read the ledger. */
  #cut(): void {
    for (const socket of this.#sockets) {
      if (this.#live.controls.has(socket)) this.#live.spared.add(socket)
      else socket.resetAndDestroy()
    }
  }
}
