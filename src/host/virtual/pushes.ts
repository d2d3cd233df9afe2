/** Carries the pushes of the crew over the simulated network to the webhooks of the run. */
import type { Crew } from '../../../fake-crew/model/crew.ts'
import type { Push } from '../../../fake-crew/model/push/pushes.ts'
import type { Micros } from '../../base/units.ts'
import type { PushLine } from '../../execution/record/journal-lines.ts'
import { pushLines, statusOf } from '../pushes.ts'
import type { NetworkDraws } from './network.ts'
import type { EventQueue } from './timeline.ts'

/** The address of the run in virtual time. */
export const VIRTUAL_WEBHOOKS = 'http://127.0.0.1'

export interface VirtualWebhooks {
  /** The bearer token that streamed events must carry. */
  token: string
  /** Whether signatures are checked. */
  isSigned: boolean
}

interface PushWorld {
  timeline: EventQueue
  crew: Crew
  draws: NetworkDraws
  /** Null if the run receives none: then nobody answers. */
  webhooks: VirtualWebhooks | null
  onRunClock: (atMicros: Micros) => Micros
  emit: (line: PushLine) => void
}

export class PushCarrier {
  readonly #world: PushWorld
  /** The earliest wake in the timeline. */
  #wakeMicros: Micros = Infinity
  #carried = 0

  constructor(world: PushWorld) {
    this.#world = world
  }

  /** Wakes when the crew has something to push; call it when that may be sooner. */
  follow(): void {
    const { timeline, crew } = this.#world
    const dueMicros = Math.max(timeline.now, Math.ceil(crew.nextPushMicros))
    if (dueMicros >= this.#wakeMicros) return
    this.#wakeMicros = dueMicros
    timeline.at(dueMicros, { happen: () => this.#wake(dueMicros) })
  }

  #wake(dueMicros: Micros): void {
    const { timeline, crew } = this.#world
    if (dueMicros !== this.#wakeMicros) return
    this.#wakeMicros = Infinity
    for (const push of crew.duePushes(timeline.now)) this.#carry(push)
    this.follow()
  }

  #carry(push: Push): void {
    const { timeline, draws, webhooks } = this.#world
    const { thereMicros, backMicros } = draws.push(this.#carried++)
    const path = push.url.startsWith(`${VIRTUAL_WEBHOOKS}/`)
      ? push.url.slice(VIRTUAL_WEBHOOKS.length)
      : null
    timeline.at(timeline.now + thereMicros, {
      happen: () => {
        const isHeard = path !== null && webhooks !== null
        const status = isHeard ? this.#arrive(push, path, webhooks) : null
        timeline.at(timeline.now + backMicros, { happen: () => this.#answered(push, status) })
      },
    })
  }

  #arrive({ body, bearer, signature }: Push, path: string, webhooks: VirtualWebhooks): number {
    const { timeline, onRunClock, emit } = this.#world
    const isSigned = webhooks.isSigned ? signature === 'correct' : null
    const received = { path, body, bearer, isSigned }
    const lines = pushLines(received, webhooks.token, onRunClock(timeline.now))
    for (const line of lines) emit(line)
    return statusOf(lines)
  }

  #answered(push: Push, status: number | null): void {
    const { timeline, crew } = this.#world
    crew.pushed(push, status, timeline.now)
    this.follow()
  }
}
