/** The other load generators, each used by the means that it offers. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CONNECTIONS, POLL_SECONDS, requestsOfLastLine, STATUS_PATH } from './peer.ts'
import type { Job, Peer } from './peer.ts'

const HERE = 'bench/cost/peers'
/** The folder of what is built or installed for the bench. */
const CACHE = 'node_modules/.cache/crewload-bench'
const LOCUST = '2.47.0'

function runs(program: string, ...args: string[]): boolean {
  const { error, status } = spawnSync(program, args, { stdio: 'ignore' })
  return error === undefined && status === 0
}

export const wrk: Peer = {
  name: 'wrk',
  does: 'reads the head of an answer (C)',
  prepare: () =>
    spawnSync('wrk', ['--version']).error === undefined ? null : 'wrk is not on the PATH',
  flatOut: (url, seconds) => {
    const load = ['--threads', '1', '--connections', `${CONNECTIONS}`, '--duration', `${seconds}s`]
    return {
      command: { program: 'wrk', args: [...load, `${url}${STATUS_PATH}`] },
      read: (stdout) => ({
        requests: Number(/(\d+) requests in/.exec(stdout)?.[1]),
        latenessP99Ms: null,
      }),
    }
  },
  paced: () => null,
  held: () => null,
  mostHeld: 0,
}

function autocannonJob(url: string, seconds: number, more: readonly string[]): Job {
  const args = ['--duration', String(seconds), '--json', ...more, `${url}${STATUS_PATH}`]
  return {
    command: {
      program: process.execPath,
      args: ['node_modules/autocannon/autocannon.js', ...args],
    },
    read: (stdout) => ({
      requests: (JSON.parse(stdout) as { requests: { total: number } }).requests.total,
      latenessP99Ms: null,
    }),
  }
}

export const autocannon: Peer = {
  name: 'autocannon',
  does: 'reads the head of an answer (Node)',
  prepare: () => null,
  flatOut: (url, seconds) => autocannonJob(url, seconds, ['--connections', `${CONNECTIONS}`]),
  paced: (url, rate, seconds) =>
    autocannonJob(url, seconds, ['--connections', `${CONNECTIONS}`, '--overallRate', `${rate}`]),
  held: () => null,
  mostHeld: 0,
}

const VEGETA = join(CACHE, 'vegeta')

function vegetaJob(url: string, seconds: number, rate: number): Job {
  const load = ['-duration', `${seconds}s`, '-rate', `${rate}`, '-workers', `${CONNECTIONS}`]
  return {
    command: { program: VEGETA, args: ['-url', `${url}${STATUS_PATH}`, ...load] },
    read: requestsOfLastLine,
  }
}

export const vegeta: Peer = {
  name: 'vegeta',
  does: 'reads an answer and keeps its time (Go)',
  prepare: () => {
    if (!runs('go', 'version')) return 'Go is not installed, and vegeta is built with it'
    const args = ['build', '-trimpath', '-buildvcs=false', '-o', join(process.cwd(), VEGETA), '.']
    const cwd = join(HERE, 'vegeta')
    const env = { ...process.env, GOTOOLCHAIN: 'local' }
    const { status, stderr } = spawnSync('go', args, { cwd, env, encoding: 'utf8' })
    return status === 0 ? null : `vegeta was not built: ${stderr.trim()}`
  },
  flatOut: (url, seconds) => vegetaJob(url, seconds, 0),
  paced: (url, rate, seconds) => vegetaJob(url, seconds, rate),
  held: () => null,
  mostHeld: 0,
}

function k6Job(url: string, options: object, pauseSeconds: number): Job {
  return {
    command: {
      program: 'tools/k6/k6',
      args: [
        'run',
        '--quiet',
        '--no-usage-report',
        '--log-output=none',
        join(HERE, 'k6-script.js'),
      ],
      env: {
        BENCH_URL: `${url}${STATUS_PATH}`,
        BENCH_OPTIONS: JSON.stringify(options),
        BENCH_PAUSE_SECONDS: String(pauseSeconds),
      },
    },
    read: requestsOfLastLine,
  }
}

export const k6: Peer = {
  name: 'k6',
  does: 'a plain script that checks a member of the JSON (Go, JavaScript)',
  prepare: () => (existsSync('tools/k6/k6') ? null : 'k6 is not built: npm run k6:build builds it'),
  flatOut: (url, seconds) => k6Job(url, { vus: CONNECTIONS, duration: `${seconds}s` }, 0),
  paced: (url, rate, seconds) => {
    const arrivals = { executor: 'constant-arrival-rate', rate, timeUnit: '1s' }
    const vus = { duration: `${seconds}s`, preAllocatedVUs: CONNECTIONS }
    return k6Job(url, { scenarios: { paced: { ...arrivals, ...vus } } }, 0)
  },
  held: (url, size) => k6Job(url, { vus: size, duration: `${heldSeconds(size)}s` }, POLL_SECONDS),
  mostHeld: 10_000,
}

/** Returns a time that is long enough for all users to have started and polled. */
function heldSeconds(size: number): number {
  return 3 * POLL_SECONDS + Math.ceil(size / 1_000)
}

const LOCUST_HOME = join(CACHE, 'locust')

function locustJob(url: string, seconds: number, users: number, env: Record<string, string>): Job {
  const load = ['--users', `${users}`, '--spawn-rate', `${users}`, '--run-time', `${seconds}s`]
  const args = ['-f', join(HERE, 'locustfile.py'), '--headless', '--host', url, ...load]
  return {
    command: {
      program: join(LOCUST_HOME, 'bin', 'locust'),
      args: [...args, '--loglevel', 'ERROR', '--only-summary'],
      env: { ...env, BENCH_PATH: STATUS_PATH },
    },
    read: (stdout) => requestsOfLastLine(/\{"requests": \d+\}/.exec(stdout)?.[0] ?? ''),
  }
}

export const locust: Peer = {
  name: 'Locust',
  does: 'FastHttpUser that reads the JSON (Python)',
  prepare: () => {
    if (existsSync(join(LOCUST_HOME, 'bin', 'locust'))) return null
    if (!runs('python3', '-m', 'venv', LOCUST_HOME)) return 'Python with venv is not installed'
    const pip = join(LOCUST_HOME, 'bin', 'pip')
    return runs(pip, 'install', '--quiet', `locust==${LOCUST}`)
      ? null
      : `pip could not install locust ${LOCUST}`
  },
  flatOut: (url, seconds) => locustJob(url, seconds, CONNECTIONS, {}),
  paced: (url, rate, seconds) =>
    locustJob(url, seconds, CONNECTIONS, { BENCH_RATE_PER_USER: String(rate / CONNECTIONS) }),
  held: (url, size) =>
    locustJob(url, heldSeconds(size), size, { BENCH_PACING_SECONDS: String(POLL_SECONDS) }),
  mostHeld: 10_000,
}
