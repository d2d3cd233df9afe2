/** What a crew holds in memory follows what it still has to answer for, not what there ever was. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { Executions } from '../../../fake-crew/model/work/executions.ts'
import { parseFaults } from '../../../fake-crew/profiles.ts'
import { fingerprint } from '../../../src/base/fingerprint.ts'
import type { CompletedBody } from '../../../src/crew/wire.ts'
import { Client, INPUTS, bodyOf } from '../client.ts'
import { SECOND, sampleProfile } from '../sample-profile.ts'
import { areExperimentsRun } from '../../experiments.ts'

const RETENTION = 10 * SECOND
const KEPT = sampleProfile({ retentionMicros: RETENTION })
const MEGABYTE = 1_000_000

/** Ten kickoffs a second, each with this much to say, and one poll. */
function soak(client: Client, kickoffs: number, bytes: number): void {
  for (let n = 0; n < kickoffs; n++) {
    const atMicros = (n * SECOND) / 10
    const id = client.kickoff(atMicros, { ...INPUTS, topic: String(n).padEnd(bytes, 'x') })
    client.status(id, atMicros)
  }
}

/** Bytes of what is still in use. */
function heapInUse(): number {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
  return process.memoryUsage().heapUsed
}

test.runIf(areExperimentsRun)(
  'what was asked is let go with the retention of its execution',
  () => {
    const roomy = { ...KEPT, limits: { ...KEPT.limits, bodyBytes: MEGABYTE } }
    const client = new Client(roomy)
    const before = heapInUse()
    // 100 MB of bodies, of which 6.5 MB, those of 13 s, count at a time.
    soak(client, 2_000, 50_000)
    expect(heapInUse() - before).toBeLessThan(20 * MEGABYTE)
    expect(client.crew.count).toBe(2_000)
  },
)

test('the ledger tells the same before the retention is over and after', () => {
  const client = new Client(KEPT)
  const id = client.kickoff()
  const lost = client.kickoff(SECOND)
  const [early] = [...client.crew.ledger(5 * SECOND)]
  const { result } = bodyOf(client.status(id, 5 * SECOND)) as CompletedBody
  for (let n = 0; n < 5; n++) client.kickoff(100 * SECOND)
  expect(client.status(lost, 100 * SECOND).status).toBe(404)
  const [late] = [...client.crew.ledger(100 * SECOND)]
  expect(late).toEqual(early)
  expect(late!.output_hash).toBe(fingerprint(result.output))
})

test('a fault that tells of another execution finds none that is forgotten', () => {
  const faults = parseFaults('swap: {}', 'faults')
  const client = new Client({ ...KEPT, faults })
  client.kickoff()
  const id = client.kickoff(100 * SECOND)
  for (let n = 0; n < 5; n++) client.status(id, 101 * SECOND)
  const { result } = bodyOf(client.status(id, 104 * SECOND)) as CompletedBody
  expect(result.output).toMatch(/^Execution 1,/)
})

test('of executions that are long over, the oldest are dropped by the thousand', () => {
  const executions = new Executions(1, { kept: 10_000 })
  for (let ordinal = 0; ordinal < 25_000; ordinal++) {
    executions.add({
      acceptedMicros: ordinal,
      startedMicros: ordinal,
      demand: { fate: 'completed', taskEndsMs: [1], setUpMs: 0 },
      body: '{}',
      correlation: `run/${ordinal}`,
    })
    if (ordinal % 1_000 === 0) executions.lose(ordinal, 'running')
    executions.dropOld()
    expect(executions.count - executions.first).toBeLessThan(10_000 + 2 * 4_096)
  }
  const { first } = executions
  expect(first).toBeGreaterThan(0)
  expect(executions.correlation(first)).toBe(`run/${first}`)
  expect(executions.correlation(first - 1)).toBeNull()
  expect(executions.lostMicros(20_500)).toBe(21_000)
  expect(executions.startingAfter(24_989)).toBe(10)
})

test('executions by phase are those that the ledger tells, at any time', () => {
  const capacity = { ...KEPT.capacity, workers: 2 }
  const restart = 'restart: { loses: running }\nwindow: { from: 20s }'
  const client = new Client({
    ...KEPT,
    capacity,
    stuckChance: 0.1,
    faults: parseFaults(restart, 'faults'),
  })
  for (let n = 0; n < 40; n++) {
    const atMicros = n * 700_000
    client.kickoff(atMicros)
    expect(phasesIn(client.crew.metrics(atMicros))).toEqual(phasesOf(client, atMicros))
  }
})

function phasesIn(metrics: string): Record<string, number> {
  const samples = metrics.matchAll(/fake_crew_executions\{state="(\w+)"\} (\d+)/g)
  return Object.fromEntries(Array.from(samples, ([, state, count]) => [state, Number(count)]))
}

function phasesOf(client: Client, atMicros: number): Record<string, number> {
  const phases: Record<string, number> = { queued: 0, running: 0, completed: 0, failed: 0 }
  for (const { outcome, started_ms } of client.crew.ledger(atMicros)) {
    if (outcome === 'lost') continue
    const phase = outcome === 'completed' || outcome === 'failed' ? outcome : 'running'
    phases[started_ms === null ? 'queued' : phase]!++
  }
  return phases
}
