/** The interface of what serves all paths outside `/__fake__/`: a crew or a proxy. */
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { LedgerRow } from '../../src/crew/ledger.ts'
import type { Micros } from '../../src/base/units.ts'
import type { FakeRequest } from '../model/exchange.ts'
import type { LiveModel } from './live-model.ts'
import type { ReplySender } from './reply-sender.ts'

/** What the crew's body parser returns. */
export interface ReadBody {
  text: string | null
  oversize: boolean
}

const NO_BODY: ReadBody = { text: null, oversize: false }

export interface Backend {
  readonly live: LiveModel
  /** Null if there is none. */
  readonly ledger: (() => Iterable<LedgerRow>) | null
  /** The base URL to which requests are passed on; null for a crew. */
  readonly forwardsTo: string | null
  /** A request must have arrived completely by then, or gets 408; 0 for no limit. */
  readonly requestTimeoutMs: number
  /** Body parsers and additional paths. */
  furnish(app: FastifyInstance): void
  answer(request: FastifyRequest, reply: FastifyReply, performer: ReplySender): void
  /**
   * The framework cannot decode the path; nothing that has been added to its replies is available
   * here.
   */
  answerUndecoded(request: FastifyRequest, reply: FastifyReply, performer: ReplySender): void
}

/** When a connection's last answer was sent, on the model's clock. */
const answeredMicros = new WeakMap<Socket, Micros>()

/**
 * The request as the model sees it. `gone` is called when its answer has been sent or its client
 * has disconnected.
 */
export function arrival(
  { raw, body }: FastifyRequest,
  { raw: response }: FastifyReply,
  live: LiveModel,
  gone: (asked: FakeRequest, nowMicros: Micros) => void,
): FakeRequest {
  const { method = 'GET', url = '/', headers, socket } = raw
  const { text, oversize } = isRead(body) ? body : NO_BODY
  const since = answeredMicros.get(socket)
  const asked: FakeRequest = {
    method,
    path: url,
    headers: headers as FakeRequest['headers'],
    body: text,
    oversize,
    address: socket.remoteAddress ?? '',
    idleMicros: since === undefined ? undefined : live.nowMicros() - since,
  }
  response.on('close', () => {
    const nowMicros = live.nowMicros()
    gone(asked, nowMicros)
    answeredMicros.set(socket, nowMicros)
  })
  return asked
}

/** The result of the crew's body parser; a proxy leaves bodies unread. */
function isRead(body: unknown): body is ReadBody {
  return typeof body === 'object' && body !== null && 'oversize' in body
}
