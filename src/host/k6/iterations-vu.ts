/** One VU in the mode of iterations: each iteration is one execution, with an engine to itself. */
import { createEngine } from '../../engine/engine.ts'
import { LoneArrival } from '../../engine/lone-arrival.ts'
import { withShareOfRetries } from '../../engine/share.ts'
import type { Arrival, Shared } from '../../execution/machine.ts'
import {
  createShared,
  MAX_IN_FLIGHT,
  NO_VU,
  turnedAway,
  unsentRecord,
} from '../../execution/machine.ts'
import type { Plan } from '../../scenario/plan.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import type { Micros } from '../../base/units.ts'
import type { Budget, BudgetLimits } from '../budget.ts'
import { ownBudget } from '../budget.ts'
import type { Order } from './control.ts'
import { askEveryMs, ControlLine } from './control.ts'
import type { K6Host, World } from './index.ts'
import { IterationHost } from './iterations-host.ts'
import type { IterationMeters } from './iterations-meters.ts'
import type { Turns } from './iterations-turns.ts'
import { quotaOf } from './quota.ts'

export interface VuOptions {
  world: World
  plan: Plan
  host: K6Host
  runId: string
  turns: Turns
  meters: IterationMeters
  /** From 1, of `vus`. */
  vu: number
  vus: number
  /** What the run may spend, and the most arrivals that it is dealt out to; null deals it out to the VUs. */
  budget: BudgetLimits
  arrivals: number | null
  /** URL asked whether to stop; null where nobody is asked. */
  control: string | null
}

/** A kickoff is preceded by a question, however long the wait for its time. */
const ASK_BEFORE_MS = 100
const LONGEST_REST_MS = 3_600_000

export class IterationVu {
  readonly #options: VuOptions
  readonly #plan: Plan
  /** Over its executions: what it knows of the target, and its part of the retries that are always allowed. */
  readonly #shared: Shared
  readonly #told = new Set<string>()
  /** Of the VU, where there is no telling how many arrivals will come. */
  readonly #ownBudget: Budget
  #order: Order = { stop: null }
  /** The control has spoken; before that nothing is sent. */
  #wasAnswered = false
  /** When the execution before ended, and with it the VU was free. */
  #freeFromMicros = -Infinity
  #isRefused = false

  constructor(options: VuOptions) {
    const { plan, budget, vu, vus, runId } = options
    this.#options = options
    // Arrivals come from iterations, and places in flight are VUs.
    this.#plan = {
      ...plan,
      arrivals: { kind: 'replay', offsetsMicros: [] },
      admission: { maxInFlight: null, whenFull: 'queue' },
    }
    const share = { instance: vu - 1, instances: vus }
    this.#shared = createShared(withShareOfRetries(this.#plan, share), runId)
    this.#ownBudget = ownBudget(quotaOf(budget, share))
  }

  /** `number` is that of the iteration over all VUs, from 0. */
  async iterate(number: number): Promise<void> {
    const arrival = this.#isOver ? null : this.#options.turns.take(number)
    if (arrival === null) return this.#rest()
    this.#options.meters.arrived()
    const refusal = this.#refusal(arrival)
    if (refusal === null) return this.#execute(arrival)
    return this.#drop(arrival, refusal)
  }

  /** A closed client does not come again. */
  get #isOver(): boolean {
    const isClosed = this.#options.plan.arrivals.kind === 'closed'
    return isClosed && (this.#order.stop !== null || this.#isRefused)
  }

  /** Why an arrival that no VU was free for in time is not sent any more; null when it is. */
  #refusal({ intendedMicros }: Arrival): typeof NO_VU | typeof MAX_IN_FLIGHT | null {
    const { host, plan } = this.#options
    const lateMicros = host.now() - intendedMicros
    if (this.#order.stop !== null || lateMicros <= plan.validity.latenessP99Micros) return null
    if (!this.#placesAreVus) return NO_VU
    return plan.admission.whenFull === 'drop' ? MAX_IN_FLIGHT : null
  }

  /** As many VUs as places in flight: waiting for one is what the plan asks for. */
  get #placesAreVus(): boolean {
    const { plan, vus } = this.#options
    return plan.arrivals.kind === 'closed' || vus === plan.admission.maxInFlight
  }

  #drop(arrival: Arrival, reason: typeof NO_VU | typeof MAX_IN_FLIGHT): void {
    const { host, meters } = this.#options
    const record = unsentRecord(arrival, turnedAway(reason), host.now())
    host.emit({ type: 'ended', record })
    meters.ended(record)
    if (reason === NO_VU) meters.unserved()
  }

  async #execute(arrival: Arrival): Promise<void> {
    const { host: vuHost, meters, runId, turns } = this.#options
    const host = new IterationHost({
      host: vuHost,
      budget: this.#budgetOf(arrival),
      told: this.#told,
    })
    await new Promise<void>((resolve) => {
      let controlLine: ControlLine | null = null
      const engine = createEngine(this.#plan, host, {
        runId,
        instance: 0,
        instances: 1,
        arrivals: new LoneArrival(arrival),
        shared: this.#shared,
        budgetIsPart: true,
        ...(this.#placesAreVus ? { placeFromMicros: this.#freeFromMicros } : {}),
        onEnded: (record) => {
          meters.ended(record)
          turns.ended(record)
        },
        onDone: () => {
          controlLine?.close()
          resolve()
        },
      })
      // An arrival whose time has passed goes out with the start.
      if (this.#order.stop !== null) engine.stop(this.#order.stop, this.#order.reason)
      controlLine = this.#controlLine(engine, arrival.intendedMicros)
      if (controlLine !== null && !this.#wasAnswered) {
        controlLine.openBefore(() => {
          this.#wasAnswered = true
          engine.start()
        })
        return
      }
      engine.start()
      if (host.finished === null) controlLine?.open()
    })
    this.#freeFromMicros = host.now()
    this.#isRefused ||= host.isRefused
    if (host.finished !== null) meters.finished(host.finished, host.connectionsOpened)
  }

  /** Dealt out beforehand, for VUs share nothing: what one does not need, no other can have. */
  #budgetOf({ index }: Arrival): Budget {
    const { arrivals, budget } = this.#options
    if (arrivals === null) return this.#ownBudget
    return ownBudget(quotaOf(budget, { instance: index, instances: arrivals }))
  }

  #controlLine(
    engine: { stop: (how: 'drain' | 'now', reason: string) => void },
    dueMicros: Micros,
  ): ControlLine | null {
    const { world, host, control, vus } = this.#options
    if (control === null) return null
    const everyMs = askEveryMs(vus)
    const stop = (how: 'drain' | 'now', reason = 'stopped'): void => {
      this.#order = { stop: how, reason }
      engine.stop(how, reason)
    }
    return new ControlLine(world, control, { stop }, () => {
      const beforeMs = (dueMicros - host.now()) / MICROS_PER_MS - ASK_BEFORE_MS
      return beforeMs > 0 ? Math.min(everyMs, beforeMs) : everyMs
    })
  }

  /** Until k6 begins no more iterations, which would find nothing to do and be many. */
  async #rest(): Promise<void> {
    const { world, host, turns } = this.#options
    if (turns.overMicros === null) return
    const restMs = (turns.overMicros - host.now()) / MICROS_PER_MS
    await new Promise<void>((resolve) => {
      world.setTimeout(resolve, Math.min(Math.max(1_000, restMs), LONGEST_REST_MS))
    })
  }
}
