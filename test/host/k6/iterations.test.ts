/** The mode of iterations without k6: which executor, which arrival, who is dropped, what the metrics are told, and what the last line counts. */
import { describe, expect, test } from 'vitest'
import { intendedTimes } from '../../../src/host/k6/iterations-turns.ts'
import { planScenario } from '../../../src/scenario/schema/index.ts'
import { perVu, SCENARIO, shared, Stage } from './iterations-stage.ts'

const NO_VU = 'dropped: no VU was free: the iteration was dropped'

function executorOf(arrivals: object, vus = 4) {
  return Object.values(new Stage(vus, { arrivals }).script().options.scenarios!)[0]
}

describe('the executor', () => {
  test('of a schedule, whatever its process: iterations shared by the VUs that are free', () => {
    const expected = { executor: 'shared-iterations', vus: 4, iterations: 20 }
    expect(executorOf({ rate: '10/s', for: '2s' })).toMatchObject(expected)
    const poisson = { rate: '10/s', for: '20s', process: 'poisson' } as const
    const { seed, arrivals } = planScenario({ ...SCENARIO, arrivals: poisson }, { source: 'mine' })
    const { length } = intendedTimes({ seed, arrivals })
    expect(executorOf(poisson)).toMatchObject({ ...expected, iterations: length })
  })

  test('has no more VUs than iterations: k6 would refuse', () => {
    expect(executorOf({ rate: '2/s', for: '1s' }, 9)).toMatchObject({ vus: 2, iterations: 2 })
  })

  test('of closed clients: a VU each, for a time or for their part of a number', () => {
    expect(executorOf({ clients: 3, for: '1m' })).toMatchObject({
      executor: 'constant-vus',
      vus: 3,
    })
    expect(executorOf({ clients: 3, iterations: 10 })).toMatchObject({
      executor: 'per-vu-iterations',
      vus: 3,
      iterations: 4,
    })
  })

  test('no tag holds an id', () => {
    const { systemTags } = new Stage(1).script().options
    expect(systemTags).toContain('name')
    expect(systemTags).not.toContain('url')
  })
})

describe('with VUs enough', () => {
  test('every arrival is sent at the time of its index, and counted by k6 as by the lines', async () => {
    const stage = new Stage(5)
    const begun = await stage.play(shared(5), 250)
    const byIndex = stage.records.toSorted((a, b) => a.index - b.index)
    expect(byIndex.map(({ intendedMicros }) => intendedMicros)).toEqual([
      0, 100_000, 200_000, 300_000, 400_000,
    ])
    for (const { kickoff } of byIndex) expect(kickoff.lateMicros[0]).toBeLessThan(1_000)
    expect(stage.outcomes()).toEqual({ completed: 5 })
    const inFlight = byIndex.reduce((sum, r) => sum + r.endedMicros - r.acceptedMicros!, 0)
    expect(stage.last(begun)).toMatchObject({
      instance: 0,
      stopped: null,
      engine: { arrivals: 5, ended: 5, inFlightIntegralMicros: inFlight, maxInFlight: null },
    })
    expect(stage.lines.filter(({ type }) => type === 'run')).toHaveLength(1)
    expect(stage.lines.filter(({ type }) => type === 'finished')).toHaveLength(1)
  })

  test("k6's metrics tell what the records tell, in milliseconds", async () => {
    const stage = new Stage(5)
    await stage.play(shared(5), 250)
    const ms = stage.records.map((record) => (record.endedMicros - record.intendedMicros) / 1_000)
    const polls = stage.records.reduce((sum, record) => sum + record.polls.answer.length, 0)
    expect(stage.kept.samples['crewload_execution_duration']).toEqual(ms)
    expect(stage.kept.samples['crewload_kickoff_duration']).toHaveLength(5)
    expect(stage.kept.samples['crewload_status_duration']).toHaveLength(polls)
    expect(stage.kept.samples['crewload_detection_delay']).toHaveLength(5)
    expect(stage.kept.counts).toMatchObject({
      'crewload_outcomes:completed': 5,
      crewload_polls: polls,
      'says something:true': 5,
    })
  })

  test('the warm-up is not in the metrics of the window, and is in the counts', async () => {
    const stage = new Stage(5, { arrivals: { rate: '10/s', for: '500ms', warmUp: '200ms' } })
    const begun = await stage.play(shared(5), 50)
    expect(stage.kept.counts['crewload_outcomes:completed']).toBe(3)
    expect(stage.last(begun).engine).toMatchObject({ arrivals: 5, ended: 5 })
  })
})

describe('with too few VUs', () => {
  test('an arrival without one is dropped at once, told, and counted as k6 counts such', async () => {
    const stage = new Stage(1)
    const begun = await stage.play(shared(5), 250)
    expect(stage.outcomes()).toEqual({ completed: 2, [NO_VU]: 3 })
    expect(new Set(stage.records.map(({ index }) => index)).size).toBe(5)
    expect(stage.kept.counts['dropped_iterations']).toBe(3)
    expect(stage.last(begun).engine).toMatchObject({ arrivals: 5, ended: 5 })
    const notes = stage.lines.filter(({ type }) => type === 'finding')
    expect(JSON.stringify(notes)).toContain('no VU free for 3 of the arrivals')
  })

  test('that are the places in flight: the arrival waits for one, and nobody was late', async () => {
    const stage = new Stage(1, { admission: { maxInFlight: 1 } })
    await stage.play(shared(5), 250)
    expect(stage.outcomes()).toEqual({ completed: 5 })
    const last = stage.records.find(({ index }) => index === 4)!
    expect(last.kickoff.dueMicros[0]).toBeGreaterThan(500_000)
    expect(last.kickoff.lateMicros[0]).toBeLessThan(1_000)
  })

  test('that are the places in flight, and who finds none is turned away', async () => {
    const stage = new Stage(1, { admission: { maxInFlight: 1, whenFull: 'drop' } })
    await stage.play(shared(5), 250)
    expect(stage.outcomes()).toEqual({ completed: 2, 'dropped: max in flight': 3 })
    expect(stage.kept.counts['dropped_iterations']).toBeUndefined()
  })
})

describe('closed clients', () => {
  test('come again when they have thought, each its part of the whole number', async () => {
    const arrivals = { clients: 2, iterations: 5, think: '200ms', for: '20s' }
    const stage = new Stage(2, { arrivals })
    const begun = await stage.play(perVu(3), 250)
    expect(stage.outcomes()).toEqual({ completed: 5 })
    expect(stage.records.map(({ index }) => index).toSorted((a, b) => a - b)).toEqual([
      0, 1, 2, 3, 4,
    ])
    const [first, second] = [0, 2].map((i) => stage.records.find(({ index }) => index === i)!)
    expect(second!.intendedMicros).toBe(first!.endedMicros + 200_000)
    expect(stage.last(begun).engine).toMatchObject({ arrivals: 5, ended: 5 })
  })

  test('rest when their time is over, and begin nothing more', async () => {
    const stage = new Stage(1, { arrivals: { clients: 1, think: '100ms', for: '1s' } })
    await stage.play(perVu(20), 250)
    const begins = stage.records.map(({ intendedMicros }) => intendedMicros)
    expect(begins.length).toBeGreaterThan(1)
    expect(Math.max(...begins)).toBeLessThan(1_000_000)
    expect(stage.world.elapsed).toBeGreaterThan(2_000)
  })
})

const CONTROL = { CREWLOAD_CONTROL: 'http://127.0.0.1:1/control' }
const DRAIN = '{"stop":"drain","reason":"interrupted"}'

describe('a stop', () => {
  test('that was given before the start is heard before anything is sent, however late the start', async () => {
    const stage = new Stage(2, { admission: { maxInFlight: 2 } }, CONTROL)
    const begun = stage.script().setup()
    stage.world.elapsed += 10_000
    await stage.play(shared(5), 100, () => DRAIN, begun)
    expect(stage.world.asked.filter(({ method }) => method === 'POST')).toEqual([])
    expect(stage.outcomes()).toEqual({ 'notReached: stopped before it was sent: interrupted': 5 })
  })

  test('lets nobody go whose time has passed while it waited for a place', async () => {
    const stage = new Stage(1, { admission: { maxInFlight: 1 } }, CONTROL)
    await stage.play(shared(5), 800, (ms) => (ms < 500 ? '{"stop":null}' : DRAIN))
    expect(stage.world.asked.filter(({ method }) => method === 'POST')).toHaveLength(1)
    expect(stage.outcomes()).toEqual({
      completed: 1,
      'notReached: stopped before it was sent: interrupted': 4,
    })
  })

  test('is heard while waiting: what was not sent is not reached, and the run says that it was drained', async () => {
    const stage = new Stage(3, { arrivals: { rate: '2/s', for: '5s' } }, CONTROL)
    const begun = await stage.play(shared(10), 3_000, () => DRAIN)
    expect(stage.outcomes()).toEqual({ 'notReached: stopped before it was sent: interrupted': 10 })
    expect(stage.last(begun)).toMatchObject({ engine: { arrivals: 10, ended: 10 } })
    expect(stage.last(begun).stopped).not.toBeNull()
    expect(stage.world.elapsed).toBeLessThan(5_000)
  })
})

describe('a budget', () => {
  test('of kickoffs is dealt out to the arrivals: the first of them are sent, and no more', async () => {
    const stage = new Stage(5, { budget: { kickoffs: 2 } })
    await stage.play(shared(5), 50)
    expect(stage.outcomes()).toEqual({
      completed: 2,
      'notReached: its part of the kickoff budget spent': 3,
    })
    expect(stage.world.asked.filter(({ body }) => body !== null)).toHaveLength(2)
  })
})

describe('the last line', () => {
  test('has a record for every arrival that k6 never began, as k6 counts them', async () => {
    const stage = new Stage(5)
    const begun = await stage.play(shared(3), 50)
    stage.kept.count('dropped', 2)
    expect(stage.last(begun).engine.arrivals).toBe(5)
    expect(stage.outcomes()).toEqual({ completed: 3, 'notReached: k6 ended before it was sent': 2 })
  })

  test('does not add up where k6 counts other arrivals dropped than have a record', async () => {
    const stage = new Stage(1)
    const begun = await stage.play(shared(5), 250)
    stage.kept.count('dropped', 1)
    expect(stage.last(begun).engine.arrivals).not.toBe(stage.records.length)
  })

  test('is not written when nothing began', () => {
    const stage = new Stage(1)
    stage.script().summary(null, { metrics: {} })
    expect(stage.lines).toEqual([])
  })
})
