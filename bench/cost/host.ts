/**
 * Measures the cost of the Node host as requests per second of one core, for four ways in one run:
 * bare undici `dispatch`, the host alone (text of the body handed over), the whole loop (engine,
 * state machine, readers, contract; 64 executions that poll without a pause), and autocannon. The
 * target runs in its own process and answers fixed bytes. Rates are by CPU time of this process, so
 * that a busy machine does not distort them; rates by wall time are shown beside them.
 */
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import { Pool } from 'undici'
import type { Dispatcher } from 'undici'
import type { Answer } from '../../src/crew/answer.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { SendingBudget } from '../../src/engine/sending-budget.ts'
import { createNodeHost } from '../../src/host/node/index.ts'
import type { NodeHost } from '../../src/host/node/index.ts'
import { testPlan } from '../../test/support/plan.ts'
import { serveCannedCrew, startCannedCrew } from '../support/canned-crew.ts'
import { median } from '../support/median.ts'

const CONNECTIONS = 64
const ROUNDS = 3
const ROUND_MS = 2_000

interface Rate {
  perCpuSecond: number
  perSecond: number
}

/** Runs `body`, which returns the number of requests made. */
async function measure(body: () => Promise<number>): Promise<Rate> {
  const cpuBefore = process.cpuUsage()
  const before = performance.now()
  const requests = await body()
  const { user, system } = process.cpuUsage(cpuBefore)
  return {
    perCpuSecond: (requests * 1e6) / (user + system),
    perSecond: (requests * 1e3) / (performance.now() - before),
  }
}

/**
 * Keeps `CONNECTIONS` requests in flight for one round; `send` calls back when its request is done.
 */
function closedLoop(send: (done: () => void) => void): Promise<number> {
  return new Promise((finished) => {
    const end = performance.now() + ROUND_MS
    let requests = 0
    let going = CONNECTIONS
    const next = (): void => {
      requests++
      if (performance.now() < end) send(next)
      else if (--going === 0) finished(requests)
    }
    for (let i = 0; i < CONNECTIONS; i++) send(next)
  })
}

class BareHandler implements Dispatcher.DispatchHandler {
  readonly #done: () => void
  constructor(done: () => void) {
    this.#done = done
  }
  onConnect(): void {}
  onHeaders(): boolean {
    return true
  }
  onData(): boolean {
    return true
  }
  onComplete(): void {
    this.#done()
  }
  onError(error: Error): void {
    throw error
  }
}

async function bareUndici(url: string): Promise<Rate> {
  const pool = new Pool(url, { connections: CONNECTIONS, pipelining: 1 })
  const headers = ['accept', 'application/json', 'authorization', 'Bearer token']
  const rate = await measure(() =>
    closedLoop((done) => {
      pool.dispatch({ method: 'GET', path: '/status/some-id', headers }, new BareHandler(done))
    }),
  )
  await pool.destroy()
  return rate
}

const PLAN = testPlan({
  arrivals: {
    kind: 'closed',
    clients: CONNECTIONS,
    forMicros: 3_600_000_000,
    iterations: null,
    think: { kind: 'constant', value: 0 },
    rampUpMicros: 0,
  },
  polling: { kind: 'fixed', everyMicros: 1, initialDelayMicros: 0 },
  deadlineMicros: 3_600_000_000,
  http: { maxConnections: CONNECTIONS, preOpenConnections: CONNECTIONS },
})

function hostFor(url: string): Promise<NodeHost> {
  return createNodeHost({
    target: url,
    tokens: ['token'],
    http: PLAN.http,
    emit: () => {},
    budget: new SendingBudget(PLAN.budget),
  })
}

async function hostAlone(url: string): Promise<Rate> {
  const host = await hostFor(url)
  host.startClock()
  const limits = { timeoutMicros: 30_000_000, maxBytes: 1_000_000 }
  const rate = await measure(() =>
    closedLoop((done) => {
      host.send(
        {
          operation: 'status',
          execution: 1,
          method: 'GET',
          path: '/status/some-id',
          body: null,
          correlation: 'run/1',
        },
        limits,
        (answer: Answer) => {
          if (answer.kind !== 'answer') throw new Error(answer.detail)
          done()
        },
      )
    }),
  )
  await host.close()
  return rate
}

async function wholeLoop(url: string): Promise<Rate> {
  const host = await hostFor(url)
  host.startClock()
  const rate = await measure(
    () =>
      new Promise((finished) => {
        const engine = createEngine(PLAN, host, {
          runId: 'bench',
          instance: 0,
          instances: 1,
          onDone: () => finished(engine.stats().polls),
        })
        engine.start()
        setTimeout(() => engine.stop('now'), ROUND_MS)
      }),
  )
  await host.close()
  return rate
}

function autocannonLoop(url: string): Promise<Rate> {
  return measure(async () => {
    const result = await autocannon({
      url: `${url}/status/some-id`,
      connections: CONNECTIONS,
      pipelining: 1,
      duration: ROUND_MS / 1_000,
    })
    return result.requests.total
  })
}

const CONTENDERS = {
  'undici dispatch': bareUndici,
  'host alone': hostAlone,
  'whole loop': wholeLoop,
  autocannon: autocannonLoop,
}

async function compare(): Promise<void> {
  const target = await startCannedCrew(fileURLToPath(import.meta.url))
  const rates = new Map<string, Rate[]>()
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, contender] of Object.entries(CONTENDERS)) {
      const rate = await contender(target.url)
      // Round 0 warms up.
      if (round > 0) rates.set(name, [...(rates.get(name) ?? []), rate])
    }
  }
  target.stop()
  const base = median((rates.get('undici dispatch') ?? []).map((rate) => rate.perCpuSecond))
  console.log(`${CONNECTIONS} connections, median of ${ROUNDS} rounds of ${ROUND_MS / 1_000} s`)
  for (const [name, list] of rates) {
    const perCpuSecond = median(list.map((rate) => rate.perCpuSecond))
    const perSecond = median(list.map((rate) => rate.perSecond))
    console.log(
      `${name.padEnd(16)} ${Math.round(perCpuSecond).toLocaleString('en').padStart(8)}/CPU s ` +
        `${Math.round(perSecond).toLocaleString('en').padStart(8)}/s   ` +
        `${(perCpuSecond / base).toFixed(2)} of undici dispatch`,
    )
  }
}

if (process.argv[2] === 'serve') serveCannedCrew()
else await compare()
