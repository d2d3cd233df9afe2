/** A search driven against crews whose capacity is known by formula. */
import { describe, expect, test } from 'vitest'
import type { Random } from '../../../../src/base/random.ts'
import type { Learned } from '../../../../src/study/capacity/analyse/learn/learn.ts'
import { learnLoads } from '../../../../src/study/capacity/analyse/learn/learn.ts'
import { retriesOf, rangesOf } from '../../../../src/study/capacity/analyse/search/estimator.ts'
import type { Seen } from '../../../../src/study/capacity/analyse/seen.ts'
import { Z98 } from '../../../../src/study/capacity/analyse/model/interval.ts'
import { solve } from '../../../../src/study/capacity/analyse/model/solve.ts'
import { nextHold } from '../../../../src/study/capacity/analyse/search/loads.ts'
import type { CapacitySearch } from '../../../../src/study/capacity/analyse/search/search.ts'
import type { TestCrew } from '../crew.ts'
import { put } from '../crew.ts'
import { exponential, searched as search } from '../searched.ts'
import {
  constantTimes,
  MEAN_MICROS,
  promise,
  simulations,
  system,
  waitingShare,
} from '../systems.ts'

/**
 * An hour's arrivals at which 5 % of executions of a minute in the mean stay so many minutes and
 * more (Gross et al., "Fundamentals of Queueing Theory", section 3.3).
 */
function capacityOfMMc(slots: number, minutes: number): number {
  const stayLonger = (load: number): number => {
    const spare = slots - 1 - slots * load
    const gone = Math.exp(-minutes)
    return gone * (1 + (waitingShare(slots, load) * (1 - Math.exp(-minutes * spare))) / spare)
  }
  let [holds, breaks] = [0.01, 0.999_999]
  while (breaks - holds > 1e-6) {
    const middle = (holds + breaks) / 2
    if (stayLonger(middle) >= 0.05) breaks = middle
    else holds = middle
  }
  return holds * slots * 60
}

const clientsOf = ({ loads }: CapacitySearch): (number | null)[] =>
  loads.map(({ step: { load } }) => (load.kind === 'closed' ? load.clients : null))

const spentBy = ({ loads }: CapacitySearch): number =>
  loads.reduce((sum, { facts }) => sum + facts.seen.executions.length, 0)

describe('a crew of exponential times', () => {
  const found = search({ slots: 20, serviceMicros: exponential })

  test('is filled by doubling, overfilled, held at 1.3 times its workers, and confirmed', () => {
    expect(clientsOf(found).slice(0, 7)).toEqual([1, 2, 4, 8, 16, 32, 80])
    // Some executions run nearly alone: at most three tenths of the workers are busy.
    const ladder = clientsOf(found).slice(7, -1)
    expect(ladder[0]).toBe(26)
    expect(Math.min(...ladder.map((clients) => clients ?? 0))).toBeLessThanOrEqual(6)
    expect(Math.max(...ladder.map((clients) => clients ?? 0))).toBe(26)
    expect(clientsOf(found).at(-1)).toBeNull()
    expect(found.learned.slots).toBe(20)
    expect(found.learned.queueLimit).toBeNull()
  })

  test('its capacity is found within what was asked for', () => {
    const { solution, spread } = found.estimate!
    const truth = capacityOfMMc(20, 5)
    expect(truth).toBeGreaterThan(1_100)
    expect(solution.kind === 'rate' && Math.abs(solution.perHour / truth - 1)).toBeLessThan(0.05)
    expect(Z98 * spread).toBeLessThan(0.05)
    expect(spentBy(found)).toBeLessThan(6_000)
  })

  test('and it agrees with the simulation of it', () => {
    const { parts, load } = found.confirmation!
    expect(parts.map(({ name, agrees }) => [name, agrees])).toEqual([
      ['service', true],
      ['stay', true],
      ['tail', true],
      ['order', true],
    ])
    expect(load).toBeGreaterThan(0.85)
    expect(load).toBeLessThan(1.25)
  })
})

test.each([1, 5])(
  'clients that learn late of an end leave workers idle, which hides none of them, seed %i',
  (seed) => {
    const slots = 3 + 3 * seed
    const crew = { slots, seed, pollMicros: 10_000_000, clientLateMicros: 40_000_000 }
    const { learned } = search(
      { ...crew, serviceMicros: (random) => MEAN_MICROS * (0.5 + random.next()) },
      { budget: 1_000, simulated: 20_000, within: 0.2 },
    )
    expect([learned.slots, learned.isExact]).toEqual([slots, false])
  },
)

function hiding(slots: number, serviceMicros: TestCrew['serviceMicros']): CapacitySearch {
  return search({ slots, serviceMicros, hides: true }, { budget: 3_000 })
}

describe('a crew that does not tell when executions begin', () => {
  test('has its workers counted exactly, where all take the same time', () => {
    const { learned, confirmation } = hiding(12, () => MEAN_MICROS)
    expect(learned.hidden!.value).toBe(12)
    expect(confirmation!.parts.map(({ name, agrees }) => [name, agrees])).toEqual([
      ['service', true],
      ['stay', true],
      ['tail', true],
    ])
  })

  test('has its throughput known, where its workers can be counted roughly alone', () => {
    const { learned, estimate } = hiding(16, exponential)
    const { low, value, high } = learned.hidden!
    expect([low <= 16, high >= 16]).toEqual([true, true])
    const { solution, system } = estimate!
    const perWorker = system.service.micros.reduce((sum, each) => sum + each, 0) / value
    expect(
      Math.abs(perWorker / system.service.micros.length / (MEAN_MICROS / 16) - 1),
    ).toBeLessThan(0.1)
    const truth = capacityOfMMc(16, 5)
    expect(solution.kind === 'rate' && Math.abs(solution.perHour / truth - 1)).toBeLessThan(0.08)
  })
})

test('a queue of limited length is found by overfilling, and turned away ones are counted', () => {
  const criteria = [promise('outcome.rejected', '< 2%')]
  const crew = { slots: 8, queueLimit: 4, seed: 2, serviceMicros: exponential }
  const { learned, estimate, confirmation } = search(crew, { criteria, within: 0.1 })
  expect(learned).toMatchObject({ slots: 8, queueLimit: 4 })
  // By M/M/8/12: 2 % find no place at 335 an hour.
  const lost = 0.02
  expect(lossOf(8, 12, 334.9 / 60)).toBeCloseTo(lost, 3)
  const { solution } = estimate!
  expect(solution.kind === 'rate' && Math.abs(solution.perHour / 334.9 - 1)).toBeLessThan(0.1)
  expect(confirmation!.parts.every(({ agrees }) => agrees)).toBe(true)
})

test('a crew that turns away whoever finds no worker free is one without a queue', () => {
  const criteria = [promise('outcome.rejected', '< 5%')]
  const crew = { slots: 8, queueLimit: 0, seed: 2, serviceMicros: exponential }
  const { learned, estimate, confirmation } = search(crew, { criteria, within: 0.1 })
  expect(learned).toMatchObject({ slots: 8, queueLimit: 0 })
  // By Erlang's loss formula: 5 % find no worker at 272 an hour.
  expect(lossOf(8, 8, 272.2 / 60)).toBeCloseTo(0.05, 3)
  const { capacity } = rangesOf(estimate!)
  expect(capacity!.low).toBeLessThan(272.2)
  expect(capacity!.high).toBeGreaterThan(272.2)
  expect(confirmation!.parts.every(({ agrees }) => agrees)).toBe(true)
})

describe('a limit of the queue that the budget did not reach', () => {
  const criteria = [promise('execution.p95', '< 3m'), promise('outcome.rejected', '< 2%')]
  const crew = { slots: 60, queueLimit: 60, serviceMicros: () => MEAN_MICROS }

  test('leaves an interval that holds what the crew carries with it', () => {
    const { learned, estimate } = search(crew, { criteria, budget: 360, simulated: 50_000 })
    expect(learned).toMatchObject({ slots: 60, queueLimit: null })
    const limited = solve(simulations(100_000), system(60, constantTimes(), crew), criteria)
    const { low, perHour, high } = rangesOf(estimate!).capacity!
    const truth = limited.kind === 'rate' ? limited.perHour : 0
    // More than all of the workers finish: some of it is turned away.
    expect(truth).toBeGreaterThan(60 * 60)
    expect(perHour).toBeLessThan(60 * 60)
    expect([low < truth, truth < high]).toEqual([true, true])
  })

  test('adds nothing once it was looked for', () => {
    const more = { criteria, budget: 500, simulated: 50_000 }
    expect(search(crew, more).estimate!.spreads!.untried).toBe(0)
    const endless = { ...crew, queueLimit: Infinity }
    expect(search(endless, more).estimate!.spreads!.untried).toBe(0)
  })
})

/** Of M/M/c/K, who finds K inside (Gross et al., section 3.5); `offered` in service times. */
function lossOf(slots: number, places: number, offered: number): number {
  let [term, sum] = [1, 1]
  for (let k = 1; k <= places; k++) {
    term *= offered / Math.min(k, slots)
    sum += term
  }
  return term / sum
}

test('a crew that reports its times is counted right, though its ends lie between polls', () => {
  const crew = { slots: 10, serviceMicros: exponential, pollMicros: 10_000_000 }
  const { learned, estimate, confirmation } = search(crew, { budget: 3_000 })
  expect(learned).toMatchObject({ slots: 10, hidden: null })
  expect(Math.max(...learned.loads.map(({ busy }) => busy.most))).toBeGreaterThan(10)
  const { solution } = estimate!
  const truth = capacityOfMMc(10, 5)
  expect(solution.kind === 'rate' && Math.abs(solution.perHour / truth - 1)).toBeLessThan(0.06)
  expect(confirmation!.parts.every(({ agrees }) => agrees)).toBe(true)
})

test('the budget is kept, and a part of it is left for the confirmation', () => {
  const found = search({ slots: 4, serviceMicros: exponential }, { budget: 500 })
  expect(spentBy(found)).toBeLessThanOrEqual(500)
  expect(found.loads.at(-1)!.step).toMatchObject({ purpose: 'confirm', load: { executions: 100 } })
})

test('a ladder that leaves only a few service times missing does not end the sampling', () => {
  const full = Float64Array.from({ length: 93 }, () => MEAN_MICROS)
  const learned = { ...learnedOf(15), full: { micros: full, failed: new Uint8Array(93) } }
  expect(nextHold(learned, 100, 5_000)).toEqual({ kind: 'closed', clients: 20, executions: 20 })
  expect(nextHold(learned, 93, 5_000)).toBeNull()
  expect(nextHold(learned, 100, 5)).toBeNull()
})

test('workers that take the last first are not what was learned, though they are many', () => {
  const crew = { slots: 197, serviceMicros: exponential, lastComeFirst: true }
  const { parts } = search(crew, { budget: 2_000, simulated: 20_000 }).confirmation!
  expect(parts.find(({ name }) => name === 'order')).toMatchObject({ agrees: false })
})

test('a crew that is slower when more than before run is not what was learned', () => {
  let calls = 0
  const serviceMicros = (random: Random): number => exponential(random) * (calls++ < 700 ? 1 : 1.8)
  const { parts } = search({ slots: 8, serviceMicros }, { budget: 1_000 }).confirmation!
  expect(parts.find(({ name }) => name === 'service')).toMatchObject({ agrees: false })
})

const slowing = (_: Random, busy: number): number => MEAN_MICROS * (1 + (0.4 * busy) / 15)

test('a crew that is slower the more run with it is what was learned, with few arrivals too', () => {
  const changes = { budget: 600, within: 0.1, criteria: [promise('execution.p95', '< 3m')] }
  const { parts } = search({ slots: 15, serviceMicros: slowing }, changes).confirmation!
  expect(parts.map(({ agrees }) => agrees)).toEqual([true, true, true, true])
})

test('a crew that is never full ends the ladder', () => {
  const found = search({ slots: 1_000, serviceMicros: exponential }, { mostClients: 16 })
  expect(clientsOf(found)).toEqual([1, 2, 4, 8, 16])
  expect(found.learned).toMatchObject({ slots: null, slotsSeen: 16 })
  expect(found.estimate).toBeNull()
})

test('a promise that an execution alone breaks ends the search before the confirmation', () => {
  const criteria = [promise('execution.p50', '< 10s')]
  const found = search({ slots: 2, serviceMicros: () => MEAN_MICROS }, { criteria })
  expect(found.estimate!.solution.kind).toBe('fails-alone')
  expect(found.confirmation).toBeNull()
})

function learned(crew: TestCrew): Learned {
  const load = { kind: 'closed', clients: 12, executions: 60 } as const
  return learnLoads([put(crew, load, 1)])
}

function learnedOf(slots: number): Learned {
  const load = { kind: 'closed', clients: 2 * slots, executions: 4 * slots } as const
  return learnLoads([put({ slots, serviceMicros: exponential }, load, 1)])
}

describe('what is learned of executions that were turned away', () => {
  test('is none, where fewer were', () => {
    const crew = { slots: 5, perHour: 20, serviceMicros: exponential }
    expect(learned(crew).queueLimit).toBeNull()
  })

  test('counts no workers, where they are turned away by their number in an hour', () => {
    const crew = { slots: 40, perHour: 20, serviceMicros: exponential }
    const loads = [8, 16, 32].map((clients, run) =>
      put(crew, { kind: 'closed', clients, executions: 2 * clients }, run),
    )
    expect(learnLoads(loads)).toMatchObject({ slots: null, queueLimit: null })
  })
})

test('waits for a retry are no part of what a kickoff takes', () => {
  const load = { kind: 'closed', clients: 12, executions: 60 } as const
  const loadSeen = put({ slots: 5, serviceMicros: exponential }, load, 1)
  loadSeen.executions.forEach((each, i) => {
    each.kickoffMicros = i % 3 === 0 ? 30_000_000 : 4_000
    if (i % 3 === 0) each.refusals = [{ at: each.intended, status: 503 }]
  })
  expect(Math.max(...learnLoads([loadSeen]).kickoffs.micros)).toBe(4_000)
})

function execution(accepted: number, started: number, ended: number): Seen {
  const load = { kind: 'closed', clients: 1, executions: 1 } as const
  const { executions } = put({ slots: 1, serviceMicros: () => 1 }, load, 1)
  return { ...executions[0]!, intended: accepted, accepted, started, ended }
}

const refusedAt = (...times: number[]): Seen['refusals'] => times.map((at) => ({ at, status: 503 }))

test('how long clients wait before they come again is learned of each attempt', () => {
  const base = execution(0, 0, 10)
  const executions: Seen[] = [
    base,
    { ...base, refusals: refusedAt(0, 20), accepted: 70 },
    { ...base, refusals: refusedAt(0, 10, 40), accepted: null },
  ]
  const { most, gaps } = retriesOf(executions, 4)!
  expect([most, gaps]).toEqual([4, [Float64Array.of(10, 20), Float64Array.of(30, 50)]])
  expect(retriesOf(executions, 0)).toBeNull()
  expect(retriesOf([base], 4)).toBeNull()
})

test('service times of the full crew are those that began beside busy workers', () => {
  // Three at once, the fourth when one of them ends, the fifth alone.
  const million = 1_000_000
  const executions = [
    execution(0, 0, 10 * million),
    execution(0, 0, 20 * million),
    execution(0, 0, 30 * million),
    execution(0, 10 * million, 40 * million),
    execution(90 * million, 90 * million, 95 * million),
  ]
  const load = { kind: 'closed', clients: 4, executions: 5 } as const
  const polls = { refused: 0, all: 0, tookMicros: 0 }
  const { full, idle, slots } = learnLoads([{ load, executions, truth: 'ledger', polls }])
  expect(slots).toBe(3)
  expect([...full.micros].map((micros) => micros / million)).toEqual([10, 20, 30, 30])
  expect([...idle.micros].map((micros) => micros / million)).toEqual([5])
})
