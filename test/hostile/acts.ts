/** Acts: the ways of answering, well and badly, that behaviours are made of. */
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { Act } from './server.ts'

const REASONS: Record<number, string> = { 200: 'OK', 302: 'Found', 404: 'Not Found' }

export function head(status: number, headers: Record<string, string | number>): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${REASONS[status] ?? 'Status'}\r\n${fields.join('')}\r\n`
}

/** A whole, well-framed answer with any bytes in it. */
export function answer(
  body: string | Buffer,
  status = 200,
  headers: Record<string, string | number> = { 'content-type': 'application/json' },
): Act {
  const bytes = Buffer.from(body)
  const message = Buffer.concat([
    Buffer.from(head(status, { ...headers, 'content-length': bytes.length })),
    bytes,
  ])
  return (socket) => socket.write(message)
}

export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Act {
  return answer(JSON.stringify(value), status, { 'content-type': 'application/json', ...headers })
}

export function gzipped(value: string | Buffer): Act {
  return answer(gzipSync(value), 200, {
    'content-type': 'application/json',
    'content-encoding': 'gzip',
  })
}

/** Bytes as they are, with no framing of ours. */
export function raw(bytes: string): Act {
  return (socket) => socket.write(bytes, 'latin1')
}

/** Bytes, then FIN. */
export function rawThenEnd(bytes: string): Act {
  return (socket) => socket.end(bytes, 'latin1')
}

/** Bytes, then RST, once the bytes have had time to arrive. */
export function rawThenReset(bytes: string): Act {
  return (socket) => socket.write(bytes, 'latin1', () => setTimeout(() => reset(socket), 20))
}

function reset(socket: Socket): void {
  socket.resetAndDestroy()
}

export const resetAtOnce: Act = (socket) => reset(socket)
export const endAtOnce: Act = (socket) => socket.end()
export const silence: Act = () => {}

/** The bytes one by one, `everyMs` apart. */
export function drip(bytes: string, everyMs: number): Act {
  return (socket) => {
    let sent = 0
    const timer = setInterval(() => {
      if (sent < bytes.length && !socket.destroyed) socket.write(bytes.charAt(sent++), 'latin1')
      else clearInterval(timer)
    }, everyMs)
  }
}

/** `chunk` again and again, as fast as the client reads, until `bytes` or for ever. */
export function flood(start: string, chunk: Buffer, bytes = Infinity): Act {
  return (socket) => {
    let left = bytes
    const pour = (): void => {
      while (left > 0 && !socket.destroyed) {
        left -= chunk.length
        if (!socket.write(chunk)) return void socket.once('drain', pour)
      }
    }
    socket.write(start)
    pour()
  }
}

/** One act after the other, call by call; the last repeats. */
export function inTurn(...acts: [Act, ...Act[]]): Act {
  return (socket, call) => (acts[call.nth] ?? acts.at(-1)!)(socket, call)
}

export const started: Act = (socket, call) => json({ kickoff_id: randomUUID() })(socket, call)

export function running(completed: unknown = 0, total: unknown = 2): Act {
  return json({
    status: 'running',
    current_task: 'research',
    progress: { completed_tasks: completed, total_tasks: total },
  })
}

export function completed(seconds: unknown = 1.5, output: unknown = 'done'): Act {
  const task = { task_id: 'research', output: 'found', agent: 'researcher', execution_time: 1.5 }
  return json({ status: 'completed', result: { output, tasks: [task] }, execution_time: seconds })
}

export const completedText = JSON.stringify({
  status: 'completed',
  result: { output: 'done', tasks: [] },
  execution_time: 1.5,
})

export function errorBody(status: number, headers: Record<string, string> = {}): Act {
  return json({ error: 'Trouble', message: `status ${status}` }, status, headers)
}

export const notFound: Act = json(
  { error: 'Execution not found', message: 'No execution found' },
  404,
)

/** A platform deployment's answer. */
export function platform(state: string, rest: Record<string, unknown> = {}): Act {
  return json({
    state,
    status: null,
    result: null,
    result_json: null,
    progress: null,
    last_executed_task: null,
    last_step: null,
    source: null,
    ...rest,
  })
}
