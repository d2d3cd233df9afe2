/**
 * A target that does no work: kickoffs, inputs, and polls that never report an end, as fixed bytes.
 * It runs in a process of its own, so that its CPU time is not the client's.
 */
import { fork } from 'node:child_process'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'

/** Serves until its parent ends it. */
export function serveCannedCrew(): void {
  const running = canned({
    status: 'running',
    current_task: 'research',
    progress: { completed_tasks: 1, total_tasks: 3 },
  })
  const inputs = canned({ inputs: [] })
  let kickoffs = 0
  const server = createServer((socket) => {
    socket.setNoDelay(true).on('error', () => {})
    socket.on('data', (chunk) => {
      const [, path = ''] = chunk.toString('latin1', 0, 40).split(' ')
      if (path === '/kickoff') socket.write(canned({ kickoff_id: `id-${kickoffs++}` }))
      else socket.write(path === '/inputs' ? inputs : running)
    })
  })
  server.listen(0, '127.0.0.1', 4_096, () => process.send?.((server.address() as AddressInfo).port))
}

/** Starts `file serve`, which calls `serveCannedCrew`. */
export async function startCannedCrew(file: string): Promise<{ url: string; stop: () => void }> {
  const child = fork(file, ['serve'])
  const port = await new Promise<number>((told) => child.once('message', told))
  return { url: `http://127.0.0.1:${port}`, stop: () => void child.kill() }
}

/** An answer whose bytes are built once: the cost of a target that does no work. */
function canned(body: unknown): string {
  const text = JSON.stringify(body)
  return (
    'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nkeep-alive: timeout=72\r\n' +
    `content-length: ${text.length}\r\n\r\n${text}`
  )
}
