/**
 * The connections of a proxy to its target: HTTP/1.1, with verified certificates, no retries, and
 * cancelled with the client.
 *
 * Node's own client, because undici 7 ends a connection on `100 Continue`, and on a 304 that has
 * the `Content-Length` of the 200 (RFC 9110, sections 15.2 and 8.6 allow both).
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http'
import { Agent, request as plainRequest } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream'
import type { Dispatcher } from 'undici'

/** What @fastify/reply-from does not pass on to a request's dispatcher. */
export interface ForwardingContext {
  /** The target's path as received, not as a URL would normalise it. */
  path: string
  /** The client has disconnected. */
  signal: AbortSignal
  /** Receives each answer that precedes the final one (1xx). */
  onInterim: (status: number, headers: IncomingHttpHeaders) => void
}

/** reply-from's own form of an answer. */
interface ForwardedAnswer {
  statusCode: number
  headers: IncomingHttpHeaders
  body: Readable
}

type AgentDone = (error: Error | null, answer?: ForwardedAnswer) => void

export class TargetAgent {
  /** How long a target may take is for the client to decide. */
  readonly #plain = new Agent({ keepAlive: true })
  readonly #secure = new SecureAgent({ keepAlive: true })
  readonly #journeys = new AsyncLocalStorage<ForwardingContext>()

  /** Our own agents verify certificates; those that reply-from creates would not. */
  readonly dispatcher = {
    request: ((asked: Dispatcher.RequestOptions, done: AgentDone) =>
      this.#request(asked, done)) as unknown as Dispatcher['request'],
  }

  travel(journey: ForwardingContext, act: () => void): void {
    this.#journeys.run(journey, act)
  }

  close(): void {
    this.#plain.destroy()
    this.#secure.destroy()
    // Until then, Node calls a hook for each promise of the process.
    this.#journeys.disable()
  }

  #request({ origin, method, headers, body }: Dispatcher.RequestOptions, done: AgentDone): void {
    const { path, signal, onInterim } = this.#journeys.getStore()!
    const isSecure = String(origin).startsWith('https:')
    const options: RequestOptions = {
      method,
      path,
      signal,
      headers: defined(headers as IncomingHttpHeaders),
      agent: isSecure ? this.#secure : this.#plain,
    }
    const sent = (isSecure ? secureRequest : plainRequest)(String(origin), options)
    sent.on('information', (answer) => onInterim(answer.statusCode, answer.headers))
    sent.once('response', (answer: IncomingMessage) => {
      const statusCode = answer.statusCode ?? 0
      done(null, { statusCode, headers: allFields(answer), body: answer })
    })
    sent.on('error', (error) => done(error))
    if (isReadable(body)) pipeline(body, sent, () => {})
    else sent.end(body as string | Uint8Array | null | undefined)
  }
}

function isReadable(body: unknown): body is Readable {
  return typeof (body as Readable | null | undefined)?.pipe === 'function'
}

function defined(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined))
}

/** Each of several fields of one name: Node's own `headers` would join them, or keep the first. */
function allFields({ headersDistinct }: IncomingMessage): IncomingHttpHeaders {
  const fields = Object.entries(headersDistinct).map(([name, values = []]) => [
    name,
    values.length === 1 ? values[0] : values,
  ])
  return Object.fromEntries(fields) as IncomingHttpHeaders
}
