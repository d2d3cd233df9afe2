/** The body of every engine that sends over HTTP: what it does before and after it measures. */
import { randomBytes } from 'node:crypto'
import { env as processEnv } from 'node:process'
import type { Ledger } from '../../result/ledger/reconcile.ts'
import type { MissingInputs } from '../../crew/inputs/sentences.ts'
import type { JournalLine } from '../../execution/record/journal-lines.ts'
import { SendingBudget } from '../../engine/sending-budget.ts'
import type { NodeHost, NodeHostOptions } from '../../host/node/index.ts'
import { createNodeHost } from '../../host/node/index.ts'
import type { Plan } from '../../scenario/plan.ts'
import type { Body } from './body.ts'
import type { DriveOptions, Load } from '../drive.ts'
import { drive } from '../drive.ts'
import { version } from '../environment/package.ts'
import type { ClockLink } from '../fake/clock-link.ts'
import { linkClocks } from '../fake/clock-link.ts'
import type { LineSink } from '../line-sink.ts'
import type { Listening } from './listening.ts'
import { listening } from './listening.ts'
import type { RunOptions } from '../options.ts'
import { demandBudgetIfPaid } from '../target/paid.ts'
import type { Together } from './together.ts'
import type { OpenPlace } from '../target/open-place.ts'
import { preflight } from '../target/preflight.ts'

/** What a run needs before its preflight. */
export interface Sending {
  place: OpenPlace
  plan: Plan
  options: RunOptions
  /** Of a mix: what its parts share. Default: it runs alone. */
  together?: Together | undefined
}

/** A run whose preflight has passed: what its engine measures with. */
export interface Measuring extends Sending {
  runId: string
  lineSink: LineSink
  /** The host of the preflight. */
  host: NodeHost
  /** As found by the preflight. */
  missingInputs: MissingInputs
  /** Links the ledger's clock with the run's; null when the place has no ledger. */
  clocks: ClockLink | null
  /** Drives the load to its end. */
  drive(load: Load, abortReason: DriveOptions['abortReason']): Promise<void>
  /** Fetches the ledger, when the load has ended; null when there is none. */
  ledger(): Promise<Ledger | null>
}

interface SendingEngine {
  /** How the host of the preflight differs from one that sends the whole load. */
  host(lineSink: LineSink): Partial<NodeHostOptions>
  measure(measuring: Measuring): Promise<Ledger | null>
}

export class SendingBody implements Body {
  readonly runId = randomBytes(4).toString('hex')
  readonly target: string
  readonly hasLedger: boolean
  readonly ownCrew: boolean
  readonly #sending: Sending
  readonly #engine: SendingEngine

  constructor(sending: Sending, engine: SendingEngine) {
    const { target, fake, isOwn } = sending.place
    this.target = target.href
    this.hasLedger = fake !== null
    this.ownCrew = isOwn
    this.#sending = sending
    this.#engine = engine
  }

  async carry(lineSink: LineSink): Promise<Ledger | null> {
    const { place, plan, options, together } = this.#sending
    const { onNote } = options
    const listener = await listening(plan, options)
    try {
      const host = await this.#host(lineSink)
      try {
        const missing = await preflight(
          host,
          plan,
          { ...place, ...this.#source, tokensFrom: options.tokensFrom },
          this.runId,
          onNote,
        )
        demandBudgetIfPaid(place, plan.budget)
        const measuring = await this.#measuring(lineSink, host, missing)
        await together?.meet()
        return await this.#engine.measure(heard(measuring, listener))
      } finally {
        await host.close()
      }
    } finally {
      await listener?.close()
    }
  }

  async close(): Promise<void> {
    await this.#sending.place.close()
  }

  /** Our own crew has a token that stays. */
  get #source(): Pick<RunOptions, 'tokenSource'> {
    const { place, options } = this.#sending
    return place.isOwn || options.tokenSource === undefined
      ? {}
      : { tokenSource: options.tokenSource }
  }

  async #host(lineSink: LineSink): Promise<NodeHost> {
    const { place, plan, options } = this.#sending
    return createNodeHost({
      target: place.target,
      tokens: place.tokens,
      ...this.#source,
      http: plan.http,
      emit: (line) => lineSink.keep(line),
      budget: new SendingBudget(plan.budget, { whole: options.sharedBudget }),
      userAgent: `crewload/${version()}`,
      proxies: options.env ?? processEnv,
      ...(options.tls === undefined ? {} : { tls: options.tls }),
      ...this.#engine.host(lineSink),
    })
  }

  async #measuring(
    lineSink: LineSink,
    host: NodeHost,
    missingInputs: MissingInputs,
  ): Promise<Measuring> {
    const { place, plan, options, together } = this.#sending
    const { runId } = this
    const clocks = place.fake === null ? null : await linkClocks(place.fake)
    const tell = (line: JournalLine): void => host.emit(line)
    return {
      ...this.#sending,
      runId,
      lineSink,
      host,
      missingInputs,
      clocks,
      drive: async (load, abortReason) =>
        drive(plan, load, {
          place: place.crew,
          lineSink,
          missingInputs,
          died: place.died,
          hooks: options,
          abortReason,
          tell,
        }),
      ledger: async () => {
        await together?.meet()
        return clocks === null ? null : clocks.finish(runId, host.now(), tell)
      },
    }
  }
}

/** The same with pushes: each kickoff names the listener, and the load ends when they had time. */
function heard(measuring: Measuring, listener: Listening | null): Measuring {
  if (listener === null) return measuring
  return {
    ...measuring,
    plan: listener.plan,
    async drive(load, abortReason) {
      listener.receive(measuring.host, load)
      await measuring.drive(load, abortReason)
      await listener.linger(measuring.place.died)
    },
  }
}
