/**
 * The head of an answer in HTTP/1.1 (RFC 9112), read strictly: what two readers could interpret
 * differently is malformed.
 */

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
export function demandBegunHead(text: string): void {
  const begin = text.slice(0, VERSION.length)
  if (!VERSION.startsWith(begin)) {
    throw new MalformedAnswer('the answer does not begin with HTTP/1')
  }
  if (/(?:^|[^\r])\n/.test(text)) throw new MalformedAnswer('a line of the head ends without CR')
}

/** Parses header fields or trailers, one per line. Throws MalformedAnswer. */
export function readFields(lines: readonly string[]): Record<string, string> {
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
