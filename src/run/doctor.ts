/** The doctor: checks whether this machine is fit to measure. */
import { statfs } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { versions } from 'node:process'
import { UserError } from '../base/mistakes.ts'
import { COMFORTABLE_FILES, openFilesLimit } from './environment/shortages.ts'
import { temporaryFolder } from './folder/temporary.ts'
import { searchK6 } from './k6/binary.ts'
import { quantileOf } from '../result/statistics/quantiles.ts'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Environment } from './options.ts'
import { diagnosisOf } from './check/diagnosis.ts'
import type { DelayQuantiles, DoctorDiagnosis } from './check/doctor-sentences.ts'
import { DOCTOR_DIAGNOSES, LEAST_NODE } from './check/doctor-sentences.ts'

/**
 * Takes about a second. Timing checks run alone, one after the other, so that they do not disturb
 * each other.
 */
export async function examine(folder: string, env: Environment): Promise<DoctorDiagnosis[]> {
  const accuracy = await timerAccuracy()
  const latency = await loopbackLatency()
  return [
    checkNode(),
    checkCores(),
    checkFiles(),
    await checkDisk(folder),
    await checkTemporary(),
    accuracy,
    latency,
    await k6(env),
  ]
}

/**
 * With fewer files even `run` with its own engine may not start, because its modules are files too.
 */
const FEWEST_FILES = 512
const COMFORTABLE_DISK_BYTES = 1_000_000_000

function checkNode(): DoctorDiagnosis {
  const version = versions.node
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const enough = major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1])
  return diagnosisOf(DOCTOR_DIAGNOSES, enough ? 'node-supported' : 'node-too-old', { version })
}

function checkCores(): DoctorDiagnosis {
  const count = availableParallelism()
  return diagnosisOf(DOCTOR_DIAGNOSES, count >= 2 ? 'cores-enough' : 'cores-too-few', { count })
}

/**
 * Each outstanding request uses a socket. With too few open files connections fail, which looks
 * like the target's fault.
 */
function checkFiles(): DoctorDiagnosis {
  const limit = openFilesLimit()
  const wellOff = limit === null || limit >= COMFORTABLE_FILES
  const code = wellOff ? 'files-enough' : limit < FEWEST_FILES ? 'files-too-few' : 'files-few'
  return diagnosisOf(DOCTOR_DIAGNOSES, code, { limit })
}

/** Scenarios are compiled into a temporary folder. */
async function checkTemporary(): Promise<DoctorDiagnosis> {
  const facts = { folder: tmpdir() }
  try {
    const folder = await temporaryFolder('scenario')
    await folder.remove()
    return diagnosisOf(DOCTOR_DIAGNOSES, 'temporary-folder-writable', facts)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return diagnosisOf(DOCTOR_DIAGNOSES, 'temporary-folder-unwritable', facts)
  }
}

async function checkDisk(folder: string): Promise<DoctorDiagnosis> {
  const { bavail, bsize } = await statfs(folder)
  const bytes = bavail * bsize
  const code = bytes >= COMFORTABLE_DISK_BYTES ? 'disk-enough' : 'disk-low'
  return diagnosisOf(DOCTOR_DIAGNOSES, code, { bytes })
}

export async function k6(env: Environment): Promise<DoctorDiagnosis> {
  const search = await searchK6(env)
  if (search.kind === 'found') {
    const { path, version } = search.binary
    return diagnosisOf(DOCTOR_DIAGNOSES, 'k6-found', { path, version })
  }
  const { kind, problem, found = null } = search
  const code = kind === 'absent' ? 'k6-absent' : 'k6-unusable'
  return diagnosisOf(DOCTOR_DIAGNOSES, code, { problem, version: found })
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
async function timerAccuracy(): Promise<DoctorDiagnosis> {
  const lateMs: number[] = []
  const start = performance.now()
  for (let i = 1; i <= TIMER_SAMPLES; i++) {
    const due = start + i * TIMER_STEP_MS
    await sleep(Math.max(0, due - performance.now()))
    lateMs.push(Math.max(0, performance.now() - due))
  }
  const facts = quantiles(lateMs)
  const code = facts.p99Ms < TIMER_BOUND_MS ? 'timers-exact' : 'timers-late'
  return diagnosisOf(DOCTOR_DIAGNOSES, code, facts)
}

/**
 * Sends one byte there and back over 127.0.0.1: the lower bound of every latency measured against a
 * local target.
 */
async function loopbackLatency(): Promise<DoctorDiagnosis> {
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
  const facts = quantiles(tripMs)
  const code = facts.p99Ms < ROUND_TRIP_BOUND_MS ? 'loopback-quick' : 'loopback-slow'
  return diagnosisOf(DOCTOR_DIAGNOSES, code, facts)
}

function quantiles(values: number[]): DelayQuantiles {
  const sorted = values.toSorted((a, b) => a - b)
  return { p50Ms: quantileOf(sorted, 0.5) ?? 0, p99Ms: quantileOf(sorted, 0.99) ?? 0 }
}
