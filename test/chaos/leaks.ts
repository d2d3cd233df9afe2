/**
 * What a process still holds: its open sockets, what keeps its event loop alive, and its memory.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Side = 'client' | 'server'

/** Every TCP socket of this process from now on, on either side, until it is closed. */
export class OpenSockets implements Disposable {
  readonly #open: Record<Side, Set<Socket>> = { client: new Set(), server: new Set() }
  /** Of all times: a watch that sees nothing proves nothing. */
  seen = 0
  readonly #listeners = {
    client: (message: unknown): void => this.#opened('client', message),
    server: (message: unknown): void => this.#opened('server', message),
  }

  constructor() {
    subscribe('net.client.socket', this.#listeners.client)
    subscribe('net.server.socket', this.#listeners.server)
  }

  count(side: Side): number {
    return this.#open[side].size
  }

  [Symbol.dispose](): void {
    unsubscribe('net.client.socket', this.#listeners.client)
    unsubscribe('net.server.socket', this.#listeners.server)
  }

  #opened(side: Side, message: unknown): void {
    const { socket } = message as { socket: Socket }
    this.seen++
    this.#open[side].add(socket)
    socket.once('close', () => this.#open[side].delete(socket))
  }
}

/**
 * How many of each kind of handle and request keep the event loop alive, but for the pipes and
 * files of the test's own process.
 */
export function heldByLoop(): Record<string, number> {
  const held: Record<string, number> = {}
  for (const kind of process.getActiveResourcesInfo()) {
    if (/^(TCP|Timeout|Immediate|GetAddrInfo|TLS|UDP|Process)/.test(kind))
      held[kind] = (held[kind] ?? 0) + 1
  }
  return held
}

/**
 * Bytes in use on the heap after a garbage collection. What lies beside it (WebAssembly, buffers)
 * is given back when the system likes.
 */
export function heapInUse(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  return process.memoryUsage().heapUsed
}
