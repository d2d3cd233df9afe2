/** The script of a VU: its options, its share, its lines, and whom it obeys. */
import { assert, asyncProperty, double, integer, nat, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JournalLine } from '../../../src/execution/record/journal-lines.ts'
import type { BudgetLimits } from '../../../src/engine/sending-budget.ts'
import { SendingBudget } from '../../../src/engine/sending-budget.ts'
import { createScript, leadMs } from '../../../src/host/k6/script.ts'
import type { Bundled, SharedByVus } from '../../../src/host/k6/script.ts'
import { portablePlan } from '../../../src/scenario/plan-data.ts'
import { planScenario } from '../../../src/scenario/schema/index.ts'
import { runLine } from '../../../src/run/bodies/body.ts'
import { settled, StillWorld } from './world.ts'
import { whyOf } from '../../support/reasons.ts'

const SCENARIO = {
  name: 'mine',
  arrivals: { replay: 'before' },
  inputs: { rows: 'rows.json' },
  polling: { fixed: '100ms' },
  deadline: '10s',
  drain: '1s',
  confirm: 0,
}
const OFFSETS = [0, 10_000, 20_000, 30_000, 40_000]
const ROWS = [{ topic: 'bees' }, { topic: 'ants' }]

const FILES = { rows: ROWS, replay: { offsetsMicros: OFFSETS } }

function scriptOf(
  world: StillWorld,
  vus: number,
  variables: Record<string, string> = {},
  budget: BudgetLimits = { kickoffs: null, requests: null },
) {
  const plan = planScenario(SCENARIO, { source: 'mine', files: FILES })
  const portable = portablePlan(plan)
  const bundled: Bundled = {
    plan: {
      ...portable,
      budget: { ...budget, wallMicros: null },
      arrivals: { kind: 'replay', offsetsMicros: [] },
      inputs: { ...portable.inputs, rows: [] },
    },
    line: runLine(plan, {
      runId: '',
      engine: 'k6',
      instance: 0,
      instances: 1,
      place: { kind: 'deployment', target: '' },
      anchorUnixMs: 0,
    }),
    vus,
    rehearsed: [],
    target: 'http://127.0.0.1:1',
  }
  const shared: SharedByVus = { rows: ROWS, offsetsMicros: OFFSETS, runId: '0000abcd' }
  return createScript(world, variables, { bundled, shared, scenario: null, measure: null })
}

const FAKE_CLOCK = '{"now_ms":5,"anchor_unix_ms":1700000000000,"speed":1}'

/** Answers kickoffs and polls as a fake crew that is done at once. */
async function serve(world: StillWorld, ms: number): Promise<void> {
  let served = 0
  for (let i = 0; i < ms; i++) {
    await world.pass(1)
    for (; served < world.asked.length; served++) {
      const { url, answer } = world.asked[served]!
      if (url.endsWith('/__fake__/clock')) answer({ body: FAKE_CLOCK })
      else if (url.endsWith('/kickoff')) answer({ body: `{"kickoff_id":"id-${served}"}` })
      else {
        const result = { output: 'x', tasks: [] }
        answer({ body: JSON.stringify({ status: 'completed', result, execution_time: 0.1 }) })
      }
      await settled()
    }
  }
}

function linesOf(world: StillWorld): JournalLine[] {
  return world.lines.map((line) => JSON.parse(line) as JournalLine)
}

test('the options: one iteration a VU, longer than the longest run, and nothing measured', () => {
  const { options } = scriptOf(new StillWorld(), 8, { CREWLOAD_INSECURE: '1' })
  expect(options).toMatchObject({
    scenarios: { crewload: { executor: 'per-vu-iterations', vus: 8, iterations: 1 } },
    insecureSkipTLSVerify: true,
    systemTags: [],
    throw: false,
    maxRedirects: 0,
  })
  const { maxDuration } = options.scenarios!['crewload'] as { maxDuration: string }
  expect(Number.parseInt(maxDuration, 10)).toBeGreaterThan(24 * 3_600_000)
})

test('a budget of which each VU has a part says so when that is spent', async () => {
  const reasons: string[][] = []
  for (const vus of [1, 2]) {
    const world = new StillWorld()
    const done = scriptOf(world, vus, {}, { kickoffs: 2, requests: null }).iteration(1)
    await serve(world, 600)
    await done
    const ended = linesOf(world).flatMap((line) => (line.type === 'ended' ? [line.record] : []))
    reasons.push(ended.flatMap((record) => whyOf(record) ?? []))
  }
  const spent = 'kickoff budget spent'
  expect(reasons).toEqual([
    [spent, spent, spent],
    [`this instance's share of the ${spent}`, `this instance's share of the ${spent}`],
  ])
})

test('VU v of V takes the arrivals with index v - 1 mod V, and says so first', async () => {
  const intended: number[] = []
  for (const vu of [1, 2]) {
    const world = new StillWorld()
    const done = scriptOf(world, 2, { CREWLOAD_RUN_ID: '12345678' }).iteration(vu)
    await serve(world, 600)
    await done
    const [run, ...rest] = linesOf(world)
    expect(run).toMatchObject({
      type: 'run',
      engine: 'k6',
      runId: '12345678',
      instance: vu - 1,
      instances: 2,
      place: { kind: 'deployment', target: 'http://127.0.0.1:1' },
    })
    expect(rest.at(-1)).toMatchObject({ type: 'finished', instance: vu - 1, stopped: null })
    for (const line of rest) if (line.type === 'ended') intended.push(line.record.intendedMicros)
    expect(world.timers).toBe(0)
  }
  expect(intended.sort((a, b) => a - b)).toEqual(OFFSETS)
})

test('rows reach the kickoffs', async () => {
  const world = new StillWorld()
  void scriptOf(world, 1).iteration(1)
  await serve(world, 400)
  const bodies = world.asked.filter(({ method }) => method === 'POST').map(({ body }) => body)
  expect(bodies.slice(0, 2)).toEqual(['{"inputs":{"topic":"bees"}}', '{"inputs":{"topic":"ants"}}'])
})

test('a setting that is missing ends the whole run, with its name', async () => {
  const script = scriptOf(new StillWorld(), 1, { CREWLOAD_TARGET: 'nowhere' })
  await expect(script.iteration(1)).rejects.toThrow(/CREWLOAD_TARGET: expected the base URL/)
})

describe('a target on this machine, and no budget', () => {
  test.each([
    ['no page', { status: 404, body: 'not found' }],
    ['a page for every path', { body: '<!doctype html>' }],
    ['a connection that is refused', { status: 0, body: null }],
    ['a proxy', { body: FAKE_CLOCK.replace('}', ',"forwards_to":"https://crew.example/"}') }],
  ])('ends the run before it when it answers with %s', async (_, answer) => {
    const world = new StillWorld()
    const done = scriptOf(world, 1).iteration(1)
    world.asked[0]!.answer(answer)
    await expect(done).rejects.toThrow('make the script with a budget of kickoffs')
    expect(world.asked.map(({ url }) => url)).toEqual(['http://127.0.0.1:1/__fake__/clock'])
  })

  test('is not asked about where there is a budget, or a crewload that asked', async () => {
    const budget = { kickoffs: 2, requests: null }
    for (const [variables, limits] of [[CONTROL], [{}, budget]] as const) {
      const world = new StillWorld()
      const done = scriptOf(world, 1, variables, limits).iteration(1)
      await world.pass(1)
      world.heard.get(CONTROL.CREWLOAD_CONTROL)?.(startIn(world))
      await serve(world, 600)
      await done
      expect(world.asked.some(({ url }) => url.includes('__fake__'))).toBe(false)
    }
  })
})

/** Each reading takes a while; `stallAt` is the reading that takes long. */
class SlowWorld extends StillWorld {
  readonly #costMs: number
  readonly #stallAt: number
  #readings = 0

  constructor(costMs: number, stallAt: number) {
    super()
    this.#costMs = costMs
    this.#stallAt = stallAt
  }

  override elapsedMs(): number {
    this.#readings++
    this.elapsed += this.#readings === this.#stallAt ? 40 : this.#costMs
    return this.elapsed
  }
}

/** Where the script says that its zero lies, and how far off that is at most. */
async function zeroOf(world: StillWorld): Promise<{ unixMs: number; errorMicros: number }> {
  const budget = { kickoffs: 0, requests: null }
  void scriptOf(world, 1, {}, budget).iteration(1)
  await settled()
  const [run] = linesOf(world)
  if (run?.type !== 'run') throw new Error('no line of a run')
  return { unixMs: run.anchorUnixMs - leadMs(1), errorMicros: run.anchorErrorMicros }
}

describe('the zero of a script', () => {
  test('lies on the wall clock where it says, and is never further off than it says', async () => {
    await assert(
      asyncProperty(
        double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        double({ min: 0.000_5, max: 0.2, noNaN: true }),
        integer({ min: 1, max: 30 }),
        async (fraction, costMs, stallAt) => {
          const world = new SlowWorld(costMs, stallAt)
          world.wallAheadMs = 1_700_000_000_000 + fraction
          const { unixMs, errorMicros } = await zeroOf(world)
          const offMs = Math.abs(unixMs - world.wallAheadMs)
          // The wall clock itself is a double of a quarter of a microsecond's step.
          expect(offMs).toBeLessThanOrEqual(errorMicros / 1_000 + 0.001)
          expect(errorMicros).toBeLessThanOrEqual(520)
        },
      ),
    )
  })

  test('is a fraction of a millisecond off where reading takes microseconds', async () => {
    const { errorMicros } = await zeroOf(new SlowWorld(0.002, 0))
    expect(errorMicros).toBeLessThan(20)
  })
})

const CONTROL = { CREWLOAD_CONTROL: 'ws://127.0.0.1:2/control' }

/** The order to begin, a little later. */
function startIn(world: StillWorld, ms = 20.5): string {
  return JSON.stringify({ kind: 'start', unixMs: world.elapsed + world.wallAheadMs + ms })
}

function controlled() {
  const world = new StillWorld()
  const done = scriptOf(world, 1, CONTROL).iteration(1)
  const say = (text: string | null) => world.heard.get(CONTROL.CREWLOAD_CONTROL)?.(text)
  return { world, done, say }
}

describe('a VU that is controlled', () => {
  test('begins nothing before it is told when, and then at that time', async () => {
    const { world, done, say } = controlled()
    await world.pass(1_000)
    expect([world.asked, world.lines]).toEqual([[], []])
    const zeroUnixMs = world.elapsed + world.wallAheadMs + 20.5
    say(startIn(world))
    await serve(world, 600)
    await done
    const [run, ...lines] = linesOf(world)
    expect(run).toMatchObject({ type: 'run', anchorUnixMs: zeroUnixMs })
    const started = lines.flatMap((line) => (line.type === 'started' ? [line.atMicros] : []))
    // Where its own clock lies on the wall clock is known to a fraction of a millisecond.
    expect(Math.abs(started[1]! - OFFSETS[1]!)).toBeLessThan(2_000)
    expect(lines.filter(({ type }) => type === 'ended')).toHaveLength(OFFSETS.length)
    expect(world.heard.size).toBe(0)
  })

  test.each([
    [
      'that is told to stop before',
      '{"kind":"stop","how":"drain","reason":{"code":"asked","why":"interrupted"}}',
    ],
    ['whose crewload is gone', null],
  ])('%s sends nothing and writes no line', async (_, order) => {
    const { world, done, say } = controlled()
    await world.pass(500)
    say(order)
    await done
    expect([world.asked, world.lines]).toEqual([[], []])
    expect(world.timers).toBe(0)
    expect(world.heard.size).toBe(0)
  })

  test.each([
    [
      'is told to',
      '{"kind":"stop","how":"drain","reason":{"code":"asked","why":"interrupted"}}',
      { code: 'asked', why: 'interrupted' },
    ],
    ['crewload is gone', null, { code: 'crewload-gone' }],
  ])('stops when %s, with a record of every arrival', async (_, order, stopReason) => {
    const { world, done, say } = controlled()
    await world.pass(10)
    say(startIn(world))
    await world.pass(25)
    say(order)
    await serve(world, 600)
    await done
    const lines = linesOf(world)
    const outcomes = lines.flatMap((line) => (line.type === 'ended' ? line.record.outcome : []))
    expect(outcomes).toHaveLength(OFFSETS.length)
    expect(outcomes).toContain('notReached')
    expect(lines.at(-1)).toMatchObject({
      type: 'finished',
      stopped: 'drained',
      stopReason,
    })
  })
})

test('the parts of a budget sum to the whole, and no two differ by more than one', () => {
  assert(
    property(nat(1_000), integer({ min: 1, max: 40 }), (kickoffs, instances) => {
      const whole = new SendingBudget({ kickoffs, requests: null })
      const parts = Array.from(
        { length: instances },
        (_, i) => whole.shareOf({ instance: i, instances }).limits.kickoffs ?? -1,
      )
      expect(parts.reduce((sum, part) => sum + part, 0)).toBe(kickoffs)
      expect(Math.max(...parts) - Math.min(...parts)).toBeLessThanOrEqual(1)
    }),
  )
})

/** The first line of a process that k6 began at this moment of the wall clock. */
async function firstLineAt(beganUnixMs: number, variables: Record<string, string>) {
  const world = new StillWorld()
  world.wallAheadMs = beganUnixMs
  const done = scriptOf(world, 1, { CREWLOAD_RUN_ID: '12345678', ...variables }).iteration(1)
  await serve(world, 40_000)
  await done
  const [run, ...others] = linesOf(world)
  if (run?.type !== 'run') throw new Error('no run line first')
  const sent = others.flatMap((line) => (line.type === 'started' ? [line.atMicros] : []))
  return { ...run, firstSentMicros: sent[0]! }
}

test('processes let go seconds apart begin at one moment, and the next use of them is another run', async () => {
  const minute = 1_700_000_040_000
  const together = { CREWLOAD_START_EVERY: '30' }
  const early = await firstLineAt(minute + 1_234.5, together)
  const late = await firstLineAt(minute + 19_876.25, together)
  const again = await firstLineAt(minute + 300_000, together)
  expect(Math.abs(early.anchorUnixMs - (minute + 30_000))).toBeLessThan(2)
  expect(Math.abs(late.anchorUnixMs - early.anchorUnixMs)).toBeLessThan(2)
  expect(early.firstSentMicros).toBeGreaterThanOrEqual(0)
  expect(late.runId).toBe(early.runId)
  expect(early.runId).toMatch(/^[0-9a-f]{8}$/)
  expect(again.runId).not.toBe(early.runId)
})

test('without a moment to wait for a process begins at once, as the run that it was told', async () => {
  const { anchorUnixMs, runId } = await firstLineAt(1_700_000_000_000, {})
  expect(runId).toBe('12345678')
  expect(anchorUnixMs - 1_700_000_000_000).toBeLessThan(300)
})
