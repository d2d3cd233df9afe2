/** How k6-operator starts its pods: paused until all are ready, and then released together. */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'undici'
import { assert } from '../../../src/base/assert.ts'

/**
 * One pod of a TestRun, as k6-operator 1.6.0 makes it: `pkg/segmentation/segmentation.go` and
 * `NewRunnerJob` in `pkg/resources/jobs/runner.go`.
 */
export interface Runner {
  /** Counts from 1 to `instances`. */
  instance: number
  instances: number
  /** The name of the TestRun: letters, digits and `-`. */
  name: string
  /** The value of `spec.args`. */
  args: readonly string[]
  script: string
  /** The address of the REST interface: `0.0.0.0:6565` in a pod. */
  address: string
}

/**
 * The arguments of `k6`, in the operator's own order. A single instance gets no segment because it
 * is the whole run.
 */
export function runnerArguments(runner: Runner): string[] {
  const { instance, instances, name, args, script, address } = runner
  return [
    'run',
    '--quiet',
    ...(instances > 1 ? segmentArguments(instance, instances) : []),
    ...args,
    script,
    `--address=${address}`,
    '--paused',
    '--tag',
    `instance_id=${instance}`,
    '--tag',
    `testrun_name=${name}`,
  ]
}

/**
 * `--execution-segment=1/4:2/4` for the second of four. The sequence is the same for all, so k6 can
 * number VUs over all of them.
 */
function segmentArguments(instance: number, instances: number): string[] {
  const cuts = Array.from({ length: instances + 1 }, (_, i) => cut(i, instances))
  return [
    `--execution-segment=${cuts[instance - 1]}:${cuts[instance]}`,
    `--execution-segment-sequence=${cuts.join(',')}`,
  ]
}

function cut(i: number, instances: number): string {
  if (i === 0) return '0'
  return i === instances ? '1' : `${i}/${instances}`
}

/**
 * The body that the operator's starter sends to `/v1/status` of every pod when all of them answer.
 */
const RELEASE = {
  method: 'PATCH',
  path: '/v1/status',
  body: JSON.stringify({
    data: { attributes: { paused: false }, id: 'default', type: 'status' },
  }),
} as const

export interface Barrier {
  /**
   * Resolves when the REST interface of every process answers. Rejects when `ended` is aborted, and
   * after a minute, with the address that does not answer.
   */
  ready(ended: AbortSignal, limitMs?: number): Promise<void>
  /** Releases all processes at once. Rejects when one of them does not accept. */
  release(): Promise<Released>
  close(): Promise<void>
}

interface Released {
  /**
   * The maximum difference between the starts of two processes: from the first order sent to the
   * last one obeyed.
   */
  withinMs: number
}

/**
 * Roughly what the operator itself gives its pods to start; k6 takes seconds to read a script of
 * several MB.
 */
const READY_LIMIT_MS = 60_000
const ASK_AGAIN_MS = 20
const ANSWER_LIMIT_MS = 5_000

/** `addresses` are those that the processes received, for example `127.0.0.1:6565`. */
export function createBarrier(addresses: readonly string[]): Barrier {
  const clients = addresses.map((address) => {
    const limits = { headersTimeout: ANSWER_LIMIT_MS, bodyTimeout: ANSWER_LIMIT_MS }
    return new Client(`http://${address}`, limits)
  })
  return {
    ready: async (ended, limitMs = READY_LIMIT_MS) => {
      const latest = performance.now() + limitMs
      await Promise.all(
        clients.map(async (client, i) => answers(client, addresses[i]!, latest, ended)),
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
  ended: AbortSignal,
): Promise<void> {
  for (;;) {
    ended.throwIfAborted()
    const status = await statusOf(client)
    if (status !== null && status < 400) return
    if (performance.now() > latest) throw new Error(`k6 does not answer at ${address}`)
    await sleep(ASK_AGAIN_MS)
  }
}

/** Null while nothing listens at the address. */
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

/**
 * Below the ports that operating systems assign to outgoing connections, which a busy generator
 * opens and closes all the time.
 */
const FIRST_PORT = 10_240
const LAST_PORT = 32_767
const MOST_TRIES = 1_000

/** Loopback addresses that are free at this moment; another program may take one before k6 does. */
export async function freeAddresses(n: number): Promise<string[]> {
  const addresses = new Set<string>()
  for (let i = 0; i < MOST_TRIES && addresses.size < n; i++) {
    const port = randomInt(FIRST_PORT, LAST_PORT + 1)
    if (await isFree(port)) addresses.add(`127.0.0.1:${port}`)
  }
  assert(addresses.size === n, 'no free ports')
  return [...addresses]
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    await once(server.close(), 'close')
    return true
  } catch {
    return false
  }
}
