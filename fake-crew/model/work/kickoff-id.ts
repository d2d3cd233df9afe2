/**
 * Kickoff ids: a keyed permutation of the ordinal in the form of a UUID v4, so that decoding one
 * needs no look-up.
 */
import type { Random } from '../../../src/base/random.ts'
import { fmix32 } from '../../../src/base/random.ts'

export interface KickoffIdCode {
  /** `ordinal` from 0 to 2^48 - 1; in lower case. */
  idOf(ordinal: number): string
  /** Undefined for an id that this key never issued; case is ignored. */
  ordinalOf(id: string): number | undefined
}

const ROUNDS = 4
const HALF = 0x100_0000
const HALF_MASK = HALF - 1
/**
 * Version and variant are fixed; the last 48 bits are the permuted ordinal, the other 74 a keyed
 * tag of it.
 */
const LENGTH = 36
const HYPHENS = [8, 13, 18, 23]
const HYPHEN = 0x2d

/**
 * The permutation is a Feistel network of four rounds over two halves of 24 bits (Luby and Rackoff,
 * 1988, with `fmix32` as the round function: it hides the order from a reader, but it is not
 * cryptography).
 */
export function createKickoffIds(random: Random): KickoffIdCode {
  const keys = Array.from({ length: ROUNDS }, (_, round) => random.fork('round', round).bits())
  const [keyA, keyB, keyC] = [0, 1, 2].map((word) => random.fork('tag', word).bits())

  /**
   * The characters of the id that is written. An id that is made at once is one piece of memory:
   * put together from parts, it would keep all of them as long as it is kept itself.
   */
  const codes = Array.from({ length: LENGTH }, () => HYPHEN)

  /** The first four groups of digits, as numbers. */
  function tagOf(left: number, right: number): [number, number, number, number] {
    const a = mix(keyA!, left, right)
    const b = mix(keyB!, left, right)
    const c = mix(keyC!, left, right)
    return [a, b >>> 16, 0x4000 | (c & 0xfff), 0x8000 | ((c >>> 12) & 0x3fff)]
  }

  function idOf(ordinal: number): string {
    let left = Math.floor(ordinal / HALF) & HALF_MASK
    let right = ordinal & HALF_MASK
    for (const key of keys) [left, right] = [right, left ^ (fmix32(right ^ key) & HALF_MASK)]
    const [a, b, c, d] = tagOf(left, right)
    write(codes, a, 0, 8)
    write(codes, b, 9, 4)
    write(codes, c, 14, 4)
    write(codes, d, 19, 4)
    write(codes, left, 24, 6)
    write(codes, right, 30, 6)
    return String.fromCharCode(...codes)
  }

  function ordinalOf(id: string): number | undefined {
    if (id.length !== LENGTH || !hasHyphens(id)) return undefined
    let left = (digitsAt(id, 24, 2) << 16) | digitsAt(id, 26, 4)
    let right = (digitsAt(id, 30, 2) << 16) | digitsAt(id, 32, 4)
    if (left < 0 || right < 0) return undefined
    const [a, b, c, d] = tagOf(left, right)
    const isOurs =
      digitsAt(id, 0, 4) === a >>> 16 &&
      digitsAt(id, 4, 4) === (a & 0xffff) &&
      digitsAt(id, 9, 4) === b &&
      digitsAt(id, 14, 4) === c &&
      digitsAt(id, 19, 4) === d
    if (!isOurs) return undefined
    for (let round = ROUNDS - 1; round >= 0; round--) {
      const before = left
      left = right ^ (fmix32(left ^ keys[round]!) & HALF_MASK)
      right = before
    }
    return left * HALF + right
  }

  return { idOf, ordinalOf }
}

function hasHyphens(id: string): boolean {
  for (let i = 0; i < HYPHENS.length; i++) {
    if (id.charCodeAt(HYPHENS[i]!) !== HYPHEN) return false
  }
  return true
}

function mix(key: number, left: number, right: number): number {
  return fmix32(fmix32(left ^ key) ^ right)
}

const DIGIT_CODES = Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0))

/** Uses a table: `toString(16)` with padding takes five times as long. */
function write(codes: number[], value: number, start: number, digits: number): void {
  for (let place = start + digits - 1, rest = value; place >= start; place--, rest >>>= 4) {
    codes[place] = DIGIT_CODES[rest & 0xf]!
  }
}

/** The value of each digit by character code; -1 for anything but a digit. */
const DIGITS = Int8Array.from({ length: 128 }, (_, code) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase()),
)

/**
 * Up to four hexadecimal digits in either case; negative if one of them is not a digit. Uses a
 * table: `parseInt` takes six times as long.
 */
function digitsAt(text: string, start: number, digits: number): number {
  let value = 0
  for (let place = start; place < start + digits; place++) {
    value = (value << 4) | (DIGITS[text.charCodeAt(place)] ?? -1)
  }
  return value
}
