/**
 * Measures the CPU time of one poll in the state machine: reading the answer, checking the
 * contract, recording, and computing when the next poll is due. Two answers in three repeat the one
 * before. In one case a repetition is recognised by its text (as in Node and k6) or its value (as
 * in virtual time), in the other every answer is read anew; a third measures the decoding of the
 * text alone, from the bytes of a connection. All take turns in each round, and the lowest round
 * counts.
 */
import { readStatus } from '../../src/crew/read.ts'
import { advance, createExecution, createShared } from '../../src/execution/machine.ts'
import type { SharedState } from '../../src/execution/machine.ts'
import { decodeText } from '../../src/host/node/exchange.ts'
import { ACCEPTED, answerTo, planWith } from '../../test/execution/support.ts'

const ROUNDS = 15
const EXECUTIONS = 1_000
const POLLS = 30
const SAME_IN_A_ROW = 3
const SECOND = 1_000_000

const plan = planWith({ deadlineMicros: 3_600 * SECOND })
const HEADERS = { 'content-type': 'application/json; charset=utf-8' }

/** The answers of a crew of ten tasks, which are polled equally often. */
const VALUES = Array.from({ length: POLLS / SAME_IN_A_ROW }, (_, i) => ({
  status: 'running',
  current_task: `task ${i + 1}`,
  progress: { completed_tasks: i, total_tasks: POLLS / SAME_IN_A_ROW },
}))
const BYTES = VALUES.map((value) => Buffer.from(JSON.stringify(value)))

interface Body {
  body: string
  json?: unknown
}

const fromBytes = (i: number): Body => ({ body: decodeText(BYTES.slice(i, i + 1)) })
const asValue = (i: number): Body => ({ body: '', json: VALUES[i] })

/** Carries all executions through their polls in turns, as those in flight are. */
function live(shared: SharedState, bodyOf: (i: number) => Body): void {
  const executions = Array.from({ length: EXECUTIONS }, (_, index) => {
    const arrival = { index, instance: 0, intendedMicros: 0, warmUp: false }
    const execution = createExecution(shared, arrival)
    advance(execution, { kind: 'due', atMicros: 0 })
    const answer = answerTo({ ...ACCEPTED, body: { kickoff_id: `id-${index}` } }, 0)
    advance(execution, { kind: 'answer', atMicros: 2_000, answer })
    return execution
  })
  for (let poll = 0; poll < POLLS; poll++) {
    for (const execution of executions) {
      const atMicros = execution.dueMicros
      advance(execution, { kind: 'due', atMicros })
      const doneMicros = atMicros + 2_000
      const timing = {
        releasedMicros: atMicros,
        sentMicros: atMicros,
        doneMicros,
        newConnection: false,
      }
      const body = bodyOf(Math.floor(poll / SAME_IN_A_ROW))
      const answer = { kind: 'answer', status: 200, headers: HEADERS, timing, ...body } as const
      advance(execution, { kind: 'answer', atMicros: doneMicros, answer })
    }
  }
}

/** Returns the microseconds of CPU time per poll. */
function taken(work: () => void): number {
  const { user, system } = process.cpuUsage()
  work()
  const after = process.cpuUsage()
  return (after.user + after.system - user - system) / (EXECUTIONS * POLLS)
}

let characters = 0
const anew = (): SharedState => ({ ...createShared(plan, 'bench'), readings: { read: readStatus } })
const WAYS: Record<string, () => void> = {
  'text, each read anew': () => live(anew(), fromBytes),
  'text, known when it repeats': () => live(createShared(plan, 'bench'), fromBytes),
  'value, each read anew': () => live(anew(), asValue),
  'value, known when it repeats': () => live(createShared(plan, 'bench'), asValue),
  'bytes to text alone': () => {
    for (let i = 0; i < EXECUTIONS * POLLS; i++) {
      characters += fromBytes(i % BYTES.length).body.length
    }
  },
}
const lowest = new Map<string, number>()
for (let round = 0; round < ROUNDS; round++) {
  for (const [way, work] of Object.entries(WAYS)) {
    lowest.set(way, Math.min(lowest.get(way) ?? Infinity, taken(work)))
  }
}
for (const [way, micros] of lowest) console.log(`${way.padEnd(32)}${micros.toFixed(2)} us`)
if (characters === 0) process.exitCode = 1
