/**
 * The server of `crewload ui`: pages for the person who knows the token in their address, on this
 * machine, and for nobody else.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { fastify } from 'fastify'
import { z } from 'zod'
import { NO_SCHEMAS } from '../../fake-crew/server/no-schemas.ts'
import { assert } from '../base/assert.ts'
import { UserError } from '../base/mistakes.ts'
import { renderPage } from '../report/frame/render/page.ts'
import { browserScript } from '../run/environment/package.ts'
import { askToStop } from '../run/folder/stop.ts'
import { conducting } from '../study/comparing/comparison/conduct.ts'
import { conductStudy } from '../study/frame/conduct/conduct.ts'
import { reportOf } from '../study/frame/study.ts'
import { Channel } from './channel.ts'
import { Library, openFile } from './library.ts'
import { entriesMarkup, runsPage } from './pages/runs.ts'
import { livePage, liveAddress } from './pages/live.ts'
import type { ViewState } from './pages/shell.ts'
import { refusalPage } from './pages/shell.ts'
import { troubleOf, Watcher } from './watcher.ts'

export interface UiServer {
  /** With the token; ends with a slash. */
  url: string
  /** Resolves when no page is open, and none was for so long. */
  untilUnused(ms: number): Promise<void>
  close(): Promise<void>
}

/** Rejects with a UserError for a folder that cannot be read, and a port that cannot be had. */
export async function serveUi(folder: string, port: number): Promise<UiServer> {
  const library = new Library(folder)
  await library.found()
  const token = randomBytes(16).toString('base64url')
  const app = fastify({
    bodyLimit: 10_000,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    return503OnClosing: false,
    schemaController: NO_SCHEMAS,
  })
  app.addHook('onRequest', async (request, reply) => guard(request, reply, token))
  app.setNotFoundHandler((_, reply) => refuse(reply, 404, 'There is no such page.'))
  app.setErrorHandler((error, _, reply) => refuse(reply, statusOf(error), troubleOf(error)))
  const pages = new Pages(library)
  app.register(async (scope) => pages.addTo(scope), { prefix: `/${token}` })
  const listening = await listen(app, port)
  return {
    url: `http://${HOST}:${listening}/${token}/`,
    untilUnused: async (ms) => pages.untilUnused(ms),
    close: async () => app.close(),
  }
}

const HOST = '127.0.0.1'

async function listen(app: FastifyInstance, port: number): Promise<number> {
  try {
    await app.listen({ host: HOST, port })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const problem =
      code === 'EADDRINUSE'
        ? `${port} is in use: choose another, or 0 for a free one`
        : `cannot listen on ${port}: ${message}`
    throw new UserError({ source: '--port', path: '', problem })
  }
  const address = app.server.address()
  assert(address !== null && typeof address === 'object', 'the server listens on a port')
  return address.port
}

/**
 * A page of another site reaches this server too: by a name that leads to this address, or blindly.
 * It knows no token, and its name or origin is another one.
 */
function guard(request: FastifyRequest, reply: FastifyReply, token: string): FastifyReply | void {
  reply.headers(HEADERS)
  const { host = '', origin } = request.headers
  const port = request.socket.localPort ?? 0
  if (host !== `${HOST}:${port}` && host !== `localhost:${port}`) {
    return refuse(reply, 403, 'This address is not known here.')
  }
  if (!isSame(request.url.split(/[/?]/)[1] ?? '', token)) {
    return refuse(reply, 404, 'There is no such page: the address needs its token.')
  }
  if (request.method !== 'GET' && origin !== `http://${host}`) {
    return refuse(reply, 403, 'Only a page of this server may ask for that.')
  }
}

const HEADERS = {
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
}

/** Takes as long for every token. */
function isSame(given: string, token: string): boolean {
  const [a, b] = [given, token].map((text) => createHash('sha256').update(text).digest())
  return timingSafeEqual(a!, b!)
}

function statusOf(error: unknown): number {
  if (error instanceof UserError) return 400
  const { statusCode } = error as { statusCode?: number }
  return statusCode ?? 500
}

function refuse(reply: FastifyReply, code: number, why: string): FastifyReply {
  return reply.code(code).headers(inSandbox()).send(refusalPage(why))
}

/** What a report or a target said runs in an origin of its own, and reaches nothing. */
function inSandbox(type = 'text/html'): Record<string, string> {
  return {
    'content-type': `${type}; charset=utf-8`,
    'content-security-policy':
      "sandbox allow-scripts allow-downloads; default-src 'none'; style-src 'unsafe-inline'; " +
      "script-src 'unsafe-inline'; img-src data:",
  }
}

function ownPage(nonce: string): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy':
      `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'unsafe-inline'; ` +
      "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
      "frame-ancestors 'none'",
  }
}

const STOP = z.object({ id: z.string(), how: z.enum(['drain', 'now']) })

class Pages {
  readonly #library: Library
  readonly #watchers = new Map<string, Watcher>()
  /** By what is shown: a second page costs no second look. */
  readonly #channels = new Map<string, Channel>()
  #open = 0
  #usedAtMs = performance.now()

  constructor(library: Library) {
    this.#library = library
  }

  addTo(app: FastifyInstance): void {
    app.addHook('onRequest', async () => void (this.#usedAtMs = performance.now()))
    app.get('/', async (_, reply) => reply.redirect(`${app.prefix}/runs`))
    app.get('/runs', async (_, reply) => this.#runs(reply))
    app.get('/live', async (request, reply) => this.#live(asked(request, 'id'), reply))
    app.get('/compare', async (request, reply) => this.#compare(request, reply))
    app.get('/files/*', async (request, reply) => this.#file(request, reply))
    app.get('/events/runs', (_, reply) => this.#stream(reply, this.#runsChannel()))
    app.get('/events/live', async (request, reply) => this.#watch(request, reply))
    app.post('/stop', async (request, reply) => this.#stop(request, reply))
  }

  async untilUnused(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setInterval(() => {
        if (this.#open > 0 || performance.now() < this.#usedAtMs + ms) return
        clearInterval(timer)
        resolve()
      }, 200)
    })
  }

  async #runs(reply: FastifyReply): Promise<FastifyReply> {
    const nonce = newNonce()
    const shell = { script: browserScript('ui'), nonce }
    const page = runsPage(await this.#library.entries(), this.#library.folder, shell)
    return reply.headers(ownPage(nonce)).send(page)
  }

  async #live(id: string | null, reply: FastifyReply): Promise<FastifyReply> {
    const underWay = (await this.#library.underWay()).map((found) => found.id)
    const [newest] = underWay
    if (id === null && newest !== undefined) return reply.redirect(liveAddress(newest))
    if (id !== null && (await this.#library.find(id)) === null) return unknown(reply)
    const nonce = newNonce()
    const shell = { script: browserScript('ui'), nonce }
    return reply.headers(ownPage(nonce)).send(livePage(id, this.#library.folder, underWay, shell))
  }

  /** The page of what `crewload compare` finds; nothing is written. */
  async #compare(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { searchParams } = new URL(request.url, 'http://localhost')
    const found = await this.#library.found()
    const pathsOf = (side: string): string[] => {
      const ids = new Set(searchParams.getAll(side))
      return found.filter(({ id, kind }) => kind === 'run' && ids.has(id)).map(({ path }) => path)
    }
    const sides = { base: pathsOf('before'), new: pathsOf('after') }
    const { document } = await conductStudy(conducting, { ...sides, out: false })
    const page = renderPage(reportOf(conducting.study, document))
    return reply.headers(inSandbox()).send(page)
  }

  async #file(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { '*': path } = request.params as { '*': string }
    const file = await openFile(await this.#library.found(), path)
    if (file === null) return unknown(reply)
    return reply.headers(inSandbox(file.type)).send(file.stream)
  }

  #runsChannel(): Channel {
    return this.#channel('runs', async () => {
      const entries = await this.#library.entries()
      return { entries: entriesMarkup(entries).text }
    })
  }

  async #watch(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const id = asked(request, 'id')
    const part = asked(request, 'part')
    if (id === null) {
      const next = this.#channel('next', async () => this.#next())
      return this.#stream(reply, next)
    }
    const found = await this.#library.find(id)
    if (found === null) return unknown(reply)
    const name = `${part ?? ''} ${id}`
    const watcher = this.#watchers.get(name) ?? new Watcher(found, part)
    this.#watchers.set(name, watcher)
    const channel = this.#channel(
      `run ${name}`,
      async () => watcher.look(),
      () => {
        watcher.close()
        this.#watchers.delete(name)
      },
    )
    return this.#stream(reply, channel)
  }

  /** Where to go when something has begun. */
  async #next(): Promise<ViewState> {
    const [newest] = await this.#library.underWay()
    return newest === undefined ? {} : { go: liveAddress(newest.id) }
  }

  #channel(name: string, look: () => Promise<ViewState>, end = (): void => {}): Channel {
    const known = this.#channels.get(name)
    if (known !== undefined) return known
    const careful = async (): Promise<ViewState> =>
      look().catch((error: unknown) => ({ trouble: troubleOf(error) }))
    const channel = new Channel(careful, () => {
      this.#channels.delete(name)
      end()
    })
    this.#channels.set(name, channel)
    return channel
  }

  #stream(reply: FastifyReply, channel: Channel): FastifyReply {
    reply.raw.writeHead(200, { ...HEADERS, 'content-type': 'text/event-stream' })
    reply.hijack()
    reply.raw.flushHeaders()
    this.#open++
    const leave = channel.open(viewerOf(reply.raw))
    const end = (): void => {
      this.#open--
      this.#usedAtMs = performance.now()
      leave()
    }
    // Whoever left while the run was looked for has closed it already.
    if (reply.raw.destroyed) end()
    else reply.raw.once('close', end)
    return reply
  }

  async #stop(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const order = STOP.safeParse(request.body)
    const found = order.success ? await this.#library.find(order.data.id) : null
    if (!order.success || found === null) return unknown(reply)
    const { how } = order.data
    const troubles: string[] = []
    const isDone = await askToStop(found.path, how, (trouble) => void troubles.push(trouble))
    const watchers = [...this.#watchers.values()].filter(({ folder }) => folder === found.path)
    if (isDone) for (const watcher of watchers) watcher.askedToDrain()
    return reply.code(isDone ? 200 : 409).send({ isDone, trouble: troubles[0] ?? null })
  }
}

function unknown(reply: FastifyReply): FastifyReply {
  return refuse(reply, 404, 'This folder holds no such run or study.')
}

function asked(request: FastifyRequest, name: 'id' | 'part'): string | null {
  return new URL(request.url, 'http://localhost').searchParams.get(name)
}

function newNonce(): string {
  return randomBytes(16).toString('base64url')
}

function viewerOf(response: ServerResponse) {
  return {
    isReady: () => !response.writableNeedDrain && !response.destroyed,
    send: (changed: ViewState) => void response.write(`data: ${JSON.stringify(changed)}\n\n`),
  }
}
