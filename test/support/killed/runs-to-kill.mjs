/**
 * Several runs in one process, which is there to be killed with all of them. Its argument is JSON:
 * each run begins after `delayMs`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from '../../../dist/src/run/index.js'

const { scenario, runs, ...options } = JSON.parse(process.argv[2])

async function begin({ delayMs, out }) {
  await sleep(delayMs)
  await run(scenario, { ...options, out })
}

await Promise.all(runs.map(begin))
