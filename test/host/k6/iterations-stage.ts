/** k6's part in the mode of iterations, played by hand: executors, VUs that share a world, metrics that are kept. */
import type { ExecutionRecord } from '../../../src/execution/record.ts'
import type { JournalLine } from '../../../src/execution/journal.ts'
import type { Begun } from '../../../src/host/k6/iterations.ts'
import { createIterationsScript } from '../../../src/host/k6/iterations.ts'
import { COUNTERS, TRENDS } from '../../../src/host/k6/iterations-meters.ts'
import type { Instruments } from '../../../src/host/k6/iterations-meters.ts'
import type { K6Summary } from '../../../src/host/k6/iterations-summary.ts'
import { intendedTimes } from '../../../src/host/k6/iterations-turns.ts'
import type { Bundled } from '../../../src/host/k6/script.ts'
import { runLine } from '../../../src/run/run-line.ts'
import { portablePlan } from '../../../src/scenario/portable.ts'
import { planScenario } from '../../../src/scenario/schema/index.ts'
import { settled, StillWorld } from './world.ts'

export const SCENARIO = {
  name: 'mine',
  arrivals: { rate: '10/s', for: '500ms' },
  inputs: { topic: 'bees' },
  polling: { fixed: '100ms' },
  deadline: '10s',
  drain: '1s',
  confirm: 0,
  checks: { 'says something': ({ output }: { output: string }) => output !== '' },
}

/** Keeps what k6 would keep. */
class Kept implements Instruments {
  readonly counts: Record<string, number> = {}
  readonly samples: Record<string, number[]> = {}

  count(counter: keyof typeof COUNTERS, by: number, tags?: { outcome: string }): void {
    const name = tags === undefined ? COUNTERS[counter] : `${COUNTERS[counter]}:${tags.outcome}`
    this.counts[name] = (this.counts[name] ?? 0) + by
  }

  time(trend: keyof typeof TRENDS, ms: number): void {
    ;(this.samples[TRENDS[trend]] ??= []).push(ms)
  }

  check(name: string, passed: boolean): void {
    const key = `${name}:${passed}`
    this.counts[key] = (this.counts[key] ?? 0) + 1
  }

  get summary(): K6Summary {
    const metrics = Object.entries(this.counts).map(([name, count]) => [
      name,
      { values: { count } },
    ])
    return { metrics: Object.fromEntries(metrics) }
  }
}

type Executor = (vu: number) => number | null

/** Whichever VU is free takes the next. */
export function shared(iterations: number): Executor {
  let next = 0
  return () => (next < iterations ? next++ : null)
}

export function perVu(iterations: number): Executor {
  const done = new Map<number, number>()
  let next = 0
  return (vu) => {
    const before = done.get(vu) ?? 0
    done.set(vu, before + 1)
    return before < iterations ? next++ : null
  }
}

/** k6 with its VUs: each has a script of its own, and shares the world. */
export class Stage {
  readonly world = new StillWorld()
  readonly kept = new Kept()
  readonly #scenario: object
  readonly #variables: Record<string, string>
  readonly #vus: number
  #busy = 0
  #served = 0

  constructor(vus: number, scenario: object = {}, variables: Record<string, string> = {}) {
    this.#vus = vus
    this.#scenario = { ...SCENARIO, ...scenario }
    this.#variables = variables
  }

  script() {
    const plan = planScenario(this.#scenario, { source: 'mine' })
    const portable = portablePlan(plan)
    const origin = { runId: '', engine: 'k6', instance: 0, instances: 1 } as const
    const bundled: Bundled = {
      plan: { ...portable, inputs: { ...portable.inputs, rows: [] } },
      line: runLine(plan, { ...origin, target: '', anchorUnixMs: 0 }),
      vus: this.#vus,
      rehearsed: {},
      target: 'http://127.0.0.1:1',
    }
    const shared = { rows: [], offsetsMicros: [], runId: '0000abcd', times: intendedTimes(plan) }
    const body = { world: this.world, instruments: this.kept }
    return createIterationsScript(body, this.#variables, bundled, shared, this.#scenario)
  }

  /**
   * `next` gives a free VU the number of its next iteration. Resolves when all are done; `tookMs` is how long an execution lasts; `orderAt` what the
   * control says, by milliseconds since the start of the test run.
   */
  async play(
    next: Executor,
    tookMs: number,
    orderAt: (ms: number) => string = () => '{"stop":null}',
    begun = this.script().setup(),
  ): Promise<Begun> {
    this.#busy = this.#vus
    const vu = async (id: number): Promise<void> => {
      const script = this.script()
      for (let n = next(id); n !== null; n = next(id)) await script.iteration(begun, n, id)
      this.#busy--
    }
    for (let id = 1; id <= this.#vus; id++) void vu(id)
    for (let ms = 0; this.#busy > 0; ms++) {
      if (ms > 60_000) throw new Error('a VU hangs')
      await this.world.pass(1)
      await this.#serve(tookMs, orderAt)
    }
    return begun
  }

  async #serve(tookMs: number, orderAt: (ms: number) => string): Promise<void> {
    const { asked, elapsed } = this.world
    for (; this.#served < asked.length; this.#served++) {
      const { url, body, answer } = asked[this.#served]!
      if (url.endsWith('/control')) answer({ body: orderAt(elapsed) })
      else if (body !== null) answer({ body: `{"kickoff_id":"at-${elapsed}"}` })
      else {
        const isDone = elapsed - Number(/at-([\d.]+)/.exec(url)?.[1]) >= tookMs
        const result = { output: 'x', tasks: [] }
        const done = { status: 'completed', result, execution_time: 0.1 }
        answer({ body: JSON.stringify(isDone ? done : { status: 'running' }) })
      }
      await settled()
    }
  }

  get lines(): JournalLine[] {
    return this.world.lines.map((line) => JSON.parse(line) as JournalLine)
  }

  get records(): ExecutionRecord[] {
    return this.lines.flatMap((line) => (line.type === 'ended' ? line.record : []))
  }

  outcomes(): Record<string, number> {
    const outcomes: Record<string, number> = {}
    for (const { outcome, reason } of this.records) {
      const name = reason === null ? outcome : `${outcome}: ${reason}`
      outcomes[name] = (outcomes[name] ?? 0) + 1
    }
    return outcomes
  }

  /** After the summary. */
  last(begun: Begun): Extract<JournalLine, { type: 'finished' }> {
    this.script().summary(begun, this.kept.summary)
    const line = this.lines.at(-1)
    if (line?.type !== 'finished') throw new Error('no last line')
    return line
  }
}
