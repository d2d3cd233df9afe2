/**
 * Reads JSON as `JSON.stringify` writes it from bytes, in the order that the caller expects,
 * without the text in between. Whatever it does not expect makes it `lost`: the line is then for
 * `JSON.parse` to read.
 */

const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const COLON = 0x3a
const BACKSLASH = 0x5c
const SPACE = 0x20
const BEYOND_ASCII = 0x80
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_MAP = 0x7b
const CLOSE_MAP = 0x7d
const N = 0x6e
const T = 0x74

/** A whole number of at most this many decimal digits is exact in a double. */
const MOST_DIGITS = 15
/** A double holds these exactly, and the quotient of two such numbers is the nearest double. */
const POWERS = Array.from({ length: MOST_DIGITS + 1 }, (_, power) => 10 ** power)

const WORD_BYTES = 4

/** A text that is expected, of four bytes or more, in words: those overlap at its end. */
export interface Expected {
  readonly length: number
  readonly words: readonly number[]
  readonly last: number
}

export function expected(ascii: string): Expected {
  const bytes = Buffer.from(ascii, 'latin1')
  const words: number[] = []
  for (let at = 0; at + WORD_BYTES < bytes.length; at += WORD_BYTES)
    words.push(bytes.readInt32LE(at))
  return { length: bytes.length, words, last: bytes.readInt32LE(bytes.length - WORD_BYTES) }
}

const NULL = expected('null')
const TRUE = expected('true')
const FALSE = expected('false')

export class ByteCursor {
  /** Set once something unexpected was met; what is returned from then on means nothing. */
  lost = false
  at = 0
  #bytes: Buffer = Buffer.alloc(0)
  #view: DataView = new DataView(new ArrayBuffer(0))
  readonly #texts = new SharedTexts()

  begin(bytes: Buffer, at: number): void {
    if (bytes !== this.#bytes) {
      this.#bytes = bytes
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    }
    this.at = at
    this.lost = false
  }

  /** Passes over this very text. */
  skip({ length, words, last }: Expected): void {
    const view = this.#view
    const { at } = this
    if (at + length > view.byteLength) {
      this.lost = true
      return
    }
    for (let i = 0; i < words.length; i++) {
      if (view.getInt32(at + i * WORD_BYTES, true) !== words[i]) this.lost = true
    }
    if (view.getInt32(at + length - WORD_BYTES, true) !== last) this.lost = true
    this.at = at + length
  }

  /** Passes over the brace that ends an object. */
  close(): void {
    this.#pass(CLOSE_MAP)
  }

  whole(): number {
    const bytes = this.#bytes
    const isNegative = bytes[this.at] === MINUS
    const first = isNegative ? this.at + 1 : this.at
    let at = first
    let value = 0
    for (let digit = bytes[at]! - ZERO; digit >= 0 && digit <= 9; digit = bytes[++at]! - ZERO) {
      value = value * 10 + digit
    }
    const digits = at - first
    const isPadded = digits > 1 && bytes[first] === ZERO
    if (digits === 0 || digits > MOST_DIGITS || isPadded) this.lost = true
    if (isNegative && value === 0) this.lost = true
    this.at = at
    return isNegative ? -value : value
  }

  /** Reads a number without an exponent, or null. */
  numberOrNull(): number | null {
    if (this.wasNull()) return null
    const isNegative = this.#bytes[this.at] === MINUS
    if (isNegative) this.at++
    const first = this.at
    const value = this.whole()
    if (this.#bytes[first] === MINUS) this.lost = true
    const positive = this.#bytes[this.at] === POINT ? this.#withDecimals(value, first) : value
    if (isNegative && positive === 0) this.lost = true
    return isNegative ? -positive : positive
  }

  wholeOrNull(): number | null {
    return this.wasNull() ? null : this.whole()
  }

  isTrue(): boolean {
    const isTrue = this.#bytes[this.at] === T
    this.skip(isTrue ? TRUE : FALSE)
    return isTrue
  }

  /** Plain ASCII without escapes. */
  text(): string {
    const from = this.at + 1
    this.#passText()
    return this.lost ? '' : this.#bytes.toString('latin1', from, this.at - 1)
  }

  textOrNull(): string | null {
    return this.wasNull() ? null : this.text()
  }

  /** Reads what `text` reads, for one of few texts: it is the same string each time. */
  sharedText(): string {
    const from = this.at + 1
    const hash = this.#passText()
    return this.lost ? '' : this.#texts.at(this.#bytes, from, this.at - 1, hash)
  }

  sharedTextOrNull(): string | null {
    return this.wasNull() ? null : this.sharedText()
  }

  /** Whether a text begins here. */
  get isText(): boolean {
    return this.#bytes[this.at] === QUOTE
  }

  /** These two are nearly all lists: a call of `list` is not compiled into its loop. */
  wholes(): number[] {
    this.#pass(OPEN_LIST)
    if (this.#passed(CLOSE_LIST)) return []
    const list = [this.whole()]
    while (this.#passed(COMMA)) list.push(this.whole())
    this.#pass(CLOSE_LIST)
    return list
  }

  /** Each 0 or 1. */
  flags(): (0 | 1)[] {
    this.#pass(OPEN_LIST)
    if (this.#passed(CLOSE_LIST)) return []
    const list = [this.#flag()]
    while (this.#passed(COMMA)) list.push(this.#flag())
    this.#pass(CLOSE_LIST)
    return list
  }

  list<T>(one: (cursor: ByteCursor) => T): T[] {
    this.#pass(OPEN_LIST)
    if (this.#passed(CLOSE_LIST)) return []
    const list = [one(this)]
    while (this.#passed(COMMA)) list.push(one(this))
    this.#pass(CLOSE_LIST)
    return list
  }

  mapOf<T>(one: (cursor: ByteCursor) => T): Record<string, T> {
    const map: Record<string, T> = {}
    this.#pass(OPEN_MAP)
    if (this.#passed(CLOSE_MAP)) return map
    do {
      const key = this.sharedText()
      if (key === '__proto__') this.lost = true
      this.#pass(COLON)
      map[key] = one(this)
    } while (this.#passed(COMMA))
    this.#pass(CLOSE_MAP)
    return map
  }

  /** Passes over a `null`, if there is one. */
  wasNull(): boolean {
    if (this.#bytes[this.at] !== N) return false
    this.skip(NULL)
    return true
  }

  #flag(): 0 | 1 {
    const value = this.#bytes[this.at++]! - ZERO
    if (value === 0 || value === 1) return value
    this.lost = true
    return 0
  }

  #pass(byte: number): void {
    if (this.#bytes[this.at] === byte) this.at++
    else this.lost = true
  }

  #passed(byte: number): boolean {
    if (this.lost || this.#bytes[this.at] !== byte) return false
    this.at++
    return true
  }

  #withDecimals(whole: number, first: number): number {
    const bytes = this.#bytes
    const point = this.at
    let at = point + 1
    let value = whole
    for (let digit = bytes[at]! - ZERO; digit >= 0 && digit <= 9; digit = bytes[++at]! - ZERO) {
      value = value * 10 + digit
    }
    this.at = at
    const decimals = at - point - 1
    if (decimals === 0 || at - first - 1 > MOST_DIGITS) this.lost = true
    return this.lost ? 0 : value / POWERS[decimals]!
  }

  /** Moves behind the closing quote; returns a hash of the text that it passed. */
  #passText(): number {
    const bytes = this.#bytes
    let { at } = this
    let hash = 0
    if (bytes[at] === QUOTE) {
      for (let byte = bytes[++at]!; ; byte = bytes[++at]!) {
        if (byte === QUOTE) {
          this.at = at + 1
          return hash
        }
        if (byte === BACKSLASH || !(byte >= SPACE && byte < BEYOND_ASCII)) break
        hash = (Math.imul(hash, 31) + byte) | 0
      }
    }
    this.lost = true
    return hash
  }
}

/** A power of two. */
const PLACES = 1_024

/** Texts that occur again and again, by their bytes: the latest of each hash. */
class SharedTexts {
  readonly #texts = Array.from({ length: PLACES }, () => '')

  at(bytes: Buffer, from: number, to: number, hash: number): string {
    const place = hash & (PLACES - 1)
    const known = this.#texts[place]!
    if (isAt(bytes, from, to, known)) return known
    const text = bytes.toString('latin1', from, to)
    this.#texts[place] = text
    return text
  }
}

function isAt(bytes: Buffer, from: number, to: number, text: string): boolean {
  if (text.length !== to - from) return false
  for (let i = 0; i < text.length; i++) if (bytes[from + i] !== text.charCodeAt(i)) return false
  return true
}
