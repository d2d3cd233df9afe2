/**
 * Virtual time's speed on one core: the whole loop (engine, state machine, readers, contract,
 * simulated network, the fake crew's model with the HTTP latency of the profile `default`); its
 * lines are discarded.
 *
 * First polls alone: 1,000 executions in flight that do not end meanwhile, with the default
 * polling, for about an hour; the goal is 150,000 a second. Then an hour of 1,000 executions in
 * flight, each of about five minutes, from the first arrival to the last line; the goal is 5 s. For
 * comparison the same with executions of a minute, of which there are five times as many, and the
 * time of the whole command line for those, with recorder, journal, ledger and reports.
 *
 * All by CPU time of this process, including garbage collection on the one thread, of the best
 * round: other activity on the machine evicts the caches, and a round cannot be faster than the
 * code is. Exit code 1 when a goal is missed.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadProfile } from '../../fake-crew/profiles.ts'
import type { Profile } from '../../fake-crew/model/profile.ts'
import type { Distribution } from '../../src/base/distribution.ts'
import { createEngine } from '../../src/engine/engine.ts'
import type { RunningEngine } from '../../src/engine/engine.ts'
import { SendingBudget } from '../../src/engine/sending-budget.ts'
import type { VirtualHost } from '../../src/host/virtual/index.ts'
import { createVirtualHost, networkNamed } from '../../src/host/virtual/index.ts'
import { createRandom } from '../../src/base/random.ts'
import { run } from '../../src/run/run.ts'
import { defineScenario } from '../../src/scenario/define.ts'
import type { ArrivalPlan, Plan } from '../../src/scenario/plan.ts'
import { testPlan } from '../../test/support/plan.ts'

const SECOND = 1_000_000
const HOUR = 3_600 * SECOND
const IN_FLIGHT = 1_000
const ROUNDS = 10
const TOKENS = { organization: 'bench', user: 'user' }

/** The plan uses the defaults of `polling` and the other options. */
const plan: Plan = testPlan({
  polling: {
    kind: 'exponential',
    initialMicros: 2 * SECOND,
    factor: 1.5,
    maxMicros: 15 * SECOND,
    jitter: 'equal',
  },
  deadlineMicros: 100 * HOUR,
  confirmShare: 0.01,
  inputs: () => ({ inputs: { topic: 'tides', audience: 'sailors' }, tags: {} }),
  http: {
    connectTimeoutMicros: 10 * SECOND,
    requestTimeoutMicros: 30 * SECOND,
    firstCallTimeoutMicros: 180 * SECOND,
    maxConnections: IN_FLIGHT,
    maxBodyBytes: 10_000_000,
  },
})

/** Three tasks of the same duration; nobody waits for a worker. */
function profileOf(duration: Distribution): Profile {
  const own = loadProfile('default')
  const tasks = own.tasks.map((task) => ({ ...task, duration }))
  return { ...own, tasks, capacity: { ...own.capacity, workers: null } }
}

interface Simulation {
  host: VirtualHost
  engine: RunningEngine
}

function simulate(profile: Profile, arrivals: ArrivalPlan): Simulation {
  const host = createVirtualHost({
    profile,
    crewTokens: TOKENS,
    tokens: [TOKENS.organization],
    http: plan.http,
    network: networkNamed('loopback'),
    random: createRandom(plan.seed),
    emit: () => {},
    budget: new SendingBudget({ kickoffs: null, requests: null }),
  })
  const options = { runId: 'bench', instance: 0, instances: 1, onDone: () => {} }
  const engine = createEngine({ ...plan, arrivals }, host, options)
  engine.start()
  return { host, engine }
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

const EVENTS_A_ROUND = 1_000_000

function pollsASecond(): number {
  const ever: Distribution = { kind: 'constant', value: 10 * HOUR }
  const atOnce = Array.from({ length: IN_FLIGHT }, (_, i) => i * 10_000)
  const rates: number[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const { host, engine } = simulate(profileOf(ever), { kind: 'replay', offsetsMicros: atOnce })
    const cpuBefore = cpuSeconds()
    host.advance(EVENTS_A_ROUND)
    rates.push(engine.stats().polls / (cpuSeconds() - cpuBefore))
  }
  return Math.max(...rates)
}

interface Hour {
  seconds: number
  executions: number
  polls: number
}

/** Executions of three equal tasks, with a mean duration of `minutes`. */
function hour(minutes: number): Hour {
  const rate = { count: IN_FLIGHT, perMicros: minutes * 60 * SECOND }
  const [min, max] = [minutes * 10 * SECOND, minutes * 30 * SECOND]
  const profile = profileOf({ kind: 'uniform', min, max })
  const rounds = Array.from({ length: 2 }, () => {
    const cpuBefore = cpuSeconds()
    const { host, engine } = simulate(profile, {
      kind: 'open',
      segments: [{ from: rate, to: rate, forMicros: HOUR }],
      process: { kind: 'poisson' },
    })
    while (host.advance(EVENTS_A_ROUND));
    const { started: executions, polls } = engine.stats()
    return { seconds: cpuSeconds() - cpuBefore, executions, polls }
  })
  return rounds.reduce((best, round) => (round.seconds < best.seconds ? round : best))
}

const CREW = `name: hour
inputs: [topic]
capacity: { workers: unlimited }
tasks:
${['research', 'outline', 'write'].map((id) => `  - { id: ${id}, agent: ${id}, duration: { uniform: { min: 10s, max: 30s } }, output: 1kB }`).join('\n')}
`

/** Runs 1,000 clients for an hour, with everything that a run writes. */
async function wholeRun(): Promise<Hour> {
  const folder = mkdtempSync(join(tmpdir(), 'crewload-bench-'))
  const profile = join(folder, 'crew.yaml')
  writeFileSync(profile, CREW)
  const scenario = defineScenario({
    name: 'hour',
    arrivals: { clients: IN_FLIGHT, for: '1h' },
    inputs: { topic: 'tides' },
  })
  const cpuBefore = cpuSeconds()
  const options = { engine: 'virtual', profile, out: join(folder, 'reports') } as const
  const { document } = await run(scenario, options)
  const seconds = cpuSeconds() - cpuBefore
  rmSync(folder, { recursive: true })
  const { arrivals: executions, generator } = document
  return { seconds, executions, polls: generator.requests - executions }
}

function tell(title: string, { seconds, executions, polls }: Hour, aside: string): void {
  const counts = `${executions} executions, ${polls} polls`
  console.log(`${title.padEnd(36)} ${seconds.toFixed(2)} s (${counts}${aside})`)
}

function tellHour(title: string, taken: Hour): void {
  tell(title, taken, `; goal: at most ${GOAL_HOUR_SECONDS} s`)
  if (taken.seconds > GOAL_HOUR_SECONDS) process.exitCode = 1
}

const GOAL_POLLS = 150_000
const GOAL_HOUR_SECONDS = 5

const polls = Math.round(pollsASecond())
if (polls < GOAL_POLLS) process.exitCode = 1
console.log(`${'polls, 1,000 in flight'.padEnd(36)} ${polls} a second (goal: ${GOAL_POLLS})`)
tellHour('an hour of 1,000, of 5 minutes each', hour(5))
tell('the same, of a minute each', hour(1), '')
tell('the same, outputs of 1 kB, all told', await wholeRun(), '; with journal, ledger and reports')
