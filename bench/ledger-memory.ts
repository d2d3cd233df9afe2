/**
 * What an execution costs the fake crew: bytes beyond its inputs at a million of them (goal: at most 300), and the time of a
 * status answer at a thousand against at a million (goal: the same).
 */
import type { Crew } from '../fake-crew/model/crew.ts'
import { createCrew } from '../fake-crew/model/crew.ts'
import { loadProfile } from '../fake-crew/profiles.ts'
import { createRandom } from '../src/random.ts'

const FEW = 1_000
const MANY = 1_000_000
const POLLS = 200_000
const TOKENS = { organization: 'bench', user: 'user' }
const INPUTS = { topic: 'tides', audience: 'sailors' }
const BODY = JSON.stringify({ inputs: INPUTS })
/** Microseconds between two kickoffs. */
const GAP = 1_000

interface Filled {
  crew: Crew
  ids: string[]
}

/** Keeps a sample of ids alone: they are the client's, not the crew's. */
function fill(count: number): Filled {
  const crew = createCrew(loadProfile('default'), { tokens: TOKENS })
  const ids: string[] = []
  for (let n = 0; n < count; n++) {
    const headers = { authorization: 'Bearer bench', 'x-correlation-id': `r-2026-11-21/${n}` }
    const request = { method: 'POST', path: '/kickoff', headers, body: BODY, address: '127.0.0.1' }
    const reply = crew.answer(request, n * GAP)
    crew.finished(request, n * GAP)
    if (reply.status !== 200) throw new Error(`kickoff ${n}: ${reply.status}`)
    if (n % Math.max(1, count / FEW) === 0) ids.push(idOf(reply.body))
  }
  return { crew, ids }
}

function idOf(body: string | null): string {
  return (JSON.parse(body ?? '') as { kickoff_id: string }).kickoff_id
}

/** Heap and typed arrays, after a full collection. */
function bytesHeld(): number {
  globalThis.gc!()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

/** Of running executions: those still waiting, at the time of the last kickoff. */
function microsPerStatus({ crew, ids }: Filled, nowMicros: number): number {
  const random = createRandom(1)
  const headers = { authorization: 'Bearer bench' }
  const began = performance.now()
  for (let n = 0; n < POLLS; n++) {
    const path = `/status/${random.pick(ids)}`
    const request = { method: 'GET', path, headers, body: null, address: '127.0.0.1' }
    crew.answer(request, nowMicros)
    crew.finished(request, nowMicros)
  }
  return ((performance.now() - began) * 1_000) / POLLS
}

const few = fill(FEW)
microsPerStatus(few, 0)

const before = bytesHeld()
const began = performance.now()
const many = fill(MANY)
const kickoffMicros = ((performance.now() - began) * 1_000) / MANY
const bytes = (bytesHeld() - before) / MANY
const inputBytes = JSON.stringify(INPUTS).length
console.log(`${MANY} executions: ${bytes.toFixed(0)} bytes each, ${inputBytes} of them inputs`)
console.log(`beyond inputs: ${(bytes - inputBytes).toFixed(0)} bytes (goal: at most 300)`)
console.log(`kickoff: ${kickoffMicros.toFixed(2)} us`)

const fewMicros = [0, 1, 2].map(() => microsPerStatus(few, FEW * GAP))
const manyMicros = [0, 1, 2].map(() => microsPerStatus(many, FEW * GAP))
const [small, large] = [Math.min(...fewMicros), Math.min(...manyMicros)]
console.log(
  `status at ${FEW}: ${small.toFixed(2)} us; at ${MANY}: ${large.toFixed(2)} us; ` +
    `ratio ${(large / small).toFixed(2)}`,
)
