/** What the faults do to one request, at each point that it passes. */
import type { Micros } from '../../../src/base/units.ts'
import type { Demand } from '../work/demand.ts'
import type { ExecutionView } from '../work/execution-view.ts'
import type { LifePhase } from '../work/executions.ts'
import type { Content, Delivery, Reply } from '../exchange.ts'
import { ContentReply, WHOLE } from '../exchange.ts'
import type { Call } from '../call.ts'
import type { ActiveFault } from './active.ts'
import type { Effect, Scene } from './effect.ts'

export interface Hit {
  active: ActiveFault
  effect: Effect
  scene: Scene
}

/** A request with what faults do to it. */
export interface StruckCall extends Call {
  /** When it arrived; `nowMicros` is later if it was held back. */
  arrivedMicros: Micros
  /** Null for nothing. */
  strike: Strike | null
  /** The limit that refuses it, `cold start`, or `queue`. */
  refusedBy: string | null
  /** The true id of the execution that a kickoff started, or a `/resume` named; null for none. */
  startedId: string | null
  /** What the answer to a poll says of its execution, before faults change that answer. */
  reported: LifePhase | null
}

/** Several faults may strike one request; they take effect in the order of the profile. */
export class Strike {
  /** The execution that the request is about, once there is one. */
  ordinal: number | undefined
  /** When a target answered the kickoff; undefined if it was accepted as soon as it was handled. */
  acceptedMicros: Micros | undefined
  readonly #hits: Hit[]
  readonly #touching = new Set<ActiveFault>()
  #insteadBy: Hit | null = null
  #isLegible = true

  constructor(hits: readonly Hit[], ordinal: number | undefined) {
    this.#hits = [...hits]
    this.ordinal = ordinal
  }

  add(hits: readonly Hit[]): void {
    this.#hits.push(...hits)
  }

  /** The faults that actually changed something. */
  get touching(): ReadonlySet<ActiveFault> {
    return this.#touching
  }

  /** The client can read the answer of the operation: none was put in its place or changed it. */
  get isLegible(): boolean {
    return this.#isLegible
  }

  /**
   * The answer of the first fault that answers in place of the operation; null lets the operation
   * proceed.
   */
  instead(): Content | null {
    const hit = this.#hits.find(({ effect }) => effect.instead !== undefined)
    if (hit === undefined) return null
    this.#insteadBy = hit
    this.#isLegible = false
    this.#touching.add(hit.active)
    return hit.effect.instead!(hit.scene)
  }

  startsNothing(): boolean {
    const hit = this.#hits.find(({ effect }) => effect.startsNothing)
    if (hit !== undefined) this.#touching.add(hit.active)
    return hit !== undefined
  }

  demand(demand: Demand): Demand {
    return this.#changed(demand, (changed, { effect }) => effect.demand?.(changed))
  }

  /** The id reported for the execution: its own, unless a fault replaces it. */
  kickoffId(ordinal: number, own: string): string {
    return this.#changed(own, (_, { effect, scene }) => effect.kickoffId?.(ordinal, scene))
  }

  /** Returns how long the execution stays hidden; null if it does not. */
  hiding(): { active: ActiveFault; micros: Micros } | null {
    for (const { active, effect, scene } of this.#hits) {
      const micros = effect.hiddenMicros?.(scene) ?? 0
      if (micros > 0) return { active, micros }
    }
    return null
  }

  view(view: ExecutionView): ExecutionView {
    return this.#changed(view, (changed, { effect }) => effect.view?.(changed))
  }

  content(content: Content): Content {
    const changed = this.#changed(content, (former, { effect, scene }) =>
      effect.content?.(former, scene),
    )
    if (!readsAlike(changed, content)) this.#isLegible = false
    return changed
  }

  /** Applies the faults one after another, where they define this point. */
  #changed<Value>(value: Value, by: (value: Value, hit: Hit) => Value | undefined): Value {
    let changed = value
    for (const hit of this.#hits) {
      const next = by(changed, hit)
      if (next === undefined) continue
      changed = next
      this.#touching.add(hit.active)
    }
    return changed
  }

  /** The answer on its way out: delayed, or delivered differently. */
  reply(content: Content, delayMicros: Micros): Reply {
    const delivery = this.#delivery(content)
    if (delivery.kind !== 'whole' && delivery.kind !== 'drip') this.#isLegible = false
    const addedMicros = this.#delayMicros()
    return new ContentReply(content, delayMicros + addedMicros, delivery, addedMicros)
  }

  #delayMicros(): Micros {
    let delayMicros = 0
    for (const { active, effect, scene } of this.#hits) {
      if (effect.delayMicros === undefined) continue
      delayMicros += effect.delayMicros(scene)
      this.#touching.add(active)
    }
    return delayMicros
  }

  /**
   * The result of the first fault that defines this point; a fault that answered in place of the
   * operation goes first.
   */
  #delivery(content: Content): Delivery {
    const sayers = this.#hits.filter(({ effect }) => effect.delivery !== undefined)
    const hit = sayers.find((sayer) => sayer === this.#insteadBy) ?? sayers[0]
    if (hit === undefined) return WHOLE
    this.#touching.add(hit.active)
    return hit.effect.delivery!(content)
  }
}

function readsAlike(one: Content, other: Content): boolean {
  return (
    one === other ||
    (one.status === other.status &&
      one.body === other.body &&
      one.headers['content-type'] === other.headers['content-type'])
  )
}
