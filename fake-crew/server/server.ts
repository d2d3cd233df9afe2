/** The Fastify server around a crew or proxy: parses HTTP, listens, and stops cleanly. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { fastify } from 'fastify'
import { assert } from '../../src/base/assert.ts'
import { UserError } from '../../src/base/mistakes.ts'
import { urlOf } from './address.ts'
import { addControl } from './control/control.ts'
import type { Backend } from './backend.ts'
import { ListeningSocket } from './listening-socket.ts'
import { knowEveryMethod } from './other-methods.ts'
import { originForm } from '../model/route.ts'
import { ReplySender } from './reply-sender.ts'

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

/**
 * No route has a schema, so neither compiler is ever asked for; to load Fastify's own takes a third
 * of the CPU time of the whole start.
 */
const NO_SCHEMAS = { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } }

function noCompiler(): never {
  assert(false, 'a route with a schema needs a compiler')
}

/** Starts to listen. Throws UserError if the address is unavailable. */
export async function serve(asked: ServeOptions): Promise<FakeServer> {
  const options = { ...asked, host: oneAddress(asked.host) }
  const performer = new ReplySender()
  const app = build(options, performer)
  await listen(app, options)
  // Read now: a crew that refuses connections from its start closes the socket at once.
  const url = urlOf(options.host, portOf(app))
  const line = new ListeningSocket(app.server, options.backend.live)
  line.start()
  return {
    url,
    async stop() {
      line.stop()
      performer.close()
      const closed = app.close()
      await Promise.race([closed, sleep(STOP_GRACE_MS, undefined, { ref: false })])
      app.server.closeAllConnections()
      await closed
    },
  }
}

function build({ backend, adminToken }: ServeOptions, performer: ReplySender): FastifyInstance {
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
