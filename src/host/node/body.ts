/** Decodes the bytes of a body to its text: content codings within a limit, lenient UTF-8. */
import { brotliDecompress, gunzip, inflate } from 'node:zlib'

export type Decoded =
  | { kind: 'text'; text: string }
  /**
   * The decoded bytes exceed the limit: decoding stops, so a decompression bomb costs no more
   * memory than the limit.
   */
  | { kind: 'too-large' }
  | { kind: 'undecodable'; detail: string }

type Decoder = (
  bytes: Buffer,
  options: { maxOutputLength: number },
  done: (error: Error | null, plain: Buffer) => void,
) => void

const DECODERS = new Map<string, Decoder>([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['deflate', inflate],
  ['br', brotliDecompress],
])

/**
 * Joins chunks and decodes UTF-8: invalid bytes become U+FFFD, a byte order mark is removed (as in
 * the WHATWG's "UTF-8 decode").
 */
export function decodeText(chunks: readonly Buffer[]): string {
  const only = chunks.length === 1 ? chunks[0] : undefined
  const text = (only ?? Buffer.concat(chunks)).toString('utf8')
  return text.charCodeAt(0) === 0xfe_ff ? text.slice(1) : text
}

/**
 * True for a `content-encoding` that must be decoded; an unknown one is left unchanged, and the
 * reader finds it unreadable.
 */
export function isEncoded(contentEncoding: string | undefined): contentEncoding is string {
  return contentEncoding !== undefined && DECODERS.has(contentEncoding.trim().toLowerCase())
}

/**
 * Decodes one content coding off the event loop; crewload requests none, but a target may send one
 * all the same. `done` is called once, later.
 */
export function decodeBody(
  chunks: readonly Buffer[],
  contentEncoding: string,
  maxBytes: number,
  done: (decoded: Decoded) => void,
): void {
  const coding = contentEncoding.trim().toLowerCase()
  const decode = DECODERS.get(coding) ?? gunzip
  decode(Buffer.concat(chunks), { maxOutputLength: maxBytes }, (error, plain) => {
    if (error === null) return done({ kind: 'text', text: decodeText([plain]) })
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ERR_BUFFER_TOO_LARGE') return done({ kind: 'too-large' })
    done({ kind: 'undecodable', detail: `content-encoding ${coding}: ${code ?? error.message}` })
  })
}
