/**
 * The cost of an execution for the fake crew: bytes beyond its inputs with a million executions
 * (goal: at most 300), and the time of a status answer with a thousand executions against a
 * million. The work is the same; the difference is the memory access for a row that no cache
 * contains.
 */
import type { Crew } from '../../fake-crew/model/crew.ts'
import { createCrew } from '../../fake-crew/model/crew.ts'
import { Held } from '../../fake-crew/model/exchange.ts'
import { loadProfile } from '../../fake-crew/profiles.ts'
import { createRandom } from '../../src/base/random.ts'
import { median } from '../support/median.ts'

const FEW = 1_000
const MANY = 1_000_000
/** The number of polls of one crew before the other's turn, and the number of turns. */
const BATCH = 1_000
const BATCHES = 300
const TOKENS = { organization: 'bench', user: 'user' }
const INPUTS = { topic: 'tides', audience: 'sailors' }
const BODY = Buffer.from(JSON.stringify({ inputs: INPUTS }))
/** Microseconds between two kickoffs. */
const GAP = 1_000

interface Filled {
  crew: Crew
  /** The time of the last kickoff. */
  nowMicros: number
}

function fill(count: number): Filled {
  const crew = createCrew(loadProfile('default'), { tokens: TOKENS })
  for (let n = 0; n < count; n++) {
    const headers = { authorization: 'Bearer bench', 'x-correlation-id': `r-2026-11-21/${n}` }
    // Each request gets its own text, as from a socket.
    const body = BODY.toString()
    const request = { method: 'POST', path: '/kickoff', headers, body, address: '127.0.0.1' }
    const reply = crew.answer(request, n * GAP)
    crew.finished(request, n * GAP)
    if (reply instanceof Held || reply.status !== 200) throw new Error(`kickoff ${n} was refused`)
  }
  return { crew, nowMicros: (count - 1) * GAP }
}

/** The size of the heap and typed arrays after a full collection. */
function bytesHeld(): number {
  globalThis.gc!()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

/**
 * Paths of random executions, nearly all of which wait for a worker. The paths are built in
 * advance, because building them is the client's work.
 */
function pathsOf({ crew, nowMicros }: Filled): () => string[] {
  const ids = Array.from(crew.ledger(nowMicros), ({ kickoff_id }) => kickoff_id)
  const random = createRandom(1)
  /** Decoded from bytes, as from a socket. */
  const path = (): string => Buffer.from(`/status/${random.pick(ids)}`).toString('latin1')
  return () => Array.from({ length: BATCH }, path)
}

function microsPerStatus({ crew, nowMicros }: Filled, paths: readonly string[]): number {
  const headers = { authorization: 'Bearer bench' }
  const began = performance.now()
  for (const path of paths) {
    const request = { method: 'GET', path, headers, body: null, address: '127.0.0.1' }
    crew.answer(request, nowMicros)
    crew.finished(request, nowMicros)
  }
  return ((performance.now() - began) * 1_000) / paths.length
}

/** Takes turns, so that a disturbance of the machine affects both. */
function compareStatus(few: Filled, many: Filled): void {
  const sides = [few, many].map((filled) => ({
    filled,
    paths: pathsOf(filled),
    micros: [] as number[],
  }))
  for (let batch = 0; batch < BATCHES; batch++) {
    for (const side of sides) side.micros.push(microsPerStatus(side.filled, side.paths()))
  }
  const [small, large] = sides.map(({ micros }) => median(micros)) as [number, number]
  console.log(
    `status at ${FEW}: ${small.toFixed(2)} us; at ${MANY}: ${large.toFixed(2)} us; ` +
      `ratio ${(large / small).toFixed(2)}`,
  )
}

fill(FEW)
const before = bytesHeld()
const began = performance.now()
const many = fill(MANY)
const kickoffMicros = ((performance.now() - began) * 1_000) / MANY
const bytes = (bytesHeld() - before) / MANY
const inputBytes = JSON.stringify(INPUTS).length
console.log(`${MANY} executions: ${bytes.toFixed(0)} bytes each, ${inputBytes} of them inputs`)
console.log(`beyond inputs: ${(bytes - inputBytes).toFixed(0)} bytes (goal: at most 300)`)
console.log(`kickoff: ${kickoffMicros.toFixed(2)} us`)
compareStatus(fill(FEW), many)
