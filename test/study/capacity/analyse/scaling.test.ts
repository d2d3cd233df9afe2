/** Workers whose number changes while executions wait, as built samples of loads show them. */
import { allText } from '../../../../src/report/frame/report.ts'
import { describe, expect, test } from 'vitest'
import { createRandom } from '../../../../src/base/random.ts'
import type { Random } from '../../../../src/base/random.ts'
import { learnLoads } from '../../../../src/study/capacity/analyse/learn/learn.ts'
import type { LoadSeen } from '../../../../src/study/capacity/analyse/seen.ts'
import { coldStartOf } from '../../../../src/study/capacity/analyse/search/cold-start.ts'
import type { TestCrew } from '../crew.ts'
import { put } from '../crew.ts'
import { causesIn, documentOf, documentOfRuns, exponential } from '../searched.ts'
import { MEAN_MICROS } from '../systems.ts'

const MINUTE = 60_000_000
const uniform = (random: Random): number => MEAN_MICROS * (0.5 + random.next())

/** From 3 workers to 7, one more each ten minutes. */
const growing = (now: number): number => Math.min(7, 3 + Math.floor(now / (10 * MINUTE)))
const growingSoon = (now: number): number => growing(5 * now)
const GROWING: TestCrew = { slots: 7, serviceMicros: uniform, slotsAt: growing }
/** From 8 workers to 5, after a quarter of an hour. */
const falling = (now: number): number => (now > 15 * MINUTE ? 5 : 8)

const HELD = { kind: 'closed', clients: 16, executions: 600 } as const
const RUNG = { kind: 'closed', clients: 1, executions: 4 } as const

const seen = (crew: TestCrew, ...loads: LoadSeen['load'][]): LoadSeen[] =>
  [RUNG, ...loads].map((load, run) => put(crew, load, run))

const learned = (crew: TestCrew, ...loads: LoadSeen['load'][]): ReturnType<typeof learnLoads> =>
  learnLoads(seen(crew, ...loads))

describe('the number at work grows', () => {
  test.each([
    ['by the ledger', {}],
    ['by polls', { pollMicros: 10_000_000 }],
  ])('and is followed, %s', (_, seenBy) => {
    const { scaling, slots, unsteady } = learned({ ...GROWING, ...seenBy }, HELD)
    expect([scaling!.from, scaling!.to, slots]).toEqual([3, 7, 7])
    expect([scaling!.stands, unsteady]).toEqual([true, null])
    const took = scaling!.steps.reduce((sum, { micros }) => sum + micros, 0)
    expect(took / MINUTE).toBeGreaterThan(37)
    expect(took / MINUTE).toBeLessThan(44)
  })

  test('and does not stand while it may grow on', () => {
    const { scaling } = learned(GROWING, { ...HELD, executions: 140 })
    expect(scaling).toMatchObject({ from: 3, stands: false })
    // A queue that is often empty for a moment does not show it either.
    expect(learned(GROWING, { ...HELD, clients: 8 }).scaling).toMatchObject({ stands: false })
  })

  test('while a full queue turns executions away, which is no limiter', () => {
    const load = { ...HELD, clients: 12, executions: 3_000 }
    const loads = seen({ ...GROWING, slotsAt: growingSoon, queueLimit: 4 }, load)
    const found = learnLoads(loads)
    expect([found.scaling!.to, found.queueLimit]).toEqual([7, 4])
    expect(causesIn(documentOfRuns(loads))).toEqual([])
  })

  test.each<[string, TestCrew]>([
    ['a queue for workers', { slots: 7, serviceMicros: exponential }],
    ['the same by polls', { slots: 7, serviceMicros: exponential, pollMicros: 20_000_000 }],
    [
      'another load beside it',
      { slots: 14, serviceMicros: exponential, neighboursPerHour: 300, pollMicros: 10_000_000 },
    ],
    [
      'a step in front of its workers',
      {
        slots: 7,
        serviceMicros: uniform,
        pool: { slots: 1, micros: (random) => 5_000_000 * (0.5 + random.next()) },
      },
    ],
  ])('but not of %s', (_, crew) => {
    for (const seed of [1, 2]) {
      const { scaling, unsteady } = learned({ ...crew, seed }, HELD, { ...HELD, clients: 40 })
      expect([seed, scaling, unsteady]).toEqual([seed, null, null])
    }
  })
})

const isRefused = (crew: TestCrew, code: string): string => {
  const document = documentOf(crew, { budget: 2_000, within: 0.1, simulated: 20_000 })
  expect([document.verdict.outcome, document.verdict.reasons[0]!.code]).toEqual(['refused', code])
  expect([document.capacity, document.oneMoreWorker]).toEqual([null, null])
  return allText(document.verdict)
}

/** Eight executions of the load are lost at once, in its middle. */
function lossOf(load: LoadSeen): LoadSeen {
  const at = load.executions[300]!.accepted!
  const executions = load.executions.map((each) => {
    if (each.started! > at || each.ended! <= at) return each
    return Object.assign({}, each, { ended: null, known: null, outcome: 'lost', lost: at + 9e6 })
  })
  return {
    ...load,
    executions: executions.filter(
      ({ accepted, lost }) => accepted! <= at || accepted! > at + 9e6 || lost,
    ),
  }
}

describe('a search is refused, with the reason,', () => {
  test.each([
    ['by the ledger', {}],
    ['by polls', { pollMicros: 10_000_000 }],
  ])('if workers go away, %s', (_, seenBy) => {
    const crew = { slots: 8, serviceMicros: uniform, slotsAt: falling, ...seenBy }
    expect(isRefused(crew, 'workers-vanished')).toContain(
      'while executions waited, 8 were at work at first, and later only 5',
    )
  })

  test('if workers are missing in a later load', () => {
    const [before, after] = [8, 6].map((slots) => put({ slots, serviceMicros: uniform }, HELD, 1))
    expect(learnLoads([before!, after!]).unsteady).toEqual({ kind: 'vanished', from: 8, to: 6 })
    expect(learnLoads([after!, before!]).unsteady).toBeNull()
  })
})

describe('a restart', () => {
  const held = put({ slots: 8, serviceMicros: uniform }, { ...HELD, clients: 8 }, 1)

  test('is seen where all that was in the crew was lost', () => {
    expect(learnLoads([lossOf(held)]).unsteady).toEqual({ kind: 'restarted', lost: 8 })
  })

  test('is none if one of them survived, or if losses are spread', () => {
    const load = lossOf(held)
    const survivor = load.executions.find(({ lost }) => lost !== undefined)!
    survivor.ended = held.executions[300]!.accepted! + 20_000_000
    delete survivor.lost
    expect(learnLoads([load]).unsteady).toBeNull()
    const spread = held.executions.map((each, i) =>
      i % 20 === 7 ? Object.assign({}, each, { ended: null, lost: each.ended }) : each,
    )
    expect(learnLoads([{ ...held, executions: spread }]).unsteady).toBeNull()
  })
})

test('executions that are lost one after the other are no restart', () => {
  const load = put({ slots: 1, serviceMicros: uniform }, { ...RUNG, executions: 20 }, 1)
  const executions = load.executions.map((each, i) =>
    i < 8 || i > 12
      ? each
      : Object.assign({}, each, { ended: null, known: null, lost: each.ended }),
  )
  expect(executions.filter(({ lost }) => lost !== undefined).length).toBe(5)
  expect(learnLoads([{ ...load, executions }]).unsteady).toBeNull()
})

test('a load that starts on the first workers never catches up above what all of them can do', () => {
  const steps = [1, 2].map((atWork) => ({ atWork, micros: MINUTE }))
  const scaling = { from: 1, to: 3, steps, stands: true }
  const services = Float64Array.of(MINUTE)
  expect(coldStartOf({ scaling, perHour: 400, services, random: createRandom(3) })).toBeNull()
})
