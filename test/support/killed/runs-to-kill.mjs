/**
 * Several runs in one process, which is there to be killed with all of them. Its argument is JSON:
 * each run begins after `delayMs`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from '../../../dist/src/run/index.js'

const { scenario, runs, ...options } = JSON.parse(process.argv[2])

async function begin({ delayMs, out }) {
  await sleep(delayMs)
  for (let tries = 0; ; tries++) {
    try {
      return await run(scenario, { ...options, out })
    } catch (error) {
      // A crew in a busy process may not say in time that it is a fake one.
      if (tries === 4 || !error.message.includes('does not name itself a fake crew')) throw error
    }
  }
}

await Promise.all(runs.map(begin))
