/**
 * A target's answer as the model's content if its body is text; otherwise the body is forwarded
 * unchanged, byte for byte.
 */
import type { Readable } from 'node:stream'
import type { Content } from '../model/exchange.ts'

export type TargetBody =
  | { kind: 'text'; text: string }
  /**
   * The body is not UTF-8, too long, or cut off by the target. The part already read is put back at
   * its beginning.
   */
  | { kind: 'bytes'; bytes: AsyncIterable<Buffer> }

/** The most bytes of a body that are held in memory; a longer one is forwarded unchanged. */
const LONGEST_TEXT = 8 * 1024 * 1024

/** Never rejects: an error while reading occurs again where the body is forwarded. */
export async function readTargetBody(stream: Readable): Promise<TargetBody> {
  const chunks: Buffer[] = []
  const rest = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  let bytes = 0
  try {
    while (bytes <= LONGEST_TEXT) {
      const next = await rest.next()
      if (next.done === true) return whole(Buffer.concat(chunks))
      chunks.push(next.value)
      bytes += next.value.length
    }
  } catch (error) {
    return { kind: 'bytes', bytes: broken(chunks, error) }
  }
  return { kind: 'bytes', bytes: joined(chunks, rest) }
}

function whole(body: Buffer): TargetBody {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
    return { kind: 'text', text }
  } catch {
    return { kind: 'bytes', bytes: joined([body]) }
  }
}

async function* joined(
  chunks: readonly Buffer[],
  rest?: AsyncIterator<Buffer>,
): AsyncGenerator<Buffer> {
  yield* chunks
  if (rest !== undefined) yield* { [Symbol.asyncIterator]: () => rest }
}

async function* broken(chunks: readonly Buffer[], error: unknown): AsyncGenerator<Buffer> {
  yield* chunks
  throw error
}

/** Header fields, names in lower case. */
type AnswerFields = Readonly<Record<string, number | string | string[] | undefined>>

/** The text is not compressed. */
export function isPlain(headers: AnswerFields): boolean {
  return (headers['content-encoding'] ?? 'identity') === 'identity'
}

export interface TextAnswer {
  /** Header fields of the request. */
  method: string
  status: number
  headers: AnswerFields
  text: string
}

/**
 * The length is that of what will be sent. `set-cookie` is left out, because two of them cannot
 * share a line.
 */
export function contentOf({ method, status, headers, text }: TextAnswer): Content {
  const body = method === 'HEAD' || status === 204 || status === 304 ? null : text
  const told: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name === 'set-cookie') continue
    if (name === 'content-length' && body !== null) continue
    told[name] = Array.isArray(value) ? value.join(', ') : String(value)
  }
  return { status, headers: told, body, json: jsonOf(text) }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
