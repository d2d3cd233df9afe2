/** What the faults do to one request, at each place that it passes on its way. */
import type { Micros } from '../../../src/base/units.ts'
import type { Demand } from '../work/demand.ts'
import type { ExecutionView } from '../work/execution-view.ts'
import type { Content, Delivery, Reply } from '../exchange.ts'
import { ContentReply, WHOLE } from '../exchange.ts'
import type { ActiveFault } from './active.ts'
import type { Effect, Scene } from './effect.ts'

export interface Hit {
  active: ActiveFault
  effect: Effect
  scene: Scene
}

/** Several may strike one request: they take hold in the order of the profile. */
export class Strike {
  /** Of the execution that the request is about, as soon as there is one. */
  ordinal: number | undefined
  /**
   * When a target answered the kickoff; undefined where it was accepted as soon as it was looked
   * at.
   */
  acceptedMicros: Micros | undefined
  readonly #hits: readonly Hit[]
  readonly #touching = new Set<ActiveFault>()
  #insteadBy: Hit | null = null

  constructor(hits: readonly Hit[], ordinal: number | undefined) {
    this.#hits = hits
    this.ordinal = ordinal
  }

  /** The faults that really changed something. */
  get touching(): ReadonlySet<ActiveFault> {
    return this.#touching
  }

  /** The answer of the first that answers in place of the operation; null lets it be done. */
  instead(): Content | null {
    const hit = this.#hits.find(({ effect }) => effect.instead !== undefined)
    if (hit === undefined) return null
    this.#insteadBy = hit
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

  /** The id that is told of the execution: its own, if nobody has another. */
  kickoffId(ordinal: number, own: string): string {
    return this.#changed(own, (_, { effect, scene }) => effect.kickoffId?.(ordinal, scene))
  }

  /** The execution stays hidden for so long; null for none. */
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
    return this.#changed(content, (changed, { effect, scene }) => effect.content?.(changed, scene))
  }

  /** One fault after the other, where they have a say. */
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

  /** On its way out: later, or not as it should be. */
  reply(content: Content, delayMicros: Micros): Reply {
    const delivery = this.#delivery(content)
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

  /** Of the first that has a say; whoever answered in place of the operation goes before. */
  #delivery(content: Content): Delivery {
    const sayers = this.#hits.filter(({ effect }) => effect.delivery !== undefined)
    const hit = sayers.find((sayer) => sayer === this.#insteadBy) ?? sayers[0]
    if (hit === undefined) return WHOLE
    this.#touching.add(hit.active)
    return hit.effect.delivery!(content)
  }
}
