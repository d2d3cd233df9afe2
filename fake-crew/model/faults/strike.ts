/** What the faults do to one request, at each place that it passes on its way. */
import type { Micros } from '../../../src/units.ts'
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

  content(content: Content): Content {
    let changed = content
    for (const { active, effect, scene } of this.#hits) {
      if (effect.content === undefined) continue
      changed = effect.content(changed, scene)
      this.#touching.add(active)
    }
    return changed
  }

  /** On its way out: later, or not as it should be. */
  reply(content: Content, delayMicros: Micros): Reply {
    const delivery = this.#delivery(content)
    return new ContentReply(content, delayMicros + this.#delayMicros(), delivery)
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
