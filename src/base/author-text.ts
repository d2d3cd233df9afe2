/** The text of a file that a user wrote: strictly UTF-8, with or without a byte order mark. */
import { UserError } from './mistakes.ts'

const LINE_FEED = 0x0a
const UTF_16_MARKS: readonly (readonly [number, number])[] = [
  [0xff, 0xfe],
  [0xfe, 0xff],
]

/**
 * Throws UserError, with the line, for bytes that are not UTF-8: replaced by U+FFFD, they would be
 * sent, and paid for.
 */
export function authorText(bytes: Uint8Array, source: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    if (isUtf16(bytes)) {
      throw new UserError({ source, problem: 'is UTF-16: save it as UTF-8' })
    }
    const { line, byte } = firstBadLine(bytes)
    const found = byte === null ? {} : { found: `byte 0x${byte.toString(16)}` }
    throw new UserError({ source, line, ...found, problem: NOT_UTF_8 })
  }
}

const NOT_UTF_8 = 'is not UTF-8 (Latin-1 or Windows-1252, perhaps): save it as UTF-8'

function isUtf16(bytes: Uint8Array): boolean {
  return UTF_16_MARKS.some(([first, second]) => bytes[0] === first && bytes[1] === second)
}

/** The first line that cannot be decoded, and its first byte beyond ASCII. */
function firstBadLine(bytes: Uint8Array): { line: number; byte: number | null } {
  let start = 0
  for (let line = 1; ; line++) {
    const end = bytes.indexOf(LINE_FEED, start)
    const part = bytes.subarray(start, end === -1 ? bytes.length : end)
    if (!isUtf8(part)) return { line, byte: part.find((byte) => byte > 0x7f) ?? null }
    if (end === -1) return { line, byte: null }
    start = end + 1
  }
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}
