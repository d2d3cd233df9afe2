/**
 * Parses HTTP/1.1 answers from the bytes of a connection, as a state machine: it expects one answer
 * to each request, in pieces of any size.
 */
import { unreachable } from '../../../base/assert.ts'

/** The way in which the end of the body is known (RFC 9112, section 6.3). */
type Framing = { kind: 'length'; bytes: number } | { kind: 'chunked' } | { kind: 'until-close' }

export interface Head {
  /** 100 to 999. */
  status: number
  /** Names in lower case, repeated fields joined by `, ` (RFC 9110, section 5.3), in Latin-1. */
  headers: Readonly<Record<string, string>>
  framing: Framing
  /** The connection can carry another exchange afterwards. */
  keepAlive: boolean
  /**
   * For how long the server keeps an idle connection, by its field `Keep-Alive`; null if it does
   * not say.
   */
  keepAliveMs: number | null
}

const NO_BODY: Framing = { kind: 'length', bytes: 0 }

/** The answer breaks HTTP/1.1; the message says where. */
export class MalformedAnswer extends Error {
  override name = 'MalformedAnswer'
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: .*)?$/
/** The beginning of every status line, for a line that is still incomplete. */
const VERSION = 'HTTP/1.'
/** RFC 9110, section 5.6.2. */
const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** RFC 9110, section 5.5: no control characters but the tab; bytes over 127 are opaque. */
const NOT_IN_A_VALUE = /[^\t\x20-\x7e\x80-\xff]/
const DIGITS = /^\d{1,15}$/
const KEEP_ALIVE_TIMEOUT = /(?:^|[\s,])timeout\s*=\s*"?(\d{1,9})/i

/**
 * `text`: from the status line to the last field, without the empty line. Throws MalformedAnswer.
 */
function readHead(text: string, isConnect: boolean): Head {
  const [statusLine = '', ...fields] = text.split('\r\n')
  const [, minor, digits] = STATUS_LINE.exec(statusLine) ?? []
  if (digits === undefined) throw new MalformedAnswer('the answer has no status line of HTTP/1.1')
  const status = Number(digits)
  const headers = readFields(fields)
  const opensTunnel = isConnect && status >= 200 && status < 300
  const framing: Framing = opensTunnel ? NO_BODY : framingOf(status, headers)
  const asked = headers['connection']?.toLowerCase() ?? ''
  const persistent = minor === '1' ? !asked.includes('close') : asked.includes('keep-alive')
  const [, seconds] = KEEP_ALIVE_TIMEOUT.exec(headers['keep-alive'] ?? '') ?? []
  return {
    status,
    headers,
    framing,
    keepAlive: persistent && framing.kind !== 'until-close',
    keepAliveMs: seconds === undefined ? null : Number(seconds) * 1_000,
  }
}

/** Throws MalformedAnswer for the beginning of a head that no further byte can make well-formed. */
function demandBegunHead(text: string): void {
  const begin = text.slice(0, VERSION.length)
  if (!VERSION.startsWith(begin)) {
    throw new MalformedAnswer('the answer does not begin with HTTP/1')
  }
  if (/(?:^|[^\r])\n/.test(text)) throw new MalformedAnswer('a line of the head ends without CR')
}

/** Parses header fields or trailers, one per line. Throws MalformedAnswer. */
function readFields(lines: readonly string[]): Record<string, string> {
  const headers = Object.create(null) as Record<string, string>
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(0, colon))
    if (!FIELD_NAME.test(name)) throw new MalformedAnswer('a header field has no valid name')
    const value = withoutSpaceAround(line, colon + 1)
    if (NOT_IN_A_VALUE.test(value)) {
      throw new MalformedAnswer('a header field holds a control character')
    }
    const key = name.toLowerCase()
    const before = headers[key]
    headers[key] = before === undefined ? value : `${before}, ${value}`
  }
  return headers
}

function withoutSpaceAround(line: string, from: number): string {
  let begin = from
  let end = line.length
  while (begin < end && isSpace(line.charCodeAt(begin))) begin++
  while (end > begin && isSpace(line.charCodeAt(end - 1))) end--
  return line.slice(begin, end)
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x09
}

function framingOf(status: number, headers: Readonly<Record<string, string>>): Framing {
  const coding = headers['transfer-encoding']
  const length = headers['content-length']
  if (length !== undefined && coding !== undefined) {
    throw new MalformedAnswer('the answer has both a content-length and a transfer-encoding')
  }
  if (length !== undefined && !DIGITS.test(length)) {
    throw new MalformedAnswer('the content-length is not one number')
  }
  if (status < 200 || status === 204 || status === 304) return NO_BODY
  if (coding !== undefined) {
    const isChunked = /(?:^|,)[\t ]*chunked$/i.test(coding)
    return isChunked ? { kind: 'chunked' } : { kind: 'until-close' }
  }
  return length === undefined ? { kind: 'until-close' } : { kind: 'length', bytes: Number(length) }
}

/**
 * Reads the heads of one target. The last one is cached, because nearly every head has the same
 * bytes as the one before it.
 */
export class HeadReader {
  #lastText = ''
  #last: Head | null = null
  readonly #isConnect: boolean

  /**
   * `isConnect`: the requests are CONNECT. What follows the head of a successful answer is then the
   * tunnel, whatever its fields say of a body (RFC 9112, section 6.3).
   */
  constructor(isConnect = false) {
    this.#isConnect = isConnect
  }

  /** Throws MalformedAnswer. */
  read(text: string): Head {
    if (this.#last !== null && text === this.#lastText) return this.#last
    this.#last = readHead(text, this.#isConnect)
    this.#lastText = text
    return this.#last
  }
}

/** Receives one answer. */
export interface AnswerSink {
  /** The first byte came. */
  onBegun(): void
  /** The final head was parsed; interim answers are not reported. */
  onHead(head: Head): void
  /** A part of the body came. Its bytes are not overwritten later. */
  onData(bytes: Buffer): void
  /**
   * `reusable`: the server keeps the connection open, and nothing followed the answer. The next
   * request may be written, and its answer expected, within this call.
   */
  onComplete(reusable: boolean): void
}

/**
 * Maximum bytes of an answer's head, and of its trailers; longer ones are malformed. Node's servers
 * accept 16 KiB, nginx's proxies 32 KiB.
 */
const MAX_HEAD_BYTES = 65_536
/** Maximum bytes of the line with a chunk's size; nobody sends extensions in it. */
const MAX_SIZE_LINE_BYTES = 4_096
/** Maximum interim answers (1xx) before the final one. */
const MAX_INTERIM_ANSWERS = 100

const END_OF_HEAD = Buffer.from('\r\n\r\n')
const END_OF_LINE = Buffer.from('\r\n')
/** A chunk's size by RFC 9112, section 7.1, without the "bad whitespace" (BWS) of its grammar. */
const CHUNK_SIZE =
  /^([\da-f]{1,12})(?:;[!#$%&'*+.^_`|~\w-]+(?:=(?:[!#$%&'*+.^_`|~\w-]+|"[\t !#-[\]-~]*"))?)*$/i
const BEGUN_CHUNK_SIZE = /^(?:[\da-f]{1,12}(?:;.*)?)?\r?$/i

type State =
  /** No answer is expected. */
  'idle' | 'head' | 'length' | 'until-close' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailers'

export class AnswerParser {
  readonly #heads: HeadReader
  #state: State = 'idle'
  #sink: AnswerSink | null = null
  #begun = false
  #interim = 0
  #keepAlive = false
  /** Bytes that are left of the body, or of the chunk. */
  #left = 0
  /** The begin of what can only be read whole: a head, a line, the trailers. */
  #kept: Buffer | null = null

  constructor(heads: HeadReader) {
    this.#heads = heads
  }

  /** A request was written: its answer goes to `sink`. */
  expect(sink: AnswerSink): void {
    this.#state = 'head'
    this.#sink = sink
    this.#begun = false
    this.#interim = 0
    this.#keepAlive = true
  }

  /**
   * Takes the next bytes of the connection. Throws MalformedAnswer: then the connection cannot be
   * used any more, and `push` must not be called again.
   */
  push(bytes: Buffer): void {
    if (!this.#begun) {
      this.#begun = true
      this.#sink?.onBegun()
    }
    let rest = bytes
    if (this.#kept !== null) {
      rest = Buffer.concat([this.#kept, bytes])
      this.#kept = null
    }
    while (rest.length > 0) {
      const used = this.#take(rest)
      if (used === 0) {
        this.#kept = rest
        return
      }
      rest = rest.subarray(used)
    }
  }

  /**
   * The server sends no more. True if that completed the answer; false if it came too early, or if
   * none was expected.
   */
  end(): boolean {
    if (this.#state !== 'until-close') return false
    this.#complete(false)
    return true
  }

  /** Returns how many of the bytes it has used; 0 if it needs more of them. */
  #take(bytes: Buffer): number {
    switch (this.#state) {
      case 'idle':
        throw new MalformedAnswer('the target sent bytes without a request')
      case 'head':
        return this.#takeHead(bytes)
      case 'length':
      case 'chunk':
        return this.#takeCounted(bytes)
      case 'until-close':
        this.#sink?.onData(bytes)
        return bytes.length
      case 'chunk-size':
        return this.#takeChunkSize(bytes)
      case 'chunk-end':
        return this.#takeChunkEnd(bytes)
      case 'trailers':
        return this.#takeTrailers(bytes)
      default:
        return unreachable(this.#state)
    }
  }

  #takeHead(bytes: Buffer): number {
    const end = bytes.indexOf(END_OF_HEAD)
    if ((end === -1 ? bytes.length : end) > MAX_HEAD_BYTES) {
      throw new MalformedAnswer(`the head of the answer is longer than ${MAX_HEAD_BYTES} bytes`)
    }
    if (end === -1) {
      demandBegunHead(bytes.toString('latin1'))
      return 0
    }
    const head = this.#heads.read(bytes.toString('latin1', 0, end))
    const used = end + END_OF_HEAD.length
    if (head.status < 200) {
      this.#passInterim(head)
      return used
    }
    this.#sink?.onHead(head)
    return this.#beginBody(head, bytes, used)
  }

  /**
   * RFC 9110, section 15.2: any number of 1xx answers may precede the final one, whether or not the
   * client expects them. Section 7.8: a server switches protocols only if the client asks for it.
   */
  #passInterim({ status, keepAlive }: Head): void {
    if (status === 101) throw new MalformedAnswer('the target switched protocols unasked')
    this.#keepAlive &&= keepAlive
    if (++this.#interim > MAX_INTERIM_ANSWERS) {
      throw new MalformedAnswer(`more than ${MAX_INTERIM_ANSWERS} interim answers`)
    }
  }

  #beginBody({ framing, keepAlive }: Head, bytes: Buffer, used: number): number {
    this.#keepAlive &&= keepAlive
    switch (framing.kind) {
      case 'chunked':
        this.#state = 'chunk-size'
        return used
      case 'until-close':
        this.#state = 'until-close'
        return used
      case 'length':
        if (framing.bytes === 0) return this.#finish(bytes, used)
        this.#state = 'length'
        this.#left = framing.bytes
        return used
      default:
        return unreachable(framing)
    }
  }

  #takeCounted(bytes: Buffer): number {
    const used = Math.min(this.#left, bytes.length)
    this.#left -= used
    this.#sink?.onData(used === bytes.length ? bytes : bytes.subarray(0, used))
    if (this.#left > 0) return used
    if (this.#state === 'length') return this.#finish(bytes, used)
    this.#state = 'chunk-end'
    return used
  }

  #takeChunkSize(bytes: Buffer): number {
    const end = bytes.indexOf(END_OF_LINE)
    if ((end === -1 ? bytes.length : end) > MAX_SIZE_LINE_BYTES) {
      throw new MalformedAnswer('the line with the size of a chunk is too long')
    }
    const line = bytes.toString('latin1', 0, end === -1 ? bytes.length : end)
    const [, digits] = CHUNK_SIZE.exec(line) ?? []
    if (end === -1 ? !BEGUN_CHUNK_SIZE.test(line) : digits === undefined) {
      throw new MalformedAnswer('the size of a chunk is not a hexadecimal number')
    }
    if (end === -1) return 0
    this.#left = Number.parseInt(digits!, 16)
    this.#state = this.#left === 0 ? 'trailers' : 'chunk'
    return end + END_OF_LINE.length
  }

  #takeChunkEnd(bytes: Buffer): number {
    const whole = bytes.length >= END_OF_LINE.length
    if (bytes[0] !== END_OF_LINE[0] || (whole && bytes[1] !== END_OF_LINE[1])) {
      throw new MalformedAnswer('a chunk is longer than its size')
    }
    if (!whole) return 0
    this.#state = 'chunk-size'
    return END_OF_LINE.length
  }

  /** Fields after the last chunk are checked, and not kept. */
  #takeTrailers(bytes: Buffer): number {
    if (bytes.indexOf(END_OF_LINE) === 0) return this.#finish(bytes, END_OF_LINE.length)
    const end = bytes.indexOf(END_OF_HEAD)
    if ((end === -1 ? bytes.length : end) > MAX_HEAD_BYTES) {
      throw new MalformedAnswer(`the trailers are longer than ${MAX_HEAD_BYTES} bytes`)
    }
    if (end === -1) return 0
    readFields(bytes.toString('latin1', 0, end).split('\r\n'))
    return this.#finish(bytes, end + END_OF_HEAD.length)
  }

  /**
   * The answer is complete. What follows it is thrown away with the connection, and never taken for
   * the answer to the next request.
   */
  #finish(bytes: Buffer, used: number): number {
    this.#complete(this.#keepAlive && used === bytes.length)
    return bytes.length
  }

  #complete(reusable: boolean): void {
    const sink = this.#sink
    this.#state = 'idle'
    this.#sink = null
    sink?.onComplete(reusable)
  }
}
