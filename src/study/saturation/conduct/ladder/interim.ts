/**
 * Makes autocannon pass over interim answers: it takes a `100 Continue` for the answer itself, and
 * the answer for that to the next request (RFC 9110, section 15.2).
 */

type Handler = (...given: unknown[]) => unknown

/** The parts of http-parser-js that autocannon's client sets and calls. */
interface Parser {
  constructor: { kOnHeadersComplete: number; kOnMessageComplete: number }
  [event: number]: Handler
}

const SWITCHING_PROTOCOLS = 101

/** To be called in `setupClient`, before the client sets its handlers. */
export function passOverInterim(client: object): void {
  const { parser } = client as { parser: Parser }
  const { kOnHeadersComplete, kOnMessageComplete } = parser.constructor
  let isInterim = false
  wrap(parser, kOnHeadersComplete, (handler) => (head) => {
    const { statusCode } = head as { statusCode: number }
    isInterim = statusCode < 200 && statusCode !== SWITCHING_PROTOCOLS
    return isInterim ? undefined : handler(head)
  })
  wrap(parser, kOnMessageComplete, (handler) => () => (isInterim ? undefined : handler()))
}

/** The handler that will be set for an event is called through `around`. */
function wrap(parser: Parser, event: number, around: (handler: Handler) => Handler): void {
  let wrapped: Handler | undefined
  Object.defineProperty(parser, event, {
    get: () => wrapped,
    set: (handler: Handler) => {
      wrapped = around(handler)
    },
  })
}
