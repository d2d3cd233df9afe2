/**
 * A request to the fake crew and its reply, independent of sockets: a server sends them, virtual
 * time simulates them.
 */
import type { Operation } from '../../src/crew/answer.ts'
import type { Micros } from '../../src/base/units.ts'

export interface FakeRequest {
  method: string
  /** The request's target as received, including the query: `/status/<id>`. */
  path: string
  /** Header names are in lower case. */
  headers: Readonly<Record<string, string | undefined>>
  /** Null for no body. */
  body: string | null
  /** The host stopped reading a body beyond the profile's limit; `body` is then ignored. */
  oversize?: boolean
  /** The peer's address, by which limiters with `per: address` count. */
  address: string
  /** Time since the previous answer on the same connection; missing for the first request on it. */
  idleMicros?: Micros | undefined
  /**
   * The crew's own data, kept while it handles the request; the host neither reads nor writes it.
   */
  underway?: Underway | null
}

/**
 * When handling of a request began, and which operation it asks for. `other`: a path outside the
 * interface.
 */
interface Underway {
  operation: TrafficKind
  atMicros: Micros
}

export type TrafficKind = Operation | 'other'

/** Status, headers (lower-case names) and body of an answer. */
export interface Content {
  status: number
  headers: Readonly<Record<string, string>>
  /** Null for no body. A string is sent as UTF-8, with its length. */
  body: string | null
  /** The value that `body` is the JSON of, where there is one; for a host that needs no text. */
  json?: unknown
}

/** The way in which a reply reaches the client. */
export type Delivery =
  | { kind: 'whole' }
  /** No byte of it is sent. */
  | { kind: 'nothing'; ending: Ending }
  /** The head, which announces the full length, and the first `bytes` of the body. */
  | { kind: 'part'; bytes: number; ending: Ending }
  /** The whole reply is sent, followed by RST. */
  | { kind: 'whole-then-reset' }
  /** The head immediately, then the body in `pieces` of equal size, the last after `overMicros`. */
  | { kind: 'drip'; pieces: number; overMicros: Micros }

/** RST, FIN, or neither: the connection then stays open and silent. */
export type Ending = 'reset' | 'close' | 'open'

export interface Reply extends Content {
  /** Time from the request's arrival to the first byte of the answer. */
  delayMicros: Micros
  /** The part of the delay that faults added; missing if none. */
  addedMicros?: Micros
  delivery: Delivery
}

export const WHOLE: Delivery = { kind: 'whole' }

/** Content whose text is built only when it is needed. */
class LazyContent implements Content {
  readonly #content: Content

  constructor(content: Content) {
    this.#content = content
  }

  get status(): number {
    return this.#content.status
  }

  get headers(): Content['headers'] {
    return this.#content.headers
  }

  get body(): string | null {
    return this.#content.body
  }

  get json(): unknown {
    return this.#content.json
  }
}

export class ContentReply extends LazyContent implements Reply {
  readonly delayMicros: Micros
  readonly addedMicros: Micros
  readonly delivery: Delivery

  constructor(content: Content, delayMicros: Micros, delivery: Delivery, addedMicros = 0) {
    super(content)
    this.delayMicros = delayMicros
    this.addedMicros = addedMicros
    this.delivery = delivery
  }
}

/**
 * Not answered yet: the host waits and then asks for the reply. Until then, `Front.finished`
 * cancels the request.
 */
export class Held<Answered = Reply> {
  readonly holdMicros: Micros
  readonly reply: (nowMicros: Micros) => Answered

  constructor(holdMicros: Micros, reply: (nowMicros: Micros) => Answered) {
    this.holdMicros = holdMicros
    this.reply = reply
  }
}

/**
 * The result of a request to a crew: a reply now, or a wait, which may be followed by another wait.
 */
export type Answered = Reply | Held<Answered>

/** The same content with more headers; its text is still built only when needed. */
export function withHeaders(content: Content, headers: Content['headers']): Content {
  return new HeadedContent(content, headers)
}

class HeadedContent extends LazyContent {
  readonly #headers: Content['headers']

  constructor(content: Content, headers: Content['headers']) {
    super(content)
    // Nine times as fast as spreading both objects.
    this.#headers = Object.assign({}, content.headers, headers)
  }

  override get headers(): Content['headers'] {
    return this.#headers
  }
}

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' }

/** The text is built on first use and cached. */
class JsonContent implements Content {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly json: unknown
  #body: string | null = null

  constructor(status: number, headers: Readonly<Record<string, string>>, json: unknown) {
    this.status = status
    this.headers = headers
    this.json = json
  }

  get body(): string {
    return (this.#body ??= JSON.stringify(this.json))
  }
}

export function jsonContent(
  status: number,
  json: unknown,
  headers?: Readonly<Record<string, string>>,
): Content {
  return new JsonContent(status, jsonHeaders(headers), json)
}

/** `body` is already JSON. */
export function jsonTextContent(status: number, body: string): Content {
  return { status, headers: JSON_HEADERS, body }
}

function jsonHeaders(
  headers: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> {
  return headers === undefined ? JSON_HEADERS : { ...JSON_HEADERS, ...headers }
}
