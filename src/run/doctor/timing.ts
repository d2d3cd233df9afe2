/** The doctor's checks of time: how late timers are, and how long a loopback round trip takes. */
import { quantileOf } from '../../result/statistics/quantiles.ts'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatDuration } from '../../base/units.ts'
import type { Diagnosis } from './diagnosis.ts'

const TIMER_SAMPLES = 150
const TIMER_STEP_MS = 4
const TIMER_BOUND_MS = 5
const ROUND_TRIPS = 300
const ROUND_TRIP_BOUND_MS = 2

/**
 * Measures how late each release of an absolute schedule of short waits is, as the engine keeps
 * one.
 */
export async function timerAccuracy(): Promise<Diagnosis> {
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
export async function loopbackLatency(): Promise<Diagnosis> {
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
