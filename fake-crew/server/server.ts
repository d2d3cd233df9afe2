/** Fastify around the model: parses HTTP, asks the model, performs its replies. */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { fastify } from 'fastify'
import { assert } from '../../src/assert.ts'
import { UserError } from '../../src/mistakes.ts'
import type { Micros } from '../../src/units.ts'
import type { Crew } from '../model/crew.ts'
import { internalError } from '../model/crew.ts'
import type { FakeRequest, Reply } from '../model/exchange.ts'
import { Held } from '../model/exchange.ts'
import { openApiDocument } from '../openapi.ts'
import { urlOf } from './address.ts'
import type { ReadBody } from './body.ts'
import { NO_BODY, readBody } from './body.ts'
import { addControl } from './control.ts'
import { LineKeeper } from './line-keeper.ts'
import type { LiveCrew } from './live-crew.ts'
import { Performer } from './performer.ts'

export interface ServeOptions {
  crew: LiveCrew
  adminToken: string | null
  host: string
  /** 0: the system chooses. */
  port: number
}

export interface FakeServer {
  url: string
  /** Answers what is in flight at once, then closes every connection. */
  stop(): Promise<void>
}

/** A request must be in by then; a slower one gets 408. */
const REQUEST_TIMEOUT_MS = 60_000
/** Longer than clients keep an idle connection, so that they close it first: no reset by a race (FAKE-FACTS section 3). */
const KEEP_ALIVE_MS = 72_000
/** Answers given at the stop have this long to leave. */
const STOP_GRACE_MS = 200

/** Listens. Throws UserError when the address cannot be had. */
export async function serve(options: ServeOptions): Promise<FakeServer> {
  const performer = new Performer()
  const app = build(options, performer)
  await listen(app, options)
  const line = new LineKeeper(app.server, options.crew)
  line.start()
  return {
    url: urlOf(options.host, portOf(app)),
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

function build({ crew, adminToken }: ServeOptions, performer: Performer): FastifyInstance {
  const answer = (request: FastifyRequest, reply: FastifyReply): void => {
    reply.hijack()
    answerByModel(crew, performer, request, reply)
  }
  const app = fastify({
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    exposeHeadRoutes: false,
    frameworkErrors: (_, request, reply) => answer(request, reply),
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(['application/json', '*'], (_, stream: IncomingMessage, done) =>
    readBody(stream, crew.profile.limits.bodyBytes, (body) => done(null, body)),
  )
  app.setErrorHandler((_, request, reply) => answer(request, reply))
  app.setNotFoundHandler(answer)
  app.get('/openapi.json', async ({ protocol, host }) => {
    const { dialect, inputs, limits } = crew.profile
    const url = `${protocol}://${host}`
    return openApiDocument({ dialect, inputs, limits: limits.rules, url })
  })
  app.all('/*', answer)
  app.register(async (control) => addControl(control, { crew, adminToken }), {
    prefix: '/__fake__',
  })
  return app
}

function answerByModel(
  crew: LiveCrew,
  performer: Performer,
  request: FastifyRequest,
  { raw: response }: FastifyReply,
): void {
  const { socket } = request.raw
  const { model } = crew
  const asked = fakeRequest(request, idleMicros(socket, crew))
  response.on('close', () => {
    const nowMicros = crew.nowMicros()
    performer.forget(response)
    model.finished(asked, nowMicros)
    answeredMicros.set(socket, nowMicros)
  })
  const answered = safely(model, () => model.answer(asked, crew.nowMicros()))
  if (answered instanceof Held) {
    const reply = () => safely(model, () => answered.reply(crew.nowMicros()))
    performer.hold(answered.holdMicros, response, reply)
  } else {
    performer.perform(answered, response)
  }
}

/** When a connection's last answer was out, on the model's clock. */
const answeredMicros = new WeakMap<Socket, Micros>()

function idleMicros(socket: Socket, crew: LiveCrew): Micros | undefined {
  const since = answeredMicros.get(socket)
  return since === undefined ? undefined : crew.nowMicros() - since
}

/** A bug of ours is a 500 to the client and the end of nothing. */
function safely<Answered>(model: Crew, answer: () => Answered): Answered | Reply {
  try {
    return answer()
  } catch {
    const content = internalError(model.profile.dialect)
    return { ...content, delayMicros: 0, delivery: { kind: 'whole' } }
  }
}

function fakeRequest(request: FastifyRequest, idle: Micros | undefined): FakeRequest {
  const { method = 'GET', url = '/', headers, socket } = request.raw
  const { text, oversize } = (request.body as ReadBody | undefined) ?? NO_BODY
  return {
    method,
    path: url,
    headers: headers as FakeRequest['headers'],
    body: text,
    oversize,
    address: socket.remoteAddress ?? '',
    idleMicros: idle,
  }
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
    if (code === 'EADDRINUSE') return `port ${port} on ${host} is taken`
    if (code === 'EACCES') return `port ${port} on ${host} needs rights that this user has not`
    return `cannot listen on port ${port} of ${host}: ${message}`
  }
}
