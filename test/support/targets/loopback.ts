/** Targets on loopback for tests: a fake crew, and a server that is none. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startFakeCrew, startFakeProxy } from '../../../fake-crew/index.ts'

interface Target extends AsyncDisposable {
  url: string
}

export async function startedFakeCrew(): Promise<Target> {
  const crew = await startFakeCrew({ profile: 'fast' })
  return { url: crew.url, [Symbol.asyncDispose]: async () => crew.stop() }
}

export async function startedProxy(target: string): Promise<Target> {
  const proxy = await startFakeProxy({ target, profile: 'fast' })
  return { url: proxy.url, [Symbol.asyncDispose]: async () => proxy.stop() }
}

export type Answers = (request: IncomingMessage, response: ServerResponse) => void

const nothingThere: Answers = (_, response) => {
  response.writeHead(404).end()
}

/** `answers` replies to every request; `paths` are those that were asked for. */
export async function startedStub(
  answers: Answers = nothingThere,
): Promise<Target & { paths: readonly string[] }> {
  const paths: string[] = []
  const server = createServer((request, response) => {
    paths.push(request.url ?? '')
    answers(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    paths,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export interface CountingCrew extends Target {
  /** What each kickoff carried, in order. */
  bodies: readonly { inputs?: Record<string, unknown> }[]
}

/**
 * A crew that lists `listed`, answers 422 to kickoffs that lack one of `needed` (without their
 * names if it is `silent`), and completes every execution at once.
 */
export async function startedCrew(crew: {
  listed: readonly unknown[]
  needed: readonly string[]
  silent?: boolean
}): Promise<CountingCrew> {
  const bodies: CountingCrew['bodies'][number][] = []
  const answerOf = (url: string, body: string): [number, unknown] => {
    if (url === '/inputs') return [200, { inputs: crew.listed }]
    if (url.startsWith('/status/')) {
      return [200, { status: 'completed', result: { output: 'x', tasks: [] }, execution_time: 0 }]
    }
    if (url !== '/kickoff') return [404, { error: 'Not Found', message: 'no such path' }]
    const sent = JSON.parse(body) as CountingCrew['bodies'][number]
    bodies.push(sent)
    const missing = crew.needed.filter((name) => !(name in (sent.inputs ?? {})))
    if (missing.length === 0) return [200, { kickoff_id: randomUUID() }]
    const details = crew.silent === true ? {} : { details: { missing_inputs: missing } }
    return [422, { error: 'Validation Error', message: 'Missing required inputs', ...details }]
  }
  const stub = await startedStub((request, response) => {
    let body = ''
    request.on('data', (more: Buffer) => (body += more.toString()))
    request.on('end', () => {
      const [status, answer] = answerOf(request.url ?? '', body)
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer))
    })
  })
  return { ...stub, bodies }
}

/** One at which nobody listens: it was drawn, and given back. */
export async function freePort(): Promise<number> {
  await using stub = await startedStub()
  return Number(new URL(stub.url).port)
}
