/**
 * Runs the model of the fake crew over many executions in virtual time, with ledger, limiter and
 * retention, and prints kickoffs and polls per second of CPU time, and the memory at the beginning
 * and the end (goal: no growth). Then it serves a ledger of a million rows over HTTP, and prints
 * the longest pause of the server (goal: 5 ms). Usage: `fake-crew-soak [executions [rows]]`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { execPath } from 'node:process'
import { setImmediate } from 'node:timers/promises'
import type { Crew } from '../../fake-crew/model/crew.ts'
import { createCrew } from '../../fake-crew/model/crew.ts'
import type { FakeRequest } from '../../fake-crew/model/exchange.ts'
import { Held } from '../../fake-crew/model/exchange.ts'
import { parseProfileText, readProfile } from '../../fake-crew/profiles.ts'
import { crewBackend } from '../../fake-crew/server/crew-backend.ts'
import { LiveModel } from '../../fake-crew/server/live-model.ts'
import { serve } from '../../fake-crew/server/server.ts'

const EXECUTIONS = Number(process.argv[2] ?? 20_000_000)
const ROWS = Number(process.argv[3] ?? 1_000_000)
/** The time between kickoffs: 10,000 of them a second. */
const GAP_MICROS = 100
const POLLS = 4
const PARTS = 10
/** The number of kickoffs before their polls begin. */
const BATCH = 10_000
const LOOPBACK = { host: '127.0.0.1', port: 0 }
const TOKENS = { organization: 'bench', user: 'user' }
const HEADERS = { authorization: 'Bearer bench' }
const BODY = JSON.stringify({ inputs: { topic: 'tides', audience: 'sailors' } })

const PROFILE = `
name: soaked
inputs: [topic, audience]
tasks: [{ id: work, agent: Worker, duration: { uniform: { min: 1s, max: 3s } }, output: 512B }]
capacity: { workers: unlimited }
retention: 10s
limits:
  rules:
    - { name: kickoffs, operations: [kickoff], tokenBucket: { rate: 20000/s, capacity: 40000 } }
    - { name: polls, operations: [status], tokenBucket: { rate: 80000/s, capacity: 160000 } }
`

function asked(crew: Crew, request: FakeRequest, nowMicros: number): string {
  const reply = crew.answer(request, nowMicros)
  crew.finished(request, nowMicros)
  if (reply instanceof Held || reply.status !== 200) throw new Error(`not 200: ${request.path}`)
  return String(reply.body)
}

const requestOf = (method: string, path: string, body: string, n: number): FakeRequest => ({
  method,
  path,
  // Each request has its own texts, as from a socket.
  headers: { ...HEADERS, 'x-correlation-id': `r-2026-11-21/${n}` },
  body: Buffer.from(body).toString(),
  address: '127.0.0.1',
})

interface Cpu {
  kickoffs: number
  polls: number
}

/**
 * Kicks off `count` executions, and polls each of them and some earlier ones; adds the CPU time to
 * `cpu`.
 */
function load(crew: Crew, first: number, count: number, cpu: Cpu): void {
  const batch = Math.min(BATCH, count)
  for (let from = first; from < first + count; from += batch) {
    const ids: string[] = []
    let before = process.cpuUsage()
    for (let n = from; n < from + batch; n++) {
      const answer = asked(crew, requestOf('POST', '/kickoff', BODY, n), n * GAP_MICROS)
      ids.push((JSON.parse(answer) as { kickoff_id: string }).kickoff_id)
    }
    cpu.kickoffs += secondsSince(before)
    before = process.cpuUsage()
    for (let poll = 0; poll < POLLS; poll++) {
      const nowMicros = (from + batch) * GAP_MICROS
      for (const [i, id] of ids.entries()) {
        asked(crew, requestOf('GET', `/status/${id}`, '', from + i), nowMicros)
      }
    }
    cpu.polls += secondsSince(before)
  }
}

function secondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

function megabytesHeld(): number {
  globalThis.gc!()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / 1e6
}

const profile = parseProfileText(PROFILE, 'bench')

const rate = (count: number, seconds: number): string =>
  Math.round(count / seconds).toLocaleString('en')

function soak(): void {
  const crew = createCrew(profile, { tokens: TOKENS })
  const part = EXECUTIONS / PARTS
  for (let i = 0; i < PARTS; i++) {
    const cpu = { kickoffs: 0, polls: 0 }
    load(crew, i * part, part, cpu)
    process.stdout.write(
      `${((i + 1) * part).toLocaleString('en')} executions: ${rate(part, cpu.kickoffs)} ` +
        `kickoffs, ${rate(part * POLLS, cpu.polls)} polls per CPU second; ` +
        `${megabytesHeld().toFixed(0)} MB\n`,
    )
  }
}

/** Asks for the ledger from another process, and prints the number of its lines. */
const CLIENT = `
let lines = 0
require('node:http').get(process.argv[1], (answer) => {
  answer.on('data', (bytes) => { for (const byte of bytes) if (byte === 10) lines++ })
  answer.on('end', () => console.log(lines))
})`

/**
 * Returns the CPU milliseconds of this process's event-loop turns until `over` settles, in rising
 * order.
 */
async function turnsUntil(over: Promise<unknown>): Promise<number[]> {
  const turns: number[] = []
  const state = { isOver: false }
  void over.finally(() => (state.isOver = true))
  for (let before = process.cpuUsage(); !state.isOver; before = process.cpuUsage()) {
    await setImmediate()
    turns.push(secondsSince(before) * 1_000)
  }
  return turns.toSorted((a, b) => a - b)
}

async function ledgerOverHttp(): Promise<void> {
  const live = new LiveModel<Crew>(readProfile(PROFILE, 'bench'), (used, start) =>
    createCrew(used, { tokens: TOKENS, ...start }),
  )
  const server = await serve({ backend: crewBackend(live), adminToken: null, ...LOOPBACK })
  for (let n = 0; n < ROWS; n++) {
    asked(live.model, requestOf('POST', '/kickoff', BODY, n), live.nowMicros() + n * GAP_MICROS)
  }
  const client = spawn(execPath, ['-e', CLIENT, `${server.url}/__fake__/ledger`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const told = once(client.stdout, 'data')
  const turns = await turnsUntil(told)
  const lines = Number(String((await told)[0]))
  const at = (share: number): string =>
    (turns[Math.floor(share * (turns.length - 1))] ?? 0).toFixed(1)
  process.stdout.write(
    `ledger of ${lines.toLocaleString('en')} rows in ${turns.length} turns: p50 ${at(0.5)} ` +
      `ms, p99 ${at(0.99)} ms, longest ${at(1)} ms of CPU time\n`,
  )
  await server.stop()
}

if (EXECUTIONS > 0) soak()
await ledgerOverHttp()
