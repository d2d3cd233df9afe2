import { expect, test } from 'vitest'
import { Histogram } from '../../../../../src/measure/histograms/histogram.ts'
import type {
  Climb,
  ClimbOptions,
} from '../../../../../src/study/saturation/conduct/ladder/climb.ts'
import { climbLadder } from '../../../../../src/study/saturation/conduct/ladder/climb.ts'
import { Trials } from '../../../../../src/study/frame/trial/trials.ts'
import { after, getRequest, MS, SECOND, target } from './support.ts'

interface Changes extends Partial<ClimbOptions> {
  ladder?: readonly number[]
  budget?: number
  signal?: AbortSignal
}

interface Climbed extends Climb {
  sent: number
}

async function climb(url: string, changes: Changes = {}): Promise<Climbed> {
  const { ladder = [1, 2, 4], budget = null, signal, ...others } = changes
  const trials = await Trials.open({
    folder: null,
    simulated: false,
    budget: { requests: budget, kickoffs: null },
    planned: ladder.length,
    whenLost: '',
    hooks: signal === undefined ? {} : { signal },
    leftBehind: [],
  })
  const climbed = await climbLadder(trials, ladder, {
    request: getRequest(url),
    setAside: 0,
    warmUpMicros: 0,
    durationMicros: 200 * MS,
    timeoutMicros: SECOND,
    createLatency: () => new Histogram(),
    onRung: () => {},
    ...others,
  })
  return { ...climbed, sent: trials.spent.requests }
}

test('climbs every rung and tells each when it is done', async () => {
  const { url, arrivals } = await target(after(5))
  const told: number[] = []
  const result = await climb(url, { onRung: ({ connections }) => told.push(connections) })
  expect(told).toEqual([1, 2, 4])
  expect(result.rungs.map(({ connections }) => connections)).toEqual([1, 2, 4])
  expect(result.ended).toBe('complete')
  expect(result.sent).toBeGreaterThanOrEqual(arrivals.length)
  expect(result.sent).toBe(result.rungs.reduce((sum, { sent }) => sum + sent, 0))
})

test('spends its budget to the last request, and not one more', async () => {
  const { url, arrivals } = await target(after(0))
  const result = await climb(url, { ladder: [1], budget: 70, durationMicros: 5 * SECOND })
  expect(result).toMatchObject({ ended: 'complete', sent: 70 })
  expect(arrivals).toHaveLength(70)
})

test('gives what a rung left over to those that follow', async () => {
  const { url, arrivals } = await target(after(20))
  const { rungs, sent } = await climb(url, { budget: 700, durationMicros: 100 * MS })
  const [first, , last] = rungs
  expect(first?.endedBy).toBe('time')
  expect(last?.sent).toBeLessThanOrEqual(700 - first!.sent)
  expect(sent).toBeLessThanOrEqual(700)
  expect(arrivals.length).toBeLessThanOrEqual(sent)
})

test('ends before a rung that the rest of the budget would not feed', async () => {
  const { url, arrivals } = await target(after(0))
  const result = await climb(url, { budget: 29, durationMicros: 5 * SECOND })
  expect(result.rungs.map(({ connections }) => connections)).toEqual([1])
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
  expect(result.rungs.map(({ connections }) => connections)).toEqual([1])
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
  const [first, second] = result.rungs
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
  const { rungs, ended } = await climb(url)
  expect(rungs.map(({ errors }) => errors.value)).toEqual([1])
  expect(ended).toBe('errors')
})

test('ends when it is stopped, and keeps the rungs that were done', async () => {
  const { url, arrivals } = await target(after(5))
  const stop = new AbortController()
  const result = await climb(url, {
    signal: stop.signal,
    onRung: () => void setTimeout(() => stop.abort(), 50),
  })
  expect(result.rungs.map(({ connections }) => connections)).toEqual([1])
  expect(result.ended).toBe('interrupted')
  expect(result.sent).toBeGreaterThanOrEqual(arrivals.length)
  expect(result.sent).toBeGreaterThan(result.rungs[0]!.sent)
})
