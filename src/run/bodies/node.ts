/** The Node body: one engine over connections of its own in this process. */
import type { MissingInputs } from '../../crew/inputs/words.ts'
import { randomBytes } from 'node:crypto'
import { env as processEnv } from 'node:process'
import { ownBudget } from '../../host/budget.ts'
import type { NodeHost } from '../../host/node/index.ts'
import { createNodeHost } from '../../host/node/index.ts'
import { UserError } from '../../base/mistakes.ts'
import type { JournalLine } from '../../execution/record/journal-lines.ts'
import type { Plan } from '../../scenario/plan.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import { linkClocks } from '../fake/clock-link.ts'
import type { LineSink } from '../line-sink.ts'
import { drive, engineLoad } from '../drive.ts'
import { earlyAbort } from '../early-abort.ts'
import type { RunOptions } from '../options.ts'
import type { Place } from '../target/place.ts'
import { demandBudget } from '../target/paid.ts'
import { openPlace } from '../target/place.ts'
import { preflight, requestsOfPreflight } from '../target/preflight.ts'
import { runLine } from '../run-line.ts'
import { version } from '../environment/version.ts'
import { tracesOf } from '../../host/telemetry/options.ts'
import type { Abandoned, Body, Carried } from '../body.ts'

export async function openNodeBody(plan: Plan, options: RunOptions): Promise<Body> {
  const place = await openPlace(options, plan, options.env ?? processEnv)
  return new NodeBody(place, plan, options)
}

/**
 * Setting up the engine and writing the first line take a moment. The clock's zero is set after
 * them, so the first arrivals are on time.
 */
const LEAD_MICROS = 50 * MICROS_PER_MS

class NodeBody implements Body {
  readonly runId = randomBytes(4).toString('hex')
  readonly #place: Place
  readonly #plan: Plan
  readonly #options: RunOptions

  constructor(place: Place, plan: Plan, options: RunOptions) {
    this.#place = place
    this.#plan = plan
    this.#options = options
  }

  get target(): string {
    return this.#place.target.href
  }

  get profile(): string | null {
    return this.#place.profile
  }

  get hasLedger(): boolean {
    return this.#place.fake !== null
  }

  async carry(lineSink: LineSink): Promise<Carried> {
    const host = await hostAt(this.#place, this.#plan, this.#options, lineSink)
    try {
      const { onNote } = this.#options
      const missing = await preflight(host, this.#plan, this.#place, this.runId, onNote)
      demandBudget(this.#place, this.#plan.budget)
      return await this.#measure(host, lineSink, missing)
    } finally {
      await host.close()
    }
  }

  async close(): Promise<void> {
    await this.#place.close()
  }

  /** Adds the faults right before the zero, which follows within 100 ms. */
  async #addFaults(): Promise<() => Promise<void>> {
    const { faults } = this.#options
    if (faults === undefined) return async () => {}
    const { fake } = this.#place
    if (fake !== null) return fake.addFaults(faults)
    const problem = 'faults need a fake crew, and the target is not one'
    throw new UserError({ source: 'faults', path: '', problem })
  }

  /** Measures from the zero of the run's clock until the ledger is fetched. */
  async #measure(
    host: NodeHost,
    lineSink: LineSink,
    missingInputs: MissingInputs,
  ): Promise<Carried> {
    const place = this.#place
    const plan = this.#plan
    const { runId } = this
    const { signal, onStart, onProgress } = this.#options
    const clocks = place.fake === null ? null : await linkClocks(place.fake)
    const abandoned: Abandoned[] = []
    const takeBack = await this.#addFaults()
    const tell = (line: JournalLine): void => host.emit(line)
    const load = engineLoad(plan, host, {
      runId,
      requestsSpent: requestsOfPreflight(place),
      missingInputs,
      begin: () => {
        host.startClock(LEAD_MICROS)
        clocks?.started(host)
        const { anchorUnixMs } = host
        const target = place.target.href
        const ownCrew = place.isOwn
        const instance = { instance: 0, instances: 1, ownCrew }
        host.emit(runLine(plan, { runId, engine: 'node', ...instance, target, anchorUnixMs }))
      },
      onEnded: ({ outcome, kickoffId, index }) => {
        if (outcome === 'aborted' && kickoffId !== null) abandoned.push({ index, kickoffId })
      },
    })
    await drive(plan, load, {
      target: place.target.origin,
      profile: place.profile,
      lineSink,
      missingInputs,
      died: place.died,
      signal,
      onStart,
      onProgress,
      abortReason: earlyAbort(plan, lineSink.recorder),
      tell,
    })
    const ledger = clocks === null ? null : await clocks.finish(runId, host.now(), tell)
    await takeBack()
    return { ledger, abandoned }
  }
}

async function hostAt(
  place: Place,
  plan: Plan,
  options: RunOptions,
  lineSink: LineSink,
): Promise<NodeHost> {
  return createNodeHost({
    target: place.target,
    tokens: place.tokens,
    http: plan.http,
    emit: (line) => lineSink.keep(line),
    budget: ownBudget(plan.budget),
    userAgent: `crewload/${version()}`,
    traces: tracesOf(options),
    proxies: options.env ?? processEnv,
    ...(options.tls === undefined ? {} : { tls: options.tls }),
    onAnswer: (operation, answer) => lineSink.answered(operation, answer),
  })
}
