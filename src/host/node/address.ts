/** Where requests go and what all of them carry: base URL, token, headers. */
import type { CrewRequest } from '../../crew/answer.ts'
import type { HeaderOptions } from '../headers.ts'
import { dealt, demandSendable, headersByToken } from '../headers.ts'
import type { Proxy } from './proxy.ts'

export interface AddressOptions extends HeaderOptions {
  target: URL
  proxy: Proxy | null
}

type HeaderList = readonly string[]

/**
 * Throws UserError for headers and tokens that cannot be sent; the message does not repeat a token.
 */
export class Address {
  /** Scheme, host and port of the target. */
  readonly origin: string
  readonly #prefix: string
  readonly #get: readonly HeaderList[]
  readonly #post: readonly HeaderList[]

  constructor(options: AddressOptions) {
    demandSendable(options)
    this.origin = options.target.origin
    const path = options.target.pathname.replace(/\/+$/, '')
    const forwarder = options.target.protocol === 'http:' ? options.proxy : null
    this.#prefix = forwarder === null ? path : this.origin + path
    const proxyAuthorization = forwarder?.authorization ?? null
    const forProxy =
      proxyAuthorization === null ? {} : { 'proxy-authorization': proxyAuthorization }
    const listsOf = (method: CrewRequest['method']): HeaderList[] =>
      headersByToken(options, method).map((headers) =>
        Object.entries(Object.assign(headers, forProxy)).flat(),
      )
    this.#get = listsOf('GET')
    this.#post = listsOf('POST')
  }

  /** As in the request line: absolute if a proxy forwards the request (RFC 9112, section 3.2.2). */
  path(request: CrewRequest): string {
    return this.#prefix + request.path
  }

  /** Names and values alternating, as undici takes them. */
  headers(request: CrewRequest): string[] {
    const lists = request.method === 'GET' ? this.#get : this.#post
    return [...(dealt(lists, request) ?? []), 'x-correlation-id', request.correlation]
  }
}
