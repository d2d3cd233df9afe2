/**
 * Searches of crews that share a quota or a processor: crews of the bench, whose true capacity its
 * long simulations gave.
 */
import { describe, expect, test } from 'vitest'
import { drawCrew } from '../../../../bench/capacity/quota/crews.ts'
import { searchOf } from '../../../../bench/capacity/quota/trial.ts'
import { agrees } from '../../../../src/study/capacity/analyse/confirm/confirm.ts'
import { limitOf, oneMoreWorkerOf } from '../../../../src/study/capacity/analyse/analyse.ts'
import type { CapacitySearch } from '../../../../src/study/capacity/analyse/search/search.ts'
import { rangesOf } from '../../../../src/study/capacity/analyse/search/estimator.ts'

const ASKED = { budget: 3_000, within: 0.05, simulated: 50_000 }
/** The crew whose confirmation moves the estimate most: the budget allows for another one. */
const WINDOWS = 4096
const searches = new Map<number, CapacitySearch>()

/** Searches each crew once. */
function searched(seed: number): CapacitySearch {
  const budget = seed === WINDOWS ? 4_000 : ASKED.budget
  const search = searches.get(seed) ?? searchOf(drawCrew(seed), { ...ASKED, budget })
  searches.set(seed, search)
  return search
}

describe('a crew that shares', () => {
  test.each([
    { seed: 9, what: 'a quota with a burst of three executions for each worker' },
    { seed: WINDOWS, what: 'a quota in windows of a minute' },
    { seed: 51, what: 'a quota of few calls, whose clients try again after longer and longer' },
    { seed: 5, what: 'a processor' },
  ])('$what: its model is accepted, and a worker brings nothing', ({ seed }) => {
    const search = searched(seed)
    expect(agrees(search.confirmation!)).toBe(true)
    const capacity = rangesOf(search.estimate!).capacity!
    const truth = TRUTHS[seed]!
    expect(Math.abs(capacity.perHour / truth - 1)).toBeLessThan(0.05)
    expect(limitOf(search)!.kind).toBe('shared')
    expect(oneMoreWorkerOf(search, capacity)!.gain).toBeLessThan(0.05)
  })

  test.each([
    { seed: 51, what: 'is refused and tries again', kind: 'steady', tries: true },
    { seed: 5, what: 'runs at the pace of the others', kind: 'processor', tries: false },
  ])('$what: the arrivals of the confirmation tell that', ({ seed, kind, tries }) => {
    const { refill } = searched(seed).estimate!.system.shared!
    expect(refill.kind).toBe(kind)
    expect(refill.kind === 'steady' && refill.pauses !== null).toBe(tries)
  })

  test('windows: a confirmation that moves the estimate is made again at the new rate', () => {
    const rates = searched(WINDOWS).loads.flatMap(({ step: { purpose, load } }) =>
      purpose === 'confirm' && load.kind === 'open' ? load.perHour : [],
    )
    expect(rates).toHaveLength(2)
    // The first rate is of a quota without windows.
    expect(rates[0]! / TRUTHS[WINDOWS]!).toBeLessThan(0.85)
    expect(rates[1]! / TRUTHS[WINDOWS]!).toBeGreaterThan(0.9)
  })

  test('a processor: what else the arrivals may mean widens the interval', () => {
    expect(searched(5).estimate!.spreads!.described).toBeGreaterThan(0.01401)
  })

  test('a quota of few calls: one more client that tries again may cost some capacity', () => {
    const search = searched(51)
    const capacity = rangesOf(search.estimate!).capacity!
    const { low } = oneMoreWorkerOf(search, capacity)!
    expect(low).toBeLessThan(0.999 * capacity.low)
  })

  test('a quota with a burst: the burst is learned from the beginning of a held crew', () => {
    const crew = drawCrew(9)
    const { shared, slots } = searched(9).estimate!.system
    const { refill, demandMicros } = shared!
    const burst = refill.kind === 'steady' ? refill.burstMicros / demandMicros : 0
    const calls = crew.tasks.reduce((sum, task) => sum + task.calls, 0)
    expect(slots).toBe(20)
    // Half an execution for each worker is about what a held crew shows by chance.
    expect(Math.abs(burst - crew.burst / calls)).toBeLessThan(slots / 2)
  })
})

/** By `truthOf` of the bench, in kickoffs per hour. */
const TRUTHS: Record<number, number> = { 5: 3280, 9: 7292, 51: 84.6, [WINDOWS]: 327.7 }
