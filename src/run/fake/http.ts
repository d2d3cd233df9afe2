/**
 * Single requests to the control of a fake crew. Another service may answer there, so time, bytes
 * and the number of interim answers are each bounded, independently of one another.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { retryAfterMicros } from '../../crew/retry-after.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import { unixMs } from '../../host/node/clock.ts'

export interface FetchBounds {
  /** The time from the first byte sent to the last byte received. */
  timeMs: number
  /** Bytes of the body. */
  bytes: number
}

export interface Question {
  url: string
  method?: 'GET' | 'POST' | 'DELETE'
  /** Null sends no token. */
  token: string | null
  /** True once the crew is known to have ended: nothing is repeated then. Default: never. */
  isGone?: () => boolean
  /** Shared by the requests to one crew. Default: of this request alone. */
  patience?: Patience
  body?: string
}

/** `inVain`: connections were refused or cut to the end of it, and no answer came since. */
interface Patience {
  inVain: boolean
}

const MOST_LINE_CHARACTERS = 2 ** 20
/** Interim answers (1xx) before the final one. */
const MOST_INTERIM_ANSWERS = 10
/** A crew whose faults refuse or cut connections, or one that is just restarting. */
const PASSING: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE'])
/** A limiter in front of it, or a server that is overloaded. */
const LATER: ReadonlySet<number> = new Set([429, 503])
const PATIENCE_MS = 15_000
const PAUSE_MS = 100
const PAUSE_WHEN_LIMITED_MS = 1_000

/** The answer has another status than those expected. */
export class AnsweredOtherwise extends Error {
  readonly status: number
  /** The wait that the answer asks for; null when it asks for none. */
  readonly waitMs: number | null

  constructor(status: number, waitMs: number | null) {
    super(`answered ${status}${waitMs === null ? '' : `, retry after ${waitMs / 1_000} s`}`)
    this.status = status
    this.waitMs = waitMs
  }
}

/**
 * Returns what `read` makes of the answer's body. Throws AnsweredOtherwise for a status that is not
 * in `expected`, and an Error that says which bound was exceeded.
 */
export async function ask<Content>(
  question: Question,
  { timeMs, bytes }: FetchBounds,
  expected: readonly number[],
  read: (body: AsyncIterable<Buffer>, status: number) => Promise<Content>,
): Promise<Content> {
  const stop = new AbortController()
  const giveUp = (why: string): Error => {
    const error = new Error(why)
    stop.abort(error)
    return error
  }
  const exchange = async (): Promise<Content> => {
    const answer = await answerTo(question, stop.signal, giveUp)
    const status = answer.statusCode ?? 0
    if (!expected.includes(status)) {
      answer.destroy()
      throw new AnsweredOtherwise(status, waitMsOf(answer.headers))
    }
    const tooMany = (): Error => giveUp(`sent more than ${bytes} bytes`)
    return read(bounded(answer, bytes, tooMany), status)
  }
  return withDeadline(exchange(), timeMs, () => giveUp(`took longer than ${timeMs / 1_000} s`))
}

/** The head of the answer. Node's own client: to load another takes a twelfth of a second. */
async function answerTo(
  { url, method = 'GET', token, body }: Question,
  signal: AbortSignal,
  giveUp: (why: string) => Error,
): Promise<IncomingMessage> {
  const { request } = url.startsWith('https:')
    ? await import('node:https')
    : await import('node:http')
  return new Promise((resolve, reject) => {
    let interim = 0
    const headers = token === null ? {} : { authorization: `Bearer ${token}` }
    const sent = request(url, { method, headers })
    // Given the signal, Node destroys the socket with an error, which nobody hears once the whole
    // answer has arrived: the process would end.
    signal.addEventListener('abort', () => sent.destroy(), { once: true })
    sent.on('information', () => {
      if (++interim > MOST_INTERIM_ANSWERS) giveUp('sent too many interim answers')
    })
    sent.on('response', (answer) => resolve(answer.on('error', () => {})))
    sent.on('error', (error) => reject(signal.aborted ? signal.reason : error))
    sent.end(body)
  })
}

/**
 * A temporary fault must not cost the run its ledger: the request is repeated for 15 seconds. Once
 * nobody was there for so long, further requests are not repeated until one is answered.
 */
export async function patiently<Content>(
  { isGone = () => false, patience = { inVain: false } }: Question,
  tell: () => Promise<Content>,
): Promise<Content> {
  const until = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      const answer = await tell()
      patience.inVain = false
      return answer
    } catch (error) {
      const pauseMs = pauseAfter(error)
      if (isGone() || patience.inVain || pauseMs === null) throw error
      if (performance.now() + pauseMs > until) {
        patience.inVain = isPassing(error)
        throw error
      }
      await sleep(pauseMs)
    }
  }
}

/** The pause before the next attempt; null for a permanent failure. */
function pauseAfter(error: unknown): number | null {
  if (error instanceof AnsweredOtherwise) {
    return LATER.has(error.status) ? (error.waitMs ?? PAUSE_WHEN_LIMITED_MS) : null
  }
  return isPassing(error) ? PAUSE_MS : null
}

function isPassing(error: unknown): boolean {
  return PASSING.has((error as NodeJS.ErrnoException).code)
}

export async function textOfBody(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/** Throws for a line longer than any that a fake crew writes. */
export async function* linesOfBody(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MOST_LINE_CHARACTERS) throw new Error('sent a line without an end')
    yield* lines
  }
  yield rest
}

async function* bounded(
  body: AsyncIterable<Buffer>,
  mostBytes: number,
  tooMany: () => Error,
): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > mostBytes) throw tooMany()
    yield chunk
  }
}

/**
 * The HTTP client notices an abort only when it is connected, so its promise alone is not bounded.
 */
async function withDeadline<Content>(
  work: Promise<Content>,
  timeMs: number,
  overdue: () => Error,
): Promise<Content> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(overdue()), timeMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
    work.catch(() => {})
  }
}

function waitMsOf(headers: IncomingHttpHeaders): number | null {
  const fields = Object.entries(headers).map(([name, value]) => [name, String(value)])
  const micros = retryAfterMicros(Object.fromEntries(fields) as Record<string, string>, unixMs)
  return micros === null ? null : micros / MICROS_PER_MS
}
