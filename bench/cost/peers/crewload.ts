/** Crewload itself, as the command line runs it: engine, records, journal and reports. */
import { join } from 'node:path'
import type { ResultDocument } from '../../../src/result/document.ts'
import type { Job, Peer } from './peer.ts'
import { CONNECTIONS, POLL_SECONDS } from './peer.ts'

const MAIN = 'dist/bin/crewload.js'
/** Executions that poll a thousand times a second keep every connection busy. */
const FLAT_OUT_POLL_SECONDS = 0.001
/** A target's queue of connections overflows when 100,000 executions begin at once. */
const MOST_KICKOFFS_PER_SECOND = 10_000

interface Load {
  url: string
  size: number
  pollSeconds: number
  seconds: number
}

export function crewload(name: string, does: string, engine: string, folder: string): Peer {
  const job = (load: Load): Job => ({
    command: {
      program: process.execPath,
      args: [MAIN, 'run', 'steady', '--engine', engine, '--json', ...argsOf(load, folder)],
      env: { CREWLOAD_TOKEN: 'bench' },
    },
    read: (stdout) => {
      const { generator } = JSON.parse(stdout) as ResultDocument
      const late = generator.instances.map(({ latenessP99Ms }) => latenessP99Ms ?? 0)
      return { requests: generator.requests, latenessP99Ms: Math.max(...late) }
    },
  })
  return {
    name,
    does,
    prepare: () => null,
    flatOut: (url, seconds) =>
      job({ url, size: CONNECTIONS, pollSeconds: FLAT_OUT_POLL_SECONDS, seconds }),
    paced: (url, rate, seconds) =>
      job({ url, size: rate * POLL_SECONDS, pollSeconds: POLL_SECONDS, seconds }),
    held: (url, size) => {
      const ramp = Math.max(1, size / MOST_KICKOFFS_PER_SECOND)
      return job({ url, size, pollSeconds: POLL_SECONDS, seconds: 2 * ramp + 3 * POLL_SECONDS })
    },
    mostHeld: engine === 'k6' ? 10_000 : 100_000,
  }
}

/** All executions begin within the first tenth, and each is polled until its deadline. */
function argsOf({ url, size, pollSeconds, seconds }: Load, folder: string): string[] {
  const ramp = Math.max(0.5, size / MOST_KICKOFFS_PER_SECOND)
  const settings = {
    arrivals: { rate: `${size / ramp}/s`, for: `${ramp}s`, process: 'uniform' },
    polling: { fixed: `${pollSeconds}s` },
    deadline: `${Math.max(1, seconds - ramp)}s`,
    admission: { maxInFlight: size },
    inputs: { topic: 'load', audience: 'experts' },
    checks: {},
    thresholds: {},
    confirm: 0,
  }
  const set = Object.entries(settings).flatMap(([path, value]) => [
    '--set',
    `${path}=${JSON.stringify(value)}`,
  ])
  return ['--target', url, '--out', join(folder, 'reports'), ...set]
}
