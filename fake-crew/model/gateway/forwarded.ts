/** A request that is forwarded to the target: what happens to the answer on its way back. */
import type { Micros } from '../../../src/base/units.ts'
import type { Content, Reply } from '../exchange.ts'
import type { HeaderFields } from '../limits/headers.ts'

/** Exactly one of the three methods must be called, once; none if the client has disconnected. */
export interface AnswerHandlers {
  /** The answer passes unchanged except for these headers. */
  passes(status: number, nowMicros: Micros): HeaderFields
  /** The whole answer is here as text; returns what is sent in its place. */
  replies(content: Content, nowMicros: Micros): Reply
  /** There is no answer; `why` is a phrase within a sentence. */
  fails(why: string, nowMicros: Micros): Reply
}

export class ForwardedRequest {
  /**
   * Requests the whole answer as text, for `replies`; an answer that is not text or too long passes
   * unchanged.
   */
  readonly reads: boolean
  readonly back: AnswerHandlers

  constructor(reads: boolean, back: AnswerHandlers) {
    this.reads = reads
    this.back = back
  }
}
