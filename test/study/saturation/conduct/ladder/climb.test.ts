import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Histogram } from '../../../../../src/result/counting/histogram.ts'
import type {
  Climb,
  ClimbOptions,
} from '../../../../../src/study/saturation/conduct/ladder/climb.ts'
import { climbLadder } from '../../../../../src/study/saturation/conduct/ladder/climb.ts'
import { Trials } from '../../../../../src/study/frame/trial/trials.ts'
import type { SaturationVisit } from '../../../../../src/study/saturation/document.ts'
import { visitOrder } from '../../../../../src/study/saturation/plan/plan.ts'
import { after, getRequest, MS, SECOND, target } from './support.ts'

interface Changes extends Partial<ClimbOptions> {
  ladder?: readonly number[]
  repeats?: number
  budget?: number
  signal?: AbortSignal
}

interface Climbed extends Climb {
  sent: number
}

async function climb(url: string, changes: Changes = {}): Promise<Climbed> {
  const { ladder = [1, 2, 4], repeats = 1, budget = null, signal, ...others } = changes
  const trials = await Trials.open({
    study: 'saturation',
    folder: null,
    simulated: false,
    budget: { requests: budget, kickoffs: null },
    planned: ladder.length * repeats,
    whenLost: '',
    hooks: signal === undefined ? {} : { signal },
    leftBehind: [],
  })
  const climbed = await climbLadder(trials, visitOrder(ladder, repeats, 42), {
    request: getRequest(url),
    setAside: 0,
    warmUpMicros: 0,
    durationMicros: 200 * MS,
    timeoutMicros: SECOND,
    createLatency: () => new Histogram(),
    onVisit: () => {},
    ...others,
  })
  return { ...climbed, sent: trials.spent.requests }
}

test('climbs every rung and tells each when it is done', async () => {
  const { url, arrivals } = await target(after(5))
  const told: number[] = []
  const result = await climb(url, { onVisit: ({ connections }) => told.push(connections) })
  expect(told).toEqual([1, 2, 4])
  expect(result.visits.map(({ connections }) => connections)).toEqual([1, 2, 4])
  expect(result.ended).toBe('complete')
  expect(result.sent).toBeGreaterThanOrEqual(arrivals.length)
  expect(result.sent).toBe(result.visits.reduce((sum, { sent }) => sum + sent, 0))
})

test('spends its budget to the last request, and not one more', async () => {
  const { url, arrivals } = await target(after(0))
  const result = await climb(url, { ladder: [1], budget: 70, durationMicros: 5 * SECOND })
  expect(result).toMatchObject({ ended: 'complete', sent: 70 })
  expect(arrivals).toHaveLength(70)
})

test('gives what a rung left over to those that follow', async () => {
  const { url, arrivals } = await target(after(20))
  const { visits, sent } = await climb(url, { budget: 700, durationMicros: 100 * MS })
  const [first, , last] = visits
  expect(first?.endedBy).toBe('time')
  expect(last?.sent).toBeLessThanOrEqual(700 - first!.sent)
  expect(sent).toBeLessThanOrEqual(700)
  expect(arrivals.length).toBeLessThanOrEqual(sent)
})

test('ends before a rung that the rest of the budget would not feed', async () => {
  const { url, arrivals } = await target(after(0))
  const result = await climb(url, { budget: 29, durationMicros: 5 * SECOND })
  expect(result.visits.map(({ connections }) => connections)).toEqual([1])
  expect(result.ended).toBe('budget')
  expect(arrivals).toHaveLength(10)
})

test('does not begin a rung that would be over before it counts', async () => {
  const { url, arrivals } = await target(after(0))
  const result = await climb(url, {
    ladder: [1, 2, 4, 8],
    budget: 60,
    durationMicros: 5 * SECOND,
  })
  // There is an equal share for two connections, but it would be over at once.
  expect(result.visits.map(({ connections }) => connections)).toEqual([1])
  expect(result.ended).toBe('budget')
  expect(arrivals).toHaveLength(10)
})

test('gives the next rung what it takes to count, if there is as much', async () => {
  const { url } = await target(after(20))
  const result = await climb(url, {
    ladder: [1, 2, 4, 8],
    budget: 300,
    durationMicros: 20 * SECOND,
  })
  const [first, second] = result.visits
  expect(first).toMatchObject({ sent: 20, endedBy: 'budget' })
  // An equal share would be 20 a connection: a tenth of it warms up, the window is planned for 1.2
  // s.
  const each = Math.ceil(((first!.requests / first!.windowMs) * 1_200) / 0.9)
  expect(each).toBeGreaterThan(20)
  expect(second).toMatchObject({ sent: 2 * each, endedBy: 'budget' })
})

test('ends when most of a rung went wrong', async () => {
  const { url } = await target((_, response) => {
    response.statusCode = 500
    setTimeout(() => response.end(), 2)
  })
  const { visits, ended } = await climb(url)
  expect(visits.map(({ errors }) => errors.value)).toEqual([1])
  expect(ended).toBe('errors')
})

test('ends when it is stopped, and keeps the rungs that were done', async () => {
  const { url, arrivals } = await target(after(5))
  const stop = new AbortController()
  const result = await climb(url, {
    signal: stop.signal,
    onVisit: () => void setTimeout(() => stop.abort(), 50),
  })
  expect(result.visits.map(({ connections }) => connections)).toEqual([1])
  expect(result.ended).toBe('interrupted')
  expect(result.sent).toBeGreaterThanOrEqual(arrivals.length)
  expect(result.sent).toBeGreaterThan(result.visits[0]!.sent)
})

/** Answers with 500 when it `fails`, which is told how many requests are there at once. */
function failing(fails: (open: number) => boolean): Parameters<typeof target>[0] {
  let open = 0
  return (_, response) => {
    open++
    if (fails(open)) response.statusCode = 500
    setTimeout(() => {
      open--
      response.end()
    }, 5)
  }
}

test('goes no higher in later passes than the first rung on which most went wrong', async () => {
  const { url } = await target(failing((open) => open > 1))
  const { visits, ended } = await climb(url, {
    repeats: 2,
    durationMicros: 100 * MS,
    ladder: [1, 3, 5],
  })
  expect(ended).toBe('errors')
  expect(visits.map(({ connections, pass }) => [connections, pass])).toEqual([
    [1, 1],
    [3, 1],
    [1, 2],
  ])
})

test('ends when most goes wrong in a later pass, whatever is left of it', async () => {
  let isBroken = false
  const { url } = await target(failing(() => isBroken))
  const { visits, ended } = await climb(url, {
    ladder: [2, 3],
    repeats: 2,
    durationMicros: 100 * MS,
    onVisit: ({ connections }) => void (isBroken = connections === 3),
  })
  expect(ended).toBe('errors')
  // The second pass begins with the wider rung.
  expect(visits.map(({ connections }) => connections)).toEqual([2, 3, 3])
})

/** One request at a time: each connection becomes slower the more of them there are. */
function serial(ms: number): Parameters<typeof target>[0] {
  let last = Promise.resolve()
  return (_, response) => {
    last = last.then(async () => delay(ms)).then(() => void response.end('{}'))
  }
}

test('plans a later visit by the earlier one of the same rung, whatever was visited between', async () => {
  const { url } = await target(serial(15))
  const stop = new AbortController()
  const told: SaturationVisit[] = []
  const { visits } = await climb(url, {
    ladder: [1, 2],
    repeats: 2,
    budget: 400,
    durationMicros: 20 * SECOND,
    signal: stop.signal,
    onVisit: (visit) => void (told.push(visit) === 3 && stop.abort()),
  })
  const [first, wide, again] = visits
  expect([first, wide, again].map((visit) => visit?.connections)).toEqual([1, 2, 1])
  const each = Math.ceil(((first!.requests / first!.windowMs) * 1_200) / 0.9)
  const share = Math.floor((400 - first!.sent - wide!.sent) / 3)
  // A quarter: beside its two visits, the wide one of the same pass.
  expect(first!.sent).toBe(100)
  expect(again).toMatchObject({ sent: Math.max(each, share), endedBy: 'budget' })
})
