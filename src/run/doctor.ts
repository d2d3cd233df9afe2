/** The doctor: checks whether this machine is fit to measure. */
import { statfs } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { versions } from 'node:process'
import { UserError } from '../base/mistakes.ts'
import { formatBytes, formatDuration } from '../base/numbers.ts'
import { COMFORTABLE_FILES, openFilesLimit } from './environment/shortages.ts'
import { temporaryFolder } from './folder/temporary.ts'
import { K6_REMEDY, searchK6 } from './k6/binary.ts'
import { quantileOf } from '../result/statistics/quantiles.ts'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Environment } from './options.ts'

export interface Diagnosis {
  name: string
  /** `absent` means that something optional is missing, which is not a problem. */
  state: 'ok' | 'warning' | 'problem' | 'absent'
  /** The value as text for people. */
  found: string
  meaning: string
  /** Null when there is nothing to do. */
  remedy: string | null
}

/**
 * Takes about a second. Timing checks run alone, one after the other, so that they do not disturb
 * each other.
 */
export async function examine(folder: string, env: Environment): Promise<Diagnosis[]> {
  const timers = await timerAccuracy()
  const loopback = await loopbackLatency()
  return [
    nodeVersion(),
    cores(),
    openFiles(),
    await freeDisk(folder),
    await temporaryFiles(),
    timers,
    loopback,
    await k6(env),
  ]
}

const LEAST_NODE = [20, 19] as const
/**
 * With fewer files even `run` with its own engine may not start, because its modules are files too.
 */
const FEWEST_FILES = 512
const COMFORTABLE_DISK_BYTES = 1_000_000_000

function nodeVersion(): Diagnosis {
  const version = versions.node
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const enough = major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1])
  return {
    name: 'Node.js',
    state: enough ? 'ok' : 'problem',
    found: version,
    meaning: 'runs the harness and the fake crew',
    remedy: enough ? null : `install Node.js ${LEAST_NODE.join('.')} or newer`,
  }
}

function cores(): Diagnosis {
  const count = availableParallelism()
  return {
    name: 'cores',
    state: count >= 2 ? 'ok' : 'warning',
    found: String(count),
    meaning: 'one for the generator; a fake crew on the same machine needs another',
    remedy: count >= 2 ? null : 'run the target elsewhere, or expect lateness',
  }
}

/**
 * Each outstanding request uses a socket. With too few open files connections fail, which looks
 * like the target's fault.
 */
function openFiles(): Diagnosis {
  const limit = openFilesLimit()
  const wellOff = limit === null || limit >= COMFORTABLE_FILES
  const state = wellOff ? 'ok' : limit < FEWEST_FILES ? 'problem' : 'warning'
  return {
    name: 'open files',
    state,
    found: limit === null ? 'unlimited' : String(limit),
    meaning: 'the number of connections that can be open at once',
    remedy: wellOff ? null : `ulimit -n ${COMFORTABLE_FILES}`,
  }
}

/** Scenarios are compiled into a temporary folder. */
async function temporaryFiles(): Promise<Diagnosis> {
  const checked = {
    name: 'temporary files',
    meaning: 'scenarios are compiled into a temporary folder',
  }
  try {
    const folder = await temporaryFolder('scenario')
    await folder.remove()
    return { ...checked, state: 'ok', found: tmpdir(), remedy: null }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const remedy = 'set TMPDIR to a folder that can be written to'
    return { ...checked, state: 'problem', found: `${tmpdir()} cannot be written to`, remedy }
  }
}

async function freeDisk(folder: string): Promise<Diagnosis> {
  const { bavail, bsize } = await statfs(folder)
  const bytes = bavail * bsize
  const enough = bytes >= COMFORTABLE_DISK_BYTES
  return {
    name: 'free disk',
    state: enough ? 'ok' : 'warning',
    found: formatBytes(bytes),
    meaning: 'a journal takes about 1 kB per execution',
    remedy: enough ? null : 'free some space, or write elsewhere with --out',
  }
}

export async function k6(env: Environment): Promise<Diagnosis> {
  const search = await searchK6(env)
  const about = { name: 'k6', meaning: 'an optional load engine; the Node engine does not need it' }
  if (search.kind === 'found') {
    const { path, version } = search.binary
    return { ...about, state: 'ok', found: `${version} at ${path}`, remedy: null }
  }
  const { kind, problem, found } = search
  return {
    ...about,
    state: kind === 'absent' ? 'absent' : 'warning',
    found: found === undefined ? problem : `${problem} (${found})`,
    remedy: K6_REMEDY,
  }
}

const TIMER_SAMPLES = 150
const TIMER_STEP_MS = 4
const TIMER_BOUND_MS = 5
const ROUND_TRIPS = 300
const ROUND_TRIP_BOUND_MS = 2

/**
 * Measures how late each release of an absolute schedule of short waits is, as the engine keeps
 * one.
 */
async function timerAccuracy(): Promise<Diagnosis> {
  const lateMs: number[] = []
  const start = performance.now()
  for (let i = 1; i <= TIMER_SAMPLES; i++) {
    const due = start + i * TIMER_STEP_MS
    await sleep(Math.max(0, due - performance.now()))
    lateMs.push(Math.max(0, performance.now() - due))
  }
  const [p50, p99] = quantiles(lateMs)
  const good = p99 < TIMER_BOUND_MS
  return {
    name: 'timers',
    state: good ? 'ok' : 'warning',
    found: `late by p50 ${ms(p50)}, p99 ${ms(p99)}`,
    meaning: 'how late a request may be sent on this machine',
    remedy: good ? null : 'close other programs, or use a machine with more cores',
  }
}

/**
 * Sends one byte there and back over 127.0.0.1: the lower bound of every latency measured against a
 * local target.
 */
async function loopbackLatency(): Promise<Diagnosis> {
  const server = createServer((socket) => socket.setNoDelay(true).pipe(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' })
  socket.setNoDelay(true)
  await once(socket, 'connect')
  const tripMs: number[] = []
  for (let i = 0; i < ROUND_TRIPS; i++) {
    const sent = performance.now()
    socket.write('.')
    await once(socket, 'data')
    tripMs.push(performance.now() - sent)
  }
  socket.destroy()
  server.close()
  const [p50, p99] = quantiles(tripMs)
  const good = p99 < ROUND_TRIP_BOUND_MS
  return {
    name: 'loopback',
    state: good ? 'ok' : 'warning',
    found: `round trip p50 ${ms(p50)}, p99 ${ms(p99)}`,
    meaning: 'the floor of every latency measured against a target on this machine',
    remedy: good ? null : 'close other programs',
  }
}

function quantiles(values: number[]): [p50: number, p99: number] {
  const sorted = values.toSorted((a, b) => a - b)
  return [quantileOf(sorted, 0.5) ?? 0, quantileOf(sorted, 0.99) ?? 0]
}

function ms(value: number): string {
  return formatDuration(value * 1_000)
}
