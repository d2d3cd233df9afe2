/**
 * Measures the memory of an execution in flight, by the heap after a garbage collection: the state
 * machine, its record so far, and the engine's agenda, without host, journal and target. In one
 * case every poll gets the same answer, in the other every third poll reports a new task. The goals
 * are 2 kB after ten polls, and 8 bytes for each further poll with an unchanged answer.
 *
 * `node bench/run.mjs in-flight-memory [EXECUTIONS]`, by default 50,000.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createEngine } from '../../src/engine/engine.ts'
import { MICROS_PER_SECOND } from '../../src/base/units.ts'
import type { SimulatedTarget } from '../../test/engine/simulated-host.ts'
import { SimulatedHost } from '../../test/engine/simulated-host.ts'
import { testPlan } from '../../test/support/plan.ts'

const EXECUTIONS = Number(process.argv[2] ?? 50_000)
const EVERY_MICROS = 60 * MICROS_PER_SECOND
const RAMP_MICROS = 30 * MICROS_PER_SECOND
const [FIRST, LAST] = [10, 28]

/**
 * Builds a target whose executions are all at the same task, which depends on the time of the run
 * alone: a new one begins after `pollsATask` polls.
 */
function targetOf(pollsATask: number): SimulatedTarget {
  return ({ operation, execution }, nowMicros) => {
    const afterMicros = 5_000 + (execution % 97) * 311
    const task = Math.floor(nowMicros / EVERY_MICROS / pollsATask)
    const [low, high] = [execution, nowMicros].map((part) => part.toString(16).padStart(12, '0'))
    const body =
      operation === 'kickoff'
        ? { kickoff_id: `${low}-5c1e-4f7a-${high}` }
        : {
            status: 'running',
            current_task: `task ${task + 1}`,
            progress: { completed_tasks: task, total_tasks: LAST },
          }
    return { kind: 'reply', afterMicros, status: 200, body: JSON.stringify(body) }
  }
}

const plan = testPlan({
  arrivals: {
    kind: 'replay',
    offsetsMicros: Array.from({ length: EXECUTIONS }, (_, i) =>
      Math.floor((i * RAMP_MICROS) / EXECUTIONS),
    ),
  },
  polling: { kind: 'fixed', everyMicros: EVERY_MICROS, initialDelayMicros: EVERY_MICROS },
  deadlineMicros: 2 * LAST * EVERY_MICROS,
  http: {
    requestTimeoutMicros: 30 * MICROS_PER_SECOND,
    firstCallTimeoutMicros: 30 * MICROS_PER_SECOND,
  },
})

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

function heldBytes(): number {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Returns the bytes per execution after the first and after the last number of polls. */
function measure(target: SimulatedTarget): { first: number; last: number } {
  const host = new SimulatedHost(target, { forgetful: true })
  const options = { runId: 'bench', instance: 0, instances: 1, onDone: () => {} }
  const engine = createEngine(plan, host, options)
  const idle = heldBytes()
  const held = { first: 0, last: 0 }
  const eachNow = () => (heldBytes() - idle) / engine.stats().inFlight
  host.at((FIRST + 0.8) * EVERY_MICROS, () => (held.first = eachNow()))
  host.at((LAST + 0.8) * EVERY_MICROS, () => {
    held.last = eachNow()
    engine.stop('now')
  })
  engine.start()
  host.run(1_000 * EXECUTIONS)
  return held
}

for (const [name, pollsATask] of [
  ['answers that repeat', Infinity],
  ['a new task with each third poll', 3],
] as const) {
  const { first, last } = measure(targetOf(pollsATask))
  const added = (last - first) / (LAST - FIRST)
  console.log(
    `${name}: ${first.toFixed(0)} bytes with ${FIRST} polls, ${added.toFixed(1)} a further poll`,
  )
}
