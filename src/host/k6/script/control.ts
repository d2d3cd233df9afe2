/**
 * Hears from the process that started k6 whether to stop: k6 passes no signal to a script. It is a
 * WebSocket, because every request over HTTP would be counted in k6's `http_*` metrics.
 */
import type { StopReason } from '../../../execution/record/stop-reason.ts'
import type { Engine } from '../../../engine/engine.ts'
import type { World } from '../world.ts'

/** What is said: nothing yet, or how to stop and why. */
export type Order = { stop: null } | { stop: 'drain' | 'now'; reason: StopReason }

/** The process is gone, and with it everybody who would read the result. */
const GONE: Order = {
  stop: 'drain',
  reason: { code: 'asked', why: 'crewload ended before k6 did' },
}

/**
 * `begin` is called once, after the first order, or when none will come; before that the engine was
 * told to stop if it should. Returns what closes the line; nothing is heard after that.
 */
export function openControlLine(
  world: Pick<World, 'listen'>,
  url: string,
  engine: Pick<Engine, 'stop'>,
  begin: () => void,
): () => void {
  let isClosed = false
  let waiting: (() => void) | null = begin
  const close = world.listen(url, (text) => {
    if (isClosed) return
    const order = text === null ? GONE : (JSON.parse(text) as Order)
    if (order.stop !== null) engine.stop(order.stop, order.reason)
    waiting?.()
    waiting = null
  })
  return () => {
    isClosed = true
    close()
  }
}
