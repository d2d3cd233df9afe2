/** Reads a request's body up to a limit that may change while the server runs. */
import type { IncomingMessage } from 'node:http'

export interface ReadBody {
  text: string | null
  /** It is longer than the limit: what was read is thrown away, what follows is drained unread. */
  oversize: boolean
}

export const NO_BODY: ReadBody = { text: null, oversize: false }
const OVERSIZE: ReadBody = { text: null, oversize: true }

/** Calls `done` once, at the end of the body or as soon as it passes `limitBytes`; never when the client goes away first. */
export function readBody(
  stream: IncomingMessage,
  limitBytes: number,
  done: (body: ReadBody) => void,
): void {
  const chunks: Buffer[] = []
  let bytes = 0
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length
    if (bytes <= limitBytes) chunks.push(chunk)
    else finish(OVERSIZE)
  }
  const onEnd = (): void =>
    finish({ text: Buffer.concat(chunks).toString('utf8'), oversize: false })
  const finish = (body: ReadBody): void => {
    stream.off('data', onData).off('end', onEnd)
    stream.resume()
    done(body)
  }
  stream.on('data', onData).on('end', onEnd)
}
