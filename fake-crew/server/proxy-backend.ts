/**
 * A proxy behind the server: the gateway's model decides, the target answers, and the result is
 * sent.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { Agent, request as plainRequest } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Content, FakeRequest, Reply } from '../model/exchange.ts'
import { Held } from '../model/exchange.ts'
import type { ForwardedRequest, Gateway } from '../model/gateway.ts'
import type { Backend } from './backend.ts'
import { arrival } from './backend.ts'
import type { LiveModel } from './live-model.ts'
import type { ReplySender } from './reply-sender.ts'
import { parsedJson } from '../../src/base/text.ts'

const NO_BYTES = Buffer.alloc(0)

/**
 * `target`: the base URL; request paths are appended to its path. Its certificate is verified, and
 * nothing is sent twice. How long it may take is for the client to decide.
 *
 * Node's own client, because undici 7 ends a connection on `100 Continue`, and on a 304 that has
 * the `Content-Length` of the 200 (RFC 9110, sections 15.2 and 8.6 allow both).
 */
export function proxyBackend(live: LiveModel<Gateway>, target: URL): Backend {
  const isSecure = target.protocol === 'https:'
  const agent = isSecure ? new SecureAgent({ keepAlive: true }) : new Agent({ keepAlive: true })
  return {
    live,
    ledger: null,
    forwardsTo: target.href,
    requestTimeoutMs: 0,
    furnish(app) {
      app.addContentTypeParser(['application/json', '*'], (_, stream, done) => done(null, stream))
      app.addHook('onClose', async () => agent.destroy())
      app.all('/__fake__', notForwarded)
      app.all('/__fake__/*', notForwarded)
    },
    answer(request, reply, performer) {
      new Passage({ live, target, agent, performer, request, reply }).begin()
    },
    answerUndecoded({ url }, reply) {
      const message = `${JSON.stringify(url)} is not a path that the fake crew's proxy can forward`
      void reply.code(400).send({ error: 'Bad Request', message })
    },
  }
}

function notForwarded({ url }: FastifyRequest, reply: FastifyReply): void {
  const message = `The fake crew's proxy neither serves nor forwards ${url}`
  void reply.code(404).send({ error: 'Not Found', message })
}

interface ProxySurroundings {
  live: LiveModel<Gateway>
  target: URL
  agent: Agent
  performer: ReplySender
  request: FastifyRequest
  reply: FastifyReply
}

/** One request that passes through the proxy. */
class Passage {
  readonly #surroundings: ProxySurroundings
  readonly #response: ServerResponse
  readonly #asked: FakeRequest
  readonly #gone = new AbortController()
  /** The model at the time of the request: another may replace it meanwhile. */
  readonly #model: Gateway
  #isAnswered = false

  constructor(surroundings: ProxySurroundings) {
    const { live, performer, request, reply } = surroundings
    this.#surroundings = surroundings
    this.#response = reply.raw
    this.#model = live.model
    this.#asked = arrival(request, reply, live, (asked, nowMicros) => {
      this.#gone.abort()
      performer.forget(this.#response)
      this.#model.finished(asked, nowMicros)
    })
  }

  begin(): void {
    this.#goOn(this.#model.meet(this.#asked, this.#nowMicros))
  }

  get #nowMicros(): number {
    return this.#surroundings.live.nowMicros()
  }

  #goOn(met: Reply | ForwardedRequest | Held<Reply | ForwardedRequest>): void {
    const { performer, request } = this.#surroundings
    if (met instanceof Held) {
      const act = (): void => this.#goOn(met.reply(this.#nowMicros))
      return performer.hold(met.holdMicros, this.#response, act)
    }
    if ('kind' in met) return this.#send(met)
    // Closing a connection that still has unread data sends a reset.
    request.raw.once('end', () => this.#perform(met)).resume()
  }

  #send(forwarded: ForwardedRequest): void {
    const { agent, target, request } = this.#surroundings
    const { method, url = '/' } = request.raw
    const send = target.protocol === 'https:' ? secureRequest : plainRequest
    const sent = send(target.origin, {
      method,
      // As received, not as a URL would normalise it.
      path: `${target.pathname.replace(/\/$/, '')}${url}`,
      headers: { ...requestHeaders(request, forwarded), host: target.host },
      signal: this.#gone.signal,
      agent,
    })
    sent.on('information', ({ statusCode, headers }) => this.#passInterim(statusCode, headers))
    sent.once('response', (answer) => {
      this.#isAnswered = true
      this.#receive(forwarded, answer).catch(() => this.#response.destroy())
    })
    sent.on('error', (error) => this.#fail(forwarded, error))
    // Fastify leaves a body unread.
    if (hasBody(request)) pipeline(request.raw, sent, () => {})
    else sent.end()
  }

  /**
   * RFC 9110, section 15.2: a proxy forwards 1xx answers. Node has a call for three of them, which
   * throws for a link that it does not understand.
   */
  #passInterim(status: number, { link }: IncomingHttpHeaders): void {
    const response = this.#response
    if (response.headersSent || this.#surroundings.request.raw.httpVersion !== '1.1') return
    if (status === 100) response.writeContinue()
    if (status === 102) response.writeProcessing()
    if (status !== 103 || link === undefined) return
    try {
      response.writeEarlyHints({ link })
    } catch {
      // A hint is only advice: the answer itself follows.
    }
  }

  async #receive(forwarded: ForwardedRequest, answer: IncomingMessage): Promise<void> {
    const { statusCode: status = 0 } = answer
    const headers = endToEnd(allFields(answer))
    const body = forwarded.reads && isPlain(headers) ? await readTargetBody(answer) : null
    if (this.#gone.signal.aborted) return
    if (body?.kind !== 'text') {
      const set = forwarded.passes(status, this.#nowMicros)
      return this.#pass(status, { ...headers, ...set }, body?.bytes ?? answer)
    }
    const { method } = this.#asked
    const content = contentOf({ method, status, headers, text: body.text })
    const cookies = headers['set-cookie']
    if (cookies !== undefined) this.#response.setHeader('set-cookie', cookies)
    this.#perform(forwarded.replies(content, this.#nowMicros))
  }

  #pass(status: number, headers: IncomingHttpHeaders, body: AsyncIterable<Buffer>): void {
    this.#surroundings.reply.hijack()
    for (const [name, value] of Object.entries(headers)) {
      if (value !== undefined) this.#response.setHeader(name, value)
    }
    this.#response.writeHead(status)
    // A stream of events may stay silent for a long time while its client waits for the head.
    // (`flushHeaders` would send it as UTF-8.)
    this.#response.write(NO_BYTES)
    pipeline(body, this.#response, () => {})
  }

  #fail(forwarded: ForwardedRequest, { message }: Error): void {
    if (this.#gone.signal.aborted || this.#isAnswered) return
    this.#perform(forwarded.fails(message, this.#nowMicros))
  }

  #perform(answer: Reply): void {
    const { performer, reply } = this.#surroundings
    if (this.#gone.signal.aborted) return
    if (!reply.sent) reply.hijack()
    performer.perform(answer, this.#response)
  }
}

/** GET and HEAD are forwarded without a body. */
function hasBody({ raw: { method, headers } }: FastifyRequest): boolean {
  if (method === 'GET' || method === 'HEAD') return false
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = headers
  return encoding !== undefined || Number(length) > 0
}

function requestHeaders({ raw }: FastifyRequest, { reads }: ForwardedRequest): IncomingHttpHeaders {
  const { 'content-length': length, ...others } = endToEnd(raw.headers)
  const isBodiless = raw.method === 'GET' || raw.method === 'HEAD' || length === undefined
  return {
    ...others,
    ...(isBodiless ? {} : { 'content-length': length }),
    ...(reads ? { 'accept-encoding': 'identity' } : {}),
  }
}

/** Each of several fields of one name: Node's own `headers` would join them, or keep the first. */
function allFields({ headersDistinct }: IncomingMessage): IncomingHttpHeaders {
  const fields = Object.entries(headersDistinct).map(([name, values = []]) => [
    name,
    values.length === 1 ? values[0] : values,
  ])
  return Object.fromEntries(fields) as IncomingHttpHeaders
}

/** Header fields that pass a proxy: hop-by-hop fields are removed (RFC 9110, section 7.6.1). */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Names in lower case. `Connection` may name more of them. */
function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const fields = (headers.connection ?? '').toLowerCase().split(',')
  const named = new Set(fields.map((field) => field.trim()))
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name) && !named.has(name)),
  )
}

type TargetBody =
  | { kind: 'text'; text: string }
  /**
   * The body is not UTF-8, too long, or cut off by the target. The part already read is put back at
   * its beginning.
   */
  | { kind: 'bytes'; bytes: AsyncIterable<Buffer> }

/** The most bytes of a body that are held in memory; a longer one is forwarded unchanged. */
const LONGEST_TEXT = 8 * 1024 * 1024

/** Never rejects: an error while reading occurs again where the body is forwarded. */
async function readTargetBody(stream: Readable): Promise<TargetBody> {
  const chunks: Buffer[] = []
  const rest = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  let bytes = 0
  try {
    while (bytes <= LONGEST_TEXT) {
      const next = await rest.next()
      if (next.done === true) return whole(Buffer.concat(chunks))
      chunks.push(next.value)
      bytes += next.value.length
    }
  } catch (error) {
    return { kind: 'bytes', bytes: broken(chunks, error) }
  }
  return { kind: 'bytes', bytes: joined(chunks, rest) }
}

function whole(body: Buffer): TargetBody {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
    return { kind: 'text', text }
  } catch {
    return { kind: 'bytes', bytes: joined([body]) }
  }
}

async function* joined(
  chunks: readonly Buffer[],
  rest?: AsyncIterator<Buffer>,
): AsyncGenerator<Buffer> {
  yield* chunks
  if (rest !== undefined) yield* { [Symbol.asyncIterator]: () => rest }
}

async function* broken(chunks: readonly Buffer[], error: unknown): AsyncGenerator<Buffer> {
  yield* chunks
  throw error
}

/** Header fields, names in lower case. */
type AnswerFields = Readonly<Record<string, number | string | string[] | undefined>>

/** The text is not compressed. */
function isPlain(headers: AnswerFields): boolean {
  return (headers['content-encoding'] ?? 'identity') === 'identity'
}

interface TextAnswer {
  /** Header fields of the request. */
  method: string
  status: number
  headers: AnswerFields
  text: string
}

/**
 * The length is that of what will be sent. `set-cookie` is left out, because two of them cannot
 * share a line.
 */
function contentOf({ method, status, headers, text }: TextAnswer): Content {
  const body = method === 'HEAD' || status === 204 || status === 304 ? null : text
  const fields: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name === 'set-cookie') continue
    if (name === 'content-length' && body !== null) continue
    fields[name] = Array.isArray(value) ? value.join(', ') : String(value)
  }
  return { status, headers: fields, body, json: parsedJson(text) }
}
