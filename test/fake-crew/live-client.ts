/** Crews that listen, and what a client asks of them. */
import type { IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { FakeCrew, FakeCrewOptions } from '../../fake-crew/index.ts'
import { startFakeCrew } from '../../fake-crew/index.ts'
import { INPUTS } from './client.ts'
import { SAMPLE } from './sample-profile.ts'

type Headers = Readonly<Record<string, string>>

/** Where requests go, with what all of them carry. */
export type Place = Pick<FakeCrew, 'url' | 'token'> & { headers?: Headers }

type Asked = Pick<RequestInit, 'method' | 'body' | 'signal'> & { headers?: Headers }

/** A crew of the sample profile that ends with the test. */
export async function started(options: FakeCrewOptions = {}): Promise<FakeCrew> {
  const crew = await startFakeCrew({ profile: SAMPLE, ...options })
  onTestFinished(async () => crew.stop())
  return crew
}

/** A POST where there is a body. */
export async function ask(
  { url, token, headers }: Place,
  path: string,
  asked: Asked = {},
): Promise<Response> {
  const own = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return fetch(url + path, {
    ...(asked.body === undefined ? {} : { method: 'POST' }),
    ...asked,
    headers: { ...own, ...headers, ...asked.headers },
  })
}

/** The new execution's id. */
export async function kickoff(place: Place, topic = INPUTS.topic): Promise<string> {
  const body = JSON.stringify({ inputs: { ...INPUTS, topic } })
  const answer = await ask(place, '/kickoff', { body })
  return ((await answer.json()) as { kickoff_id: string }).kickoff_id
}

interface Received {
  path: string
  headers: IncomingHttpHeaders
  text: string
  body: Record<string, unknown>
}

/** Receives pushes until the test ends, and answers each with this code; with null, never. */
export async function receiver(
  codeOf: (path: string) => number | null | Promise<number> = () => 204,
): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const text = Buffer.concat(chunks).toString('utf8')
      const { url: path = '', headers } = request
      received.push({ path, headers, text, body: JSON.parse(text) as Record<string, unknown> })
      const code = await codeOf(path)
      if (code !== null) response.writeHead(code).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}
