/** Targets on loopback for tests: a fake crew, and a server that is none. */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startFakeCrew } from '../../fake-crew/index.ts'
import { startFakeProxy } from '../../fake-crew/proxy.ts'

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
