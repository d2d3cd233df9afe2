/** k6's own calls as the host's world. This file can be loaded only inside k6. */
import { instance, test } from 'k6/execution'
import http from 'k6/http'
import { clearTimeout, setTimeout } from 'k6/timers'
import { WebSocket } from 'k6/websockets'
import type { World } from './world.ts'

/**
 * k6 creates it with all its functions at each access to the import, so it is read once. The init
 * context has none.
 */
let testRun: typeof instance | null = null

export const k6World: World = {
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
    socket.onmessage = (message) => heard(String(message?.data))
    socket.onclose = () => heard(null)
    return () => socket.close()
  },
  // oxlint-disable-next-line no-console -- the only output of k6 that loses no line
  log: (line) => console.log(line),
  abort: (why) => {
    test.abort(why)
    throw new Error(why)
  },
}
