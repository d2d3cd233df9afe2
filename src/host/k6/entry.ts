/**
 * Binds a bundle to k6. This file can be loaded only inside k6; the bundle's own entry re-exports
 * its result.
 */
import { SharedArray } from 'k6/data'
import { instance, test, vu } from 'k6/execution'
import http from 'k6/http'
import { clearTimeout, setTimeout } from 'k6/timers'
import { WebSocket } from 'k6/websockets'
import type { Options } from 'k6/options'
import { fingerprint } from '../../base/fingerprint.ts'
import type { World } from './world.ts'
import type { Bundled, MeasureRecord, SharedByVus } from './script.ts'
import { createScript } from './script.ts'

/**
 * k6 creates it with all its functions at each access to the import, so it is read once. The init
 * context has none.
 */
let testRun: typeof instance | null = null

const k6World: World = {
  isFirstReading: () => __VU === 0,
  elapsedMs: () => (testRun ??= instance).currentTestRunDuration,
  unixMs: () => Date.now(),
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (timer) => clearTimeout(timer),
  // oxlint-disable-next-line typescript/promise-function-async -- a second promise around k6's own
  // would cost a twentieth of a poll
  request: (method, url, body, params) => http.asyncRequest(method, url, body, params),
  listen: (url, heard) => {
    const socket = new WebSocket(url)
    socket.addEventListener('message', (message) =>
      heard(String((message as { data?: unknown }).data)),
    )
    socket.addEventListener('close', () => heard(null))
    return () => socket.close()
  },
  // oxlint-disable-next-line no-console -- the only output of k6 that loses no line
  log: (line) => console.log(line),
  abort: (why) => {
    test.abort(why)
    throw new Error(why)
  },
}

/** The long lists of a plan, created at most once per process. */
interface Lists {
  rows: () => SharedByVus['rows'][number][]
  offsetsMicros: () => number[]
}

/**
 * Called in k6's init context, by each VU. `measure` receives every record; null if k6 measures
 * nothing.
 */
export function k6Script(
  bundled: Bundled,
  lists: Lists,
  scenario: unknown,
  measure: MeasureRecord | null,
): { options: Options; iteration: () => Promise<void> } {
  const [runId = ''] = new SharedArray('run id', () => [fingerprint(String(Math.random()))])
  const shared: SharedByVus = {
    rows: new SharedArray('rows', lists.rows),
    offsetsMicros: new SharedArray('arrivals', lists.offsetsMicros),
    runId,
  }
  const made = createScript(k6World, __ENV, { bundled, shared, scenario, measure })
  return { options: made.options, iteration: async () => made.iteration(vu.idInTest) }
}
