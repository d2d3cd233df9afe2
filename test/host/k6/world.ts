/**
 * A world for the k6 host that stands still until told otherwise: its clock is set by hand, and
 * requests wait for their answers.
 */
import { SendingBudget } from '../../../src/engine/sending-budget.ts'
import { K6Host } from '../../../src/host/k6/index.ts'
import type { K6HostOptions } from '../../../src/host/k6/index.ts'
import { TEST_HTTP } from '../../support/plan.ts'

type World = ConstructorParameters<typeof K6Host>[0]
type K6Params = Parameters<World['request']>[3]
type K6Response = Awaited<ReturnType<World['request']>>

/** The types of k6 say that a body is always text; it is null where there is none. */
type Response = Omit<K6Response, 'body'> & { body: string | null }

export interface Asked {
  method: string
  url: string
  body: string | null
  params: K6Params
  answer: (response: Partial<Response>) => void
  reject: (reason: unknown) => void
}

interface Timer {
  run: () => void
  atMs: number
}

export const ANSWERED: K6Response = {
  status: 200,
  headers: { 'Content-Type': 'application/json' },
  body: '{}',
  error: '',
  error_code: 0,
  remote_ip: '127.0.0.1',
  timings: { blocked: 0, connecting: 0, sending: 0.1, waiting: 1 },
}

export const NO_CONNECTION = {
  status: 0,
  headers: {},
  remote_ip: '',
  timings: { blocked: 0, connecting: 0, sending: 0, waiting: 0 },
}

export class StillWorld implements World {
  elapsed = 0
  firstReading = true
  wallAheadMs = 1_700_000_000_000.25
  readonly lines: string[] = []
  readonly asked: Asked[] = []
  /** By URL: what a WebSocket tells. */
  readonly heard = new Map<string, (text: string | null) => void>()
  readonly #timers = new Map<number, Timer>()
  #ids = 0

  isFirstReading(): boolean {
    return this.firstReading
  }

  elapsedMs(): number {
    return this.elapsed
  }

  unixMs(): number {
    return Math.floor(this.elapsed + this.wallAheadMs)
  }

  setTimeout(run: () => void, ms: number): number {
    this.#timers.set(++this.#ids, { run, atMs: this.elapsed + ms })
    return this.#ids
  }

  clearTimeout(timer: number): void {
    this.#timers.delete(timer)
  }

  async request(
    method: string,
    url: string,
    body: string | null,
    params: K6Params,
  ): Promise<K6Response> {
    return new Promise((resolve, reject) => {
      const answer = (response: Partial<Response>): void =>
        resolve({ ...ANSWERED, ...response } as K6Response)
      // k6 reads the parameters at once; the host may change them afterwards.
      this.asked.push({ method, url, body, params: structuredClone(params), answer, reject })
    })
  }

  listen(url: string, heard: (text: string | null) => void): () => void {
    this.heard.set(url, heard)
    return () => this.heard.delete(url)
  }

  log(line: string): void {
    this.lines.push(line)
  }

  abort(why: string): never {
    throw new Error(why)
  }

  get timers(): number {
    return this.#timers.size
  }

  /** Lets time pass, and fires what is due in its order; promises get their turn in between. */
  async pass(ms: number): Promise<void> {
    await settled()
    const until = this.elapsed + ms
    for (;;) {
      const [next] = [...this.#timers].sort(([, a], [, b]) => a.atMs - b.atMs)
      if (next === undefined || next[1].atMs > until) break
      this.#timers.delete(next[0])
      this.elapsed = Math.max(this.elapsed, next[1].atMs)
      next[1].run()
      await settled()
    }
    this.elapsed = until
    await settled()
  }

  /** As k6 2.2 does now and then when a timer before it was cleared: the next one, too soon. */
  fireEarly(): void {
    const [next] = [...this.#timers].sort(([, a], [, b]) => a.atMs - b.atMs)
    if (next === undefined) return
    this.#timers.delete(next[0])
    next[1].run()
  }
}

/** All promises that can go on have gone on. */
export async function settled(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve))
}

/** A host in that world, at the zero of its clock unless `changes` say otherwise. */
export function hostIn(world: StillWorld, changes: Partial<K6HostOptions> = {}): K6Host {
  return new K6Host(world, {
    target: 'http://crew.test',
    tokens: [],
    http: TEST_HTTP,
    budget: new SendingBudget({ kickoffs: null, requests: null }),
    share: { instance: 0, instances: 1 },
    userAgent: 'crewload/9',
    traces: 0,
    zeroMs: 0,
    ...changes,
  })
}
