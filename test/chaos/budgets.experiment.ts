/**
 * Budgets are hard: a thousand runs by chance, with retries and faults, many of them killed and
 * gone on with, and none spends one too many.
 */
import { expect, test } from 'vitest'
import { parseProfileText } from '../../fake-crew/profiles.ts'
import { remainingArrivals } from '../../src/engine/arrivals.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { pickUp } from '../../src/execution/pick-up.ts'
import type { JournalLine } from '../../src/execution/record/journal-lines.ts'
import { SendingBudget } from '../../src/engine/sending-budget.ts'
import type { VirtualHost } from '../../src/host/virtual/index.ts'
import { createVirtualHost } from '../../src/host/virtual/index.ts'
import { NETWORKS } from '../../src/host/virtual/network.ts'
import type { Random } from '../../src/base/random.ts'
import { createRandom } from '../../src/base/random.ts'
import { UnfinishedRun } from '../../src/journal/unfinished.ts'
import { runLine } from '../../src/run/bodies/body.ts'
import type { BudgetPlan, Plan } from '../../src/scenario/plan.ts'
import { withTimeLeft } from '../../src/scenario/time-budget.ts'
import { planScenario } from '../../src/scenario/schema/index.ts'
import { Mortal } from './mortal.ts'
import { seeds } from './support.ts'
import type { Weather } from './weather.ts'
import { story, weatherOf } from './weather.ts'

const RUNS = 1_000
const RUNS_A_TEST = 100
const FIRST = 50_001
const TOKEN = 'org'
const ALONE = { instance: 0, instances: 1 }

/** What all processes of one run did, as the world around them saw it. */
interface Seen {
  kickoffs: number
  requests: number
  /** How long each was alive, summed up. */
  workedMicros: number
  kills: number
}

const most = { kickoffs: 0, requests: 0, time: 0, kills: 0 }

test.each(Array.from({ length: RUNS / RUNS_A_TEST }, (_, i) => FIRST + i * RUNS_A_TEST))(
  'a hundred runs from seed %i',
  (first) => {
    const troubles = seeds(first, RUNS_A_TEST).flatMap((seed) => troublesOf(weatherOf(seed)))
    expect(troubles).toEqual([])
  },
)

test.skipIf(process.env['CREWLOAD_CHAOS_SEED'] !== undefined)(
  'every budget was spent to the last one in many of them, and many were killed',
  () => {
    expect(most.kickoffs).toBeGreaterThan(RUNS / 20)
    expect(most.requests).toBeGreaterThan(RUNS / 20)
    expect(most.time).toBeGreaterThan(RUNS / 20)
    expect(most.kills).toBeGreaterThan(RUNS / 4)
  },
)

function troublesOf(weather: Weather): string[] {
  const random = createRandom(weather.seed).fork('budgets')
  const own = planScenario(weather.scenario, { source: 'weather' })
  const plan = { ...own, budget: anyBudget(random) }
  const world = worldOf(weather, plan)
  const seen = livedThrough(world, plan, random)
  const { kickoffs, requests, wallMicros } = plan.budget
  const started = [...world.ledger()].length
  if (seen.kickoffs === kickoffs) most.kickoffs++
  if (seen.requests === requests) most.requests++
  if (seen.workedMicros === wallMicros) most.time++
  most.kills += seen.kills
  return [
    ...over('kickoffs sent', seen.kickoffs, kickoffs),
    ...over('kickoffs that the crew started', started, kickoffs),
    ...over('requests sent', seen.requests, requests),
    ...over('us at work', seen.workedMicros, wallMicros),
  ].map((trouble) => `${trouble}\n${JSON.stringify(plan.budget)}\n${story(weather)}`)
}

function over(what: string, count: number, limit: number | null): string[] {
  return limit === null || count <= limit ? [] : [`${count} ${what}, of ${limit}`]
}

function anyBudget(random: Random): BudgetPlan {
  const own = (name: string): Random => random.fork(name)
  const some = (name: string, draw: (stream: Random) => number): number | null =>
    own(name).int(4) === 0 ? null : draw(own(name).fork('limit'))
  return {
    kickoffs: some('kickoffs', (stream) => stream.int(25)),
    requests: some('requests', (stream) => 1 + stream.int(stream.pick([10, 60, 300]))),
    wallMicros: some('wall', (stream) => 1_000 + stream.int(3_000_000)),
  }
}

function worldOf({ profile, faults, seed }: Weather, plan: Plan): VirtualHost {
  return createVirtualHost({
    profile: parseProfileText(JSON.stringify({ ...profile, faults }), 'weather.yaml'),
    crewTokens: { organization: TOKEN, user: 'user' },
    tokens: [TOKEN],
    http: plan.http,
    network: NETWORKS.loopback,
    random: createRandom(seed),
    emit: () => {},
    budget: new SendingBudget({ kickoffs: null, requests: null }),
  })
}

/**
 * One process, killed perhaps, then others that go on with what the journal says, each perhaps
 * killed in its turn.
 */
function livedThrough(world: VirtualHost, plan: Plan, random: Random): Seen {
  world.startClock()
  const journal = [runLineOf(plan, world)]
  const seen: Seen = { kickoffs: 0, requests: 1, workedMicros: 0, kills: 0 }
  for (let life = 0; ; life++) {
    const bornMicros = world.now()
    const host = born(world, plan, journal, life === 0)
    const isCut = life < 4 && random.fork('cut', life).int(2) === 0
    host.live(isCut ? 1 + random.fork('length', life).int(80) : Infinity)
    seen.kickoffs += host.kickoffs
    seen.requests += host.requests
    seen.workedMicros += world.now() - bornMicros
    if (host.hasEnded) return seen
    host.kill()
    seen.kills++
    rest(world, random.fork('rest', life).int(300_000))
  }
}

/**
 * Its preflight asked once; whatever follows the first goes on with what the journal tells, and
 * kicks nothing off.
 */
function born(world: VirtualHost, plan: Plan, journal: JournalLine[], isFirst: boolean): Mortal {
  const remains = new UnfinishedRun()
  for (const line of journal) remains.saw(line)
  const { left, lastMicros, requestsReserved, workedMicros } = remains.instances[0]!
  const requestsSpent = isFirst ? 1 : requestsReserved
  const limits = isFirst ? plan.budget : { ...plan.budget, kickoffs: 0 }
  const host = new Mortal(
    world,
    new SendingBudget(limits, { spent: { kickoffs: 0, requests: requestsSpent } }),
    journal,
  )
  const remainder = {
    arrivals: remainingArrivals(plan, createRandom(plan.seed), ALONE, remains.begun),
    remainder: { left, pickUp, cutMicros: lastMicros },
  }
  const own = isFirst ? plan : withTimeLeft(plan, workedMicros, world.now())
  if (!isFirst) host.emit(resumedLine(world, lastMicros))
  const engine = createEngine(own, host, {
    runId: 'r',
    ...ALONE,
    ...(isFirst ? {} : remainder),
    onDone: () => {},
  })
  engine.start()
  return host
}

function resumedLine(world: VirtualHost, cutMicros: number): JournalLine {
  const { anchorUnixMs } = world
  const atMicros = world.now()
  return { type: 'resumed', instance: 0, anchorUnixMs, atMicros, cutMicros, indexes: [] }
}

function rest(world: VirtualHost, micros: number): void {
  const untilMicros = world.now() + micros
  world.wakeAt(untilMicros, () => {})
  while (world.now() < untilMicros) world.advance(1)
}

function runLineOf(plan: Plan, { anchorUnixMs }: VirtualHost): JournalLine {
  return runLine(plan, {
    runId: 'r',
    ...ALONE,
    engine: 'node',
    place: { kind: 'deployment', target: 'http://crew.virtual' },
    anchorUnixMs,
  })
}
