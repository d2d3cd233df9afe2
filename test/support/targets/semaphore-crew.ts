/**
 * A crew that is not the fake crew: a plain server whose executions share a semaphore, as a small
 * FastAPI service would. It has no ledger, and speaks the documented interface alone.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Options {
  /** The executions that run at once; the others wait, first come, first served. */
  permits: number
  /** Returns the duration of the nth execution once it has a permit, in milliseconds. */
  millis: (n: number) => number
  /** The server stops serving after this many kickoffs. Default: never. */
  diesAfter?: number
  /**
   * How the server stops serving: it closes connections (the default), never answers, or fails
   * kickoffs only.
   */
  death?: 'closes' | 'silent' | 'fails kickoffs'
}

export interface SemaphoreCrew extends AsyncDisposable {
  url: string
  kickoffs(): number
  /** How long the executions that ended had a permit, in seconds. */
  worked(): number[]
  /** Serves again, with the executions that it had before. */
  comeBack(): void
}

export async function semaphoreCrew({
  permits,
  millis,
  diesAfter = Infinity,
  death = 'closes',
}: Options): Promise<SemaphoreCrew> {
  const done = new Map<string, number | null>()
  const waiting: (() => void)[] = []
  const timers = new Set<NodeJS.Timeout>()
  let free = permits
  let isBack = false
  const begin = (id: string, takes: number): void => {
    free--
    const begun = performance.now()
    const timer = setTimeout(() => {
      timers.delete(timer)
      done.set(id, (performance.now() - begun) / 1_000)
      free++
      waiting.shift()?.()
    }, takes)
    timers.add(timer)
  }
  const kickoff = (): [number, unknown] => {
    const [id, takes] = [randomUUID(), millis(done.size)]
    done.set(id, null)
    if (free > 0) begin(id, takes)
    else waiting.push(() => begin(id, takes))
    return [200, { kickoff_id: id }]
  }
  const status = (id: string): [number, unknown] => {
    const seconds = done.get(id)
    if (seconds === undefined) return [404, { error: 'Not Found', message: id }]
    if (seconds === null) {
      const progress = { completed_tasks: 0, total_tasks: 1 }
      return [200, { status: 'running', current_task: 'work', progress }]
    }
    const result = { output: 'done', tasks: [] }
    return [200, { status: 'completed', result, execution_time: seconds }]
  }
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      const url = request.url ?? ''
      const isGone = done.size >= diesAfter && !isBack
      if (isGone && death === 'silent') return undefined
      if (isGone && (death === 'closes' || request.method === 'POST')) return response.destroy()
      const [code, body] =
        request.method === 'POST'
          ? kickoff()
          : url === '/inputs'
            ? [200, { inputs: ['topic'] }]
            : status(url.replace('/status/', ''))
      response.writeHead(code, { 'content-type': 'application/json' })
      return response.end(JSON.stringify(body))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    kickoffs: () => done.size,
    worked: () => [...done.values()].filter((seconds) => seconds !== null),
    comeBack: () => {
      isBack = true
    },
    [Symbol.asyncDispose]: async () => {
      timers.forEach((timer) => clearTimeout(timer))
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
