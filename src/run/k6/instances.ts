/** Several k6 processes on this machine, held back until all are ready and then released together, as k6-operator does with its pods. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'undici'
import { RELEASE } from './operator.ts'

export interface Gate {
  /**
   * Resolves when the REST interface of every process answers. Rejects after `limitMs`, with the addresses that do not; a process that ends meanwhile
   * is for the caller to see.
   */
  ready(limitMs?: number, signal?: AbortSignal): Promise<void>
  /** Lets all processes go at once. Rejects when one does not take it. */
  release(): Promise<Released>
  close(): Promise<void>
}

export interface Released {
  /** From the first order sent to the last one obeyed: no two processes began further apart than this. */
  withinMs: number
}

/** What the operator itself gives its pods to come up, roughly; a script of some MB takes k6 seconds to read. */
const READY_LIMIT_MS = 60_000
const ASK_AGAIN_MS = 20
const ANSWER_LIMIT_MS = 5_000

/** `addresses` are those that the processes were given: `127.0.0.1:6565`. */
export function createGate(addresses: readonly string[]): Gate {
  const clients = addresses.map((address) => {
    const limits = { headersTimeout: ANSWER_LIMIT_MS, bodyTimeout: ANSWER_LIMIT_MS }
    return new Client(`http://${address}`, limits)
  })
  return {
    ready: async (limitMs = READY_LIMIT_MS, signal) => {
      const latest = performance.now() + limitMs
      await Promise.all(
        clients.map(async (client, i) => answers(client, addresses[i]!, latest, signal)),
      )
    },
    release: async () => {
      const begun = performance.now()
      await Promise.all(clients.map(async (client, i) => letGo(client, addresses[i]!)))
      return { withinMs: performance.now() - begun }
    },
    close: async () => {
      await Promise.all(clients.map(async (client) => client.destroy()))
    },
  }
}

async function answers(
  client: Client,
  address: string,
  latest: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (;;) {
    signal?.throwIfAborted()
    const status = await statusOf(client)
    if (status !== null && status < 400) return
    if (performance.now() > latest) throw new Error(`k6 does not answer at ${address}`)
    await sleep(ASK_AGAIN_MS)
  }
}

/** Null while nothing listens there. */
async function statusOf(client: Client): Promise<number | null> {
  try {
    const { statusCode, body } = await client.request({ method: 'GET', path: RELEASE.path })
    await body.dump()
    return statusCode
  } catch {
    return null
  }
}

async function letGo(client: Client, address: string): Promise<void> {
  const { statusCode, body } = await client.request({
    ...RELEASE,
    headers: { 'content-type': 'application/json' },
  })
  const said = await body.text()
  if (statusCode >= 400) throw new Error(`k6 at ${address} was not released: ${said}`)
}

/** Loopback addresses that are free at this moment; another program may still take one before k6 does. */
export async function freeAddresses(n: number): Promise<string[]> {
  const servers = await Promise.all(Array.from({ length: n }, listening))
  const addresses = servers.map((server) => `127.0.0.1:${(server.address() as AddressInfo).port}`)
  await Promise.all(servers.map(async (server) => once(server.close(), 'close')))
  return addresses
}

async function listening(): Promise<Server> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}
