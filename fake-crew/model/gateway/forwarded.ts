/** A request that goes on to the target: what becomes of the answer on its way back. */
import type { Micros } from '../../../src/base/units.ts'
import type { Content, Reply } from '../exchange.ts'
import type { Headers } from '../limits/header-dialects/dialect.ts'

/** Exactly one of the three ways back is to be taken, once; none when the client has gone. */
export interface WaysBack {
  /** The answer goes on as it comes, with these headers set. */
  passes(status: number, nowMicros: Micros): Headers
  /** The answer is here, whole and as text: what is sent in its place. */
  replies(content: Content, nowMicros: Micros): Reply
  /** There is none; `why` stands in a sentence. */
  fails(why: string, nowMicros: Micros): Reply
}

export class ForwardedRequest {
  /**
   * The answer is wanted whole and as text, for `replies`; where it is no text or too long, it
   * passes.
   */
  readonly reads: boolean
  readonly back: WaysBack

  constructor(reads: boolean, back: WaysBack) {
    this.reads = reads
    this.back = back
  }
}
