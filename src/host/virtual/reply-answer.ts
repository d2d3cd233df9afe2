/** A complete answer in virtual time. */
import type { Content } from '../../../fake-crew/model/exchange.ts'
import type { Timing, WholeAnswer } from '../../crew/answer.ts'

/**
 * The reply as the client receives it; no text is built for a value that readers accept directly.
 */
export class ReplyAnswer implements WholeAnswer {
  readonly kind = 'answer'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly json: unknown
  readonly timing: Timing
  readonly #reply: Content

  constructor(reply: Content, headers: Readonly<Record<string, string>>, timing: Timing) {
    this.#reply = reply
    this.status = reply.status
    this.headers = headers
    this.json = reply.json
    this.timing = timing
  }

  get body(): string {
    return this.#reply.body ?? ''
  }
}
