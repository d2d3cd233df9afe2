/**
 * A target that notes what reaches it, a proxy in front of it, and a client that tells how its
 * requests ended.
 */
import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, request } from 'undici'
import type { FakeProxy } from '../../../fake-crew/index.ts'
import { startFakeProxy } from '../../../fake-crew/index.ts'
import { written } from '../sample-profile.ts'

/** For a busy machine. */
export const PATIENT = { timeout: 10_000, interval: 10 }

export type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void

interface Seen {
  method: string
  url: string
  headers: IncomingHttpHeaders
  rawHeaders: string[]
  body: string
}

export interface Target extends AsyncDisposable {
  url: string
  seen: Seen[]
  /** Requests whose connection went before their answer was out. */
  cancelled: number
}

const RUNNING = { status: 'running', progress: { completed_tasks: 0, total_tasks: 2 } }

/** A crew of few words: each kickoff gets an id, and runs for ever. */
export function crewOfFewWords(): Handler {
  let kickoffs = 0
  return ({ method, url = '' }, response) => {
    response.setHeader('content-type', 'application/json')
    if (method === 'POST') response.end(`{"kickoff_id":"id-${kickoffs++}"}`)
    else if (url.startsWith('/status/id-')) response.end(JSON.stringify(RUNNING))
    else response.writeHead(404).end('{}')
  }
}

export async function startTarget(handler: Handler = crewOfFewWords()): Promise<Target> {
  const seen: Seen[] = []
  const server = createServer((incoming, response) => {
    const { method = '', url = '', headers, rawHeaders } = incoming
    const chunks: Buffer[] = []
    const entry = { method, url, headers, rawHeaders, body: '' }
    seen.push(entry)
    response.once('close', () => {
      if (!response.writableFinished) target.cancelled++
    })
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.once('end', () => {
      entry.body = Buffer.concat(chunks).toString()
      handler(incoming, response, entry.body)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const target: Target = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    cancelled: 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return target
}

export interface Proxy extends FakeProxy, AsyncDisposable {}

/** `yaml`: limits and faults of the profile. */
export async function startProxy(target: string, yaml = ''): Promise<Proxy> {
  const profile = written(`tasks: [{ id: a, agent: A, duration: 1s }]\n${yaml}`)
  const proxy = await startFakeProxy({ target, profile })
  return { ...proxy, [Symbol.asyncDispose]: async () => proxy.stop() }
}

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

type Sent = NonNullable<Parameters<typeof request>[1]>

/** One connection of its own, kept alive. */
export class Client implements AsyncDisposable {
  readonly #agent = new Agent({ connections: 1, headersTimeout: 0, bodyTimeout: 0 })

  async ask(url: string, options: Sent = {}): Promise<Answer> {
    const headers = { authorization: 'Bearer secret', ...(options.headers as object) }
    const sent = { ...options, headers, dispatcher: this.#agent }
    const { statusCode, headers: told, body } = await request(url, sent)
    return { status: statusCode, headers: told, body: await body.text() }
  }

  /** The status, or how it broke off. */
  async outcome(url: string, options: Sent = {}): Promise<number | string> {
    try {
      return (await this.ask(url, options)).status
    } catch (error) {
      const { code, name } = error as NodeJS.ErrnoException
      return code ?? name
    }
  }

  async kickoff(url: string): Promise<Answer> {
    const headers = { 'content-type': 'application/json' }
    return this.ask(`${url}/kickoff`, {
      method: 'POST',
      headers,
      body: '{"inputs":{"topic":"","audience":""}}',
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy()
  }
}
