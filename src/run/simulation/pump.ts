/** Advances the time of a simulation while something is awaited. */
import { assert } from '../../base/assert.ts'
import type { Micros } from '../../base/units.ts'
import type { VirtualHost } from '../../host/virtual/index.ts'

/**
 * Advances virtual time until `waitedFor` settles, and returns to the event loop after every slice.
 */
export async function pump<T>(
  host: Pick<VirtualHost, 'advance'>,
  waitedFor: Promise<T>,
  eventsASlice: number,
  sliceMicros: Micros = Infinity,
  afterSlice?: () => void,
): Promise<T> {
  const come = new AbortController()
  const watched = waitedFor.finally(() => come.abort())
  watched.catch(() => {})
  await breath()
  while (!come.signal.aborted) {
    const more = host.advance(eventsASlice, sliceMicros)
    afterSlice?.()
    await breath()
    assert(more || come.signal.aborted, 'the run waits for something that cannot happen')
  }
  return watched
}

async function breath(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
