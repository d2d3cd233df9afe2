/**
 * Makes the reply to a request of its answer: applies faults and HEAD, and records what was sent.
 */
import type { Micros } from '../../src/base/units.ts'
import { utf8Length } from '../../src/base/utf8.ts'
import type { Content, Reply } from './exchange.ts'
import { ContentReply, WHOLE } from './exchange.ts'
import type { FaultSet } from './faults/faults.ts'
import type { StruckCall } from './faults/strike.ts'
import type { RequestTraffic } from './records/traffic.ts'

export class ReplyBuilder {
  readonly #traffic: RequestTraffic
  readonly #faults: FaultSet
  readonly #idOf: (ordinal: number) => string

  /** `idOf`: returns the true id of an execution. */
  constructor(traffic: RequestTraffic, faults: FaultSet, idOf: (ordinal: number) => string) {
    this.#traffic = traffic
    this.#faults = faults
    this.#idOf = idOf
  }

  /**
   * The request arrived at `arrivedMicros`; `delayMicros` is how long the answer takes without any
   * fault.
   */
  reply(content: Content, call: StruckCall, delayMicros: Micros, arrivedMicros: Micros): Reply {
    const { request, route, strike } = call
    const told = strike === null ? content : strike.content(content)
    this.#traffic.begin(request, route?.operation ?? 'other', told.status, arrivedMicros)
    const sent = request.method === 'HEAD' ? withoutBody(told) : told
    if (strike === null) return new ContentReply(sent, delayMicros, WHOLE)
    const reply = strike.reply(sent, delayMicros)
    const { ordinal } = strike
    this.#faults.mark(strike, call, ordinal === undefined ? null : this.#idOf(ordinal))
    return reply
  }
}

/** The answer to HEAD: the headers of GET, including its length (RFC 9110, section 9.3.2). */
function withoutBody({ status, headers, body }: Content): Content {
  if (body === null) return { status, headers, body }
  const length = String(utf8Length(body))
  return { status, headers: { ...headers, 'content-length': length }, body: null }
}
