/** Reads a request's body up to a limit that may change while the server runs. */
import type { Readable } from 'node:stream'

export interface ReadBody {
  text: string | null
  /** The body exceeds the limit: what was read is discarded, and the rest is drained unread. */
  oversize: boolean
}

export const NO_BODY: ReadBody = { text: null, oversize: false }
const OVERSIZE: ReadBody = { text: null, oversize: true }

/**
 * Calls `done` once, at the end of the body or as soon as it exceeds `limitBytes`; never if the
 * client disconnects first.
 */
export function readBody(
  stream: Readable,
  limitBytes: number,
  done: (body: ReadBody) => void,
): void {
  const chunks: Buffer[] = []
  let bytes = 0
  stream.on('data', (chunk: Buffer) => {
    if (bytes > limitBytes) return
    bytes += chunk.length
    if (bytes <= limitBytes) chunks.push(chunk)
    else done(OVERSIZE)
  })
  stream.on('end', () => {
    if (bytes <= limitBytes) done({ text: textOf(chunks), oversize: false })
  })
}

/** Most bodies come in one piece, which needs no copy. */
function textOf(chunks: Buffer[]): string {
  const whole = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
  return whole.toString('utf8')
}
