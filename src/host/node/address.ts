/** Where requests go and what all of them carry: base URL, token, headers. */
import type { CrewRequest } from '../../crew/answer.ts'
import type { HeaderOptions } from '../headers.ts'
import { traceparentOf } from '../telemetry/trace-context.ts'
import { dealt, demandSendable, headersByToken, tracedShare } from '../headers.ts'
import type { Proxy } from './proxy.ts'

export interface AddressOptions extends HeaderOptions {
  target: URL
  proxy: Proxy | null
  /** The share of executions whose requests say that they belong to a trace. Default 0. */
  traces?: number
}

/** RFC 9112, section 3.2: nothing that would end the request target or the line. */
const REQUEST_TARGET = /^[\x21-\x7e]+$/
const FIELD_VALUE = /^[\t\x20-\x7e]*$/

/**
 * Throws UserError for headers and tokens that cannot be sent; the message does not repeat a token.
 */
export class Address {
  /** Before the path of a request: absolute if a proxy forwards it (RFC 9112, section 3.2.2). */
  readonly #prefix: string
  /** The version and the fields that all requests with a token have, up to the next field. */
  readonly #get: readonly string[]
  readonly #post: readonly string[]
  readonly #traces: number

  constructor(options: AddressOptions) {
    demandSendable(options)
    this.#traces = tracedShare(options)
    const { target } = options
    const path = target.pathname.replace(/(?<!\/)\/+$/, '')
    const forwarder = target.protocol === 'http:' ? options.proxy : null
    this.#prefix = forwarder === null ? path : target.origin + path
    const authorization = forwarder?.authorization ?? null
    const forProxy = authorization === null ? {} : { 'proxy-authorization': authorization }
    const fieldsOf = (method: CrewRequest['method']): string[] =>
      headersByToken(options, method).map((headers) =>
        fields({ host: target.host, connection: 'keep-alive', ...headers, ...forProxy }),
      )
    this.#get = fieldsOf('GET')
    this.#post = fieldsOf('POST')
  }

  /**
   * The request as it is written on a connection: ASCII up to the body, which is UTF-8. Null if its
   * path or its correlation id cannot be part of a request.
   */
  write(request: CrewRequest): string | null {
    const { method, path, body, correlation } = request
    if (!REQUEST_TARGET.test(path) || !FIELD_VALUE.test(correlation)) return null
    const shared = dealt(method === 'GET' ? this.#get : this.#post, request) ?? ''
    const begin = `${method} ${this.#prefix}${path} HTTP/1.1\r\n${shared}`
    const traceparent = traceparentOf(request, this.#traces)
    const traced = traceparent === null ? '' : `traceparent: ${traceparent}\r\n`
    const last = `x-correlation-id: ${correlation}\r\n${traced}`
    if (method === 'GET') return `${begin}${last}\r\n`
    const text = body ?? ''
    return `${begin}${last}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
  }
}

function fields(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
}
