/** Listens for the pushes of a run. Nothing that arrives can stop it. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isIPv6 } from 'node:net'
import { UserError } from '../../base/mistakes.ts'
import type { Micros } from '../../base/units.ts'
import { SIGNATURE_BEGINS, SIGNATURE_HEADER, TIMESTAMP_HEADER } from '../../crew/push.ts'
import type { PushLine } from '../../execution/record/journal-lines.ts'
import type { WebhooksPlan } from '../../scenario/plan.ts'
import { pushLines, refusedPush, statusOf } from '../pushes.ts'

/** Larger than any output of a task that was seen in the field. */
const MOST_BYTES = 8 * 1024 * 1024

export interface PushListener {
  /** Where the crew reaches it, without a trailing slash. */
  url: string
  /** The bearer token that it asks of streamed events. */
  token: string
  /** The lines of what arrives from now on go there; before, they are dropped. */
  receive: (now: () => Micros, emit: (line: PushLine) => void) => void
  close(): Promise<void>
}

/**
 * Throws UserError if the address is unavailable. `secret`: the key of signatures, or null.
 * `checksToken`: whether streamed events must carry its token.
 */
export async function listenForPushes(
  { host, port, publicUrl }: WebhooksPlan,
  secret: string | null,
  checksToken: boolean,
): Promise<PushListener> {
  const token = randomBytes(16).toString('hex')
  const inbox: Inbox = { token: checksToken ? token : null, secret, now: () => 0, emit: () => {} }
  const server = createServer({ requestTimeout: 30_000 }, (request, response) => {
    void answer(inbox, request, response)
  })
  server.on('clientError', (_, socket) => void socket.destroy())
  await new Promise<void>((resolve, reject) => {
    server.once('error', ({ message }) => {
      const problem = `cannot listen: ${message}`
      reject(new UserError({ source: 'webhooks', path: 'listen', problem }))
    })
    server.listen(port, host, resolve)
  })
  const { port: chosen } = server.address() as AddressInfo
  const here = `http://${isIPv6(host) ? `[${host}]` : host}:${chosen}`
  return {
    url: (publicUrl ?? here).replace(/\/$/, ''),
    token,
    receive(now, emit) {
      inbox.now = now
      inbox.emit = emit
    },
    async close() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

interface Inbox {
  token: string | null
  secret: string | null
  now: () => Micros
  emit: (line: PushLine) => void
}

async function answer(
  { token, secret, now, emit }: Inbox,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await bodyOf(request)
  const atMicros = Math.max(0, now())
  if (typeof body !== 'string') {
    emit(refusedPush(body.fault, atMicros))
    response.writeHead(413, { connection: 'close' }).end()
    return
  }
  const lines =
    request.method === 'POST'
      ? pushLines(
          {
            path: /\/[^/?#]*(?=\?|#|$)/.exec(request.url ?? '')?.[0] ?? '',
            body,
            bearer: /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? null,
            isSigned: secret === null ? null : isSigned(request, body, secret),
          },
          token,
          atMicros,
        )
      : [refusedPush('unknown-path', atMicros)]
  for (const line of lines) emit(line)
  response.writeHead(statusOf(lines)).end()
}

/** A body that is too large is not read to its end. */
async function bodyOf(request: IncomingMessage): Promise<string | { fault: 'too-large' | 'cut' }> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > MOST_BYTES) return { fault: 'too-large' }
      chunks.push(chunk)
    }
  } catch {
    return { fault: 'cut' }
  }
  return Buffer.concat(chunks).toString('utf8')
}

function isSigned({ headers }: IncomingMessage, body: string, secret: string): boolean {
  const signed = `${String(headers[TIMESTAMP_HEADER])}.${body}`
  const digest = createHmac('sha256', secret).update(signed).digest('hex')
  const expected = Buffer.from(SIGNATURE_BEGINS + digest)
  const found = Buffer.from(String(headers[SIGNATURE_HEADER]))
  return found.length === expected.length && timingSafeEqual(found, expected)
}
