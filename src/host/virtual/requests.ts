/**
 * Requests and answers as HTTP would carry them: what the client adds to requests, and the server
 * to answers.
 */
import type { Content, FakeRequest } from '../../../fake-crew/model/exchange.ts'
import type { CrewRequest } from '../../crew/answer.ts'
import type { Micros } from '../../base/units.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../base/units.ts'
import type { HeaderOptions } from '../headers.ts'
import { dealt, demandSendable, headersByToken } from '../headers.ts'

type Headers = Readonly<Record<string, string>>

const LOOPBACK = '127.0.0.1'

/** The client's side: the headers that every request carries. */
export class Client {
  readonly #get: readonly Headers[]
  readonly #post: readonly Headers[]

  /** Throws UserError for headers and tokens that cannot be sent. */
  constructor(options: HeaderOptions) {
    demandSendable(options)
    this.#get = headersByToken(options, 'GET').map(withCorrelation)
    this.#post = headersByToken(options, 'POST').map(withCorrelation)
  }

  /** `idleMicros`: of its connection, before the request. */
  fakeRequest(request: CrewRequest, idleMicros: Micros | undefined): FakeRequest {
    const { method, path, body, correlation } = request
    const template = dealt(method === 'GET' ? this.#get : this.#post, request)
    const headers = { ...template, 'x-correlation-id': correlation }
    return { method, path, headers, body, address: LOOPBACK, idleMicros, underway: null }
  }
}

/** A field to be overwritten: copying an object is forty times as fast as adding a field to one. */
function withCorrelation(headers: Record<string, string>): Headers {
  return Object.assign(headers, { 'x-correlation-id': '' })
}

/** The server's side: adds HTTP's `date` (RFC 9110, section 6.6.1), on the crew's wall clock. */
export class Server {
  readonly #anchorUnixMs: number
  #second = -1
  #date = ''
  /** Most replies share one headers object: it is dated once a second. */
  #dated = new Map<Headers, Headers>()

  constructor(anchorUnixMs: number) {
    this.#anchorUnixMs = anchorUnixMs
  }

  headers({ headers }: Content, nowMicros: Micros): Headers {
    const second = Math.floor(nowMicros / MICROS_PER_SECOND)
    if (second !== this.#second) this.#begin(second)
    const before = this.#dated.get(headers)
    if (before !== undefined) return before
    const dated = { date: this.#date, ...headers }
    this.#dated.set(headers, dated)
    return dated
  }

  #begin(second: number): void {
    this.#second = second
    const unixMs = this.#anchorUnixMs + (second * MICROS_PER_SECOND) / MICROS_PER_MS
    this.#date = new Date(unixMs).toUTCString()
    this.#dated = new Map()
  }
}
