/**
 * A target that counts what it receives, completes every execution immediately, and may refuse
 * kickoffs.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The longest time that closing waits for open connections, in milliseconds. */
const LONGEST_CLOSE_MS = 2_000

export interface CountingTarget extends AsyncDisposable {
  url: string
  readonly counts: { inputs: number; kickoffs: number; polls: number }
}

/** `refuseEvery`: every nth kickoff is answered 503, which a client may retry; 0 refuses none. */
export async function countingTarget(options: { refuseEvery: number }): Promise<CountingTarget> {
  const counts = { inputs: 0, kickoffs: 0, polls: 0 }
  const answer = (method: string, url: string): [number, unknown] => {
    if (method === 'POST') {
      counts.kickoffs++
      const refused = options.refuseEvery > 0 && counts.kickoffs % options.refuseEvery === 0
      return refused ? [503, { error: 'busy' }] : [200, { kickoff_id: randomUUID() }]
    }
    if (url === '/inputs') {
      counts.inputs++
      return [200, { inputs: ['topic', 'audience'] }]
    }
    if (!url.startsWith('/status/')) return [404, { error: 'Not Found' }]
    counts.polls++
    const result = { output: 'done', tasks: [] }
    return [200, { status: 'completed', result, execution_time: 0.001 }]
  }
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      const [status, body] = answer(request.method!, request.url!)
      // Without this, a client could send its next request on a connection that is about to be
      // closed.
      if (!server.listening) response.setHeader('connection', 'close')
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    // What has arrived is answered, and what comes later is refused: nothing is reset in between.
    [Symbol.asyncDispose]: async () => {
      server.close()
      const forced = setTimeout(() => server.closeAllConnections(), LONGEST_CLOSE_MS)
      await once(server, 'close')
      clearTimeout(forced)
    },
  }
}
