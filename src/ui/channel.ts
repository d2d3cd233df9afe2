/** Tells the pages that are open on one view what has changed, while there are any. */
import { performance } from 'node:perf_hooks'
import type { ViewState } from './pages/shell.ts'

export interface Viewer {
  /** False while the page has not taken all that it was sent. */
  isReady(): boolean
  send(changed: ViewState): void
}

const EVERY_MS = 1_000
/** A run may share the processor: a look that takes a second is followed by a rest of four. */
const REST = 4

export class Channel {
  readonly #look: () => Promise<ViewState>
  readonly #end: () => void
  /** What each has been sent. */
  readonly #viewers = new Map<Viewer, ViewState>()
  #state: ViewState = {}
  #timer: NodeJS.Timeout | undefined
  #isLooking = false

  /** `look` must not reject; `end` is called when the last page is closed. */
  constructor(look: () => Promise<ViewState>, end: () => void = () => {}) {
    this.#look = look
    this.#end = end
  }

  /** Sends what is known at once. The returned function ends it. */
  open(viewer: Viewer): () => void {
    this.#viewers.set(viewer, {})
    this.#tell(viewer)
    if (this.#viewers.size === 1 && !this.#isLooking) void this.#turn()
    return () => {
      if (!this.#viewers.delete(viewer) || this.#viewers.size > 0 || this.#isLooking) return
      clearTimeout(this.#timer)
      this.#end()
    }
  }

  async #turn(): Promise<void> {
    const beganMs = performance.now()
    this.#isLooking = true
    this.#state = { ...this.#state, ...(await this.#look()) }
    this.#isLooking = false
    for (const viewer of this.#viewers.keys()) this.#tell(viewer)
    if (this.#viewers.size === 0) {
      this.#end()
      return
    }
    const restMs = Math.max(EVERY_MS, REST * (performance.now() - beganMs))
    this.#timer = setTimeout(() => void this.#turn(), restMs)
  }

  #tell(viewer: Viewer): void {
    if (!viewer.isReady()) return
    const sent = this.#viewers.get(viewer) ?? {}
    const changed = Object.entries(this.#state).filter(([name, text]) => sent[name] !== text)
    if (changed.length === 0) return
    this.#viewers.set(viewer, this.#state)
    viewer.send(Object.fromEntries(changed))
  }
}
