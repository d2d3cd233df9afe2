/** A target that answers immediately, except for one stall during which it answers nothing. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface StallingTarget extends AsyncDisposable {
  url: string
}

/**
 * Executions take `executionMs`; requests that arrive between `from` and `to` (ms after the first
 * kickoff) are answered at `to`.
 */
export async function stallingTarget(options: {
  executionMs: number
  from: number
  to: number
}): Promise<StallingTarget> {
  const kickedOff = new Map<string, number>()
  let firstMs: number | null = null
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const now = performance.now()
    const send = (body: unknown): void => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(body))
    }
    if (request.url === '/inputs') return send({ inputs: [] })
    if (request.method === 'POST') {
      firstMs ??= now
      const id = randomUUID()
      kickedOff.set(id, now)
      return send({ kickoff_id: id })
    }
    const began = kickedOff.get(request.url!.slice('/status/'.length)) ?? 0
    return send(statusBody(now - began, options.executionMs))
  }
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      const since = firstMs === null ? -1 : performance.now() - firstMs
      const stalled = since >= options.from && since < options.to
      if (stalled) setTimeout(() => answer(request, response), options.to - since)
      else answer(request, response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function statusBody(elapsedMs: number, executionMs: number): unknown {
  if (elapsedMs < executionMs) {
    return {
      status: 'running',
      current_task: 'only',
      progress: { completed_tasks: 0, total_tasks: 1 },
    }
  }
  const seconds = executionMs / 1_000
  const task = { task_id: 'only', output: 'done', agent: 'one', execution_time: seconds }
  return {
    status: 'completed',
    result: { output: 'done', tasks: [task] },
    execution_time: seconds,
  }
}
