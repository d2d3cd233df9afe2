/**
 * Runs a real engine on a real host with 2,000 executions in flight that poll every 2 s, which is
 * 1,000 polls a second. Prints the lateness of the polls, the event-loop utilisation and the
 * memory. The goals are a lateness p99 under 5 ms and less than 150 MB for the process. The target
 * runs in its own process and answers fixed bytes.
 */
import { fileURLToPath } from 'node:url'
import { createEngine } from '../../src/engine/engine.ts'
import type { ExecutionRecord } from '../../src/execution/record/record.ts'
import { SendingBudget } from '../../src/engine/sending-budget.ts'
import { createNodeHost } from '../../src/host/node/index.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../src/base/units.ts'
import { testPlan } from '../../test/support/plan.ts'
import { serveCannedCrew, startCannedCrew } from '../support/canned-crew.ts'

const EXECUTIONS = 2_000
const RAMP_SECONDS = 4
const POLL_SECONDS = 2
const SECONDS = 12

async function load(): Promise<void> {
  const target = await startCannedCrew(fileURLToPath(import.meta.url))
  const gapMicros = (RAMP_SECONDS * MICROS_PER_SECOND) / EXECUTIONS
  const plan = testPlan({
    arrivals: {
      kind: 'replay',
      offsetsMicros: Array.from({ length: EXECUTIONS }, (_, i) => i * gapMicros),
    },
    polling: {
      kind: 'fixed',
      everyMicros: POLL_SECONDS * MICROS_PER_SECOND,
      initialDelayMicros: 0,
    },
    deadlineMicros: SECONDS * MICROS_PER_SECOND,
    http: {
      maxConnections: 200,
      preOpenConnections: 20,
      requestTimeoutMicros: 10 * MICROS_PER_SECOND,
      firstCallTimeoutMicros: 10 * MICROS_PER_SECOND,
    },
  })
  const lateMicros: number[] = []
  const waitMicros: number[] = []
  let answers = 0
  const host = await createNodeHost({
    target: target.url,
    tokens: ['token'],
    http: plan.http,
    emit: () => {},
    budget: new SendingBudget(plan.budget),
    onAnswer: () => answers++,
  })
  const onEnded = ({ polls }: ExecutionRecord): void => {
    for (const late of polls.lateMicros) lateMicros.push(late)
    for (const wait of polls.waitMicros) waitMicros.push(wait)
  }
  host.startClock()
  const cpuBefore = process.cpuUsage()
  await new Promise<unknown>((onDone) => {
    createEngine(plan, host, { runId: 'b', instance: 0, instances: 1, onEnded, onDone }).start()
  })
  const seconds = host.now() / MICROS_PER_SECOND
  const { user, system } = process.cpuUsage(cpuBefore)
  const vitals = host.vitals()
  await host.close()
  target.stop()
  console.log(`${EXECUTIONS} executions, ${answers} answers in ${seconds.toFixed(1)} s`)
  for (const [name, values] of Object.entries({
    lateness: lateMicros,
    'socket wait': waitMicros,
  })) {
    console.log(`${name} ms: p50 ${ms(values, 0.5)}  p99 ${ms(values, 0.99)}  max ${ms(values, 1)}`)
  }
  console.log(
    `event loop ${vitals.utilisationMean?.toFixed(2)} ` +
      `(sustained ${vitals.utilisationSustained?.toFixed(2)}), ` +
      `CPU ${((user + system) / MICROS_PER_SECOND / seconds).toFixed(2)} of a core, ` +
      `peak memory ${((vitals.peakMemoryBytes ?? 0) / 1e6).toFixed(0)} MB, ` +
      `${vitals.connectionsOpened} connections`,
  )
}

function ms(values: number[], q: number): string {
  const sorted = values.toSorted((a, b) => a - b)
  const micros = sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN
  return (micros / MICROS_PER_MS).toFixed(2)
}

if (process.argv[2] === 'serve') serveCannedCrew()
else await load()
