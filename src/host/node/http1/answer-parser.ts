/**
 * Parses HTTP/1.1 answers from the bytes of a connection, as a state machine: it expects one answer
 * to each request, in pieces of any size.
 */
import { unreachable } from '../../../base/assert.ts'
import { demandBegunHead, MalformedAnswer, readFields } from './head.ts'
import type { Head, HeadReader } from './head.ts'

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
