/**
 * Searches of crews that wait for a quota with a burst, or with windows of a minute: crews of the
 * bench, whose true capacity its long simulations gave.
 */
import { describe, expect, test } from 'vitest'
import { drawCrew } from '../../../../bench/truth/quota/crews.ts'
import { promisesOf, searchOf } from '../../../../bench/truth/quota/trial.ts'
import { agrees } from '../../../../src/study/capacity/analyse/confirm/confirm.ts'
import { limitOf, oneMoreWorkerOf } from '../../../../src/study/capacity/analyse/limit/limit.ts'
import { rangesOf } from '../../../../src/study/capacity/analyse/search/estimate.ts'

const ASKED = { budget: 3_000, within: 0.05, simulated: 50_000 }

describe('a crew whose quota', () => {
  test.each([
    { seed: 9, is: 'has a burst of three executions for each worker, and clients that retry' },
    { seed: 22, is: 'comes in windows of a minute' },
  ])('$is: its model is accepted, and a worker brings nothing', ({ seed }) => {
    const crew = drawCrew(seed)
    const search = searchOf(crew, ASKED)
    expect(agrees(search.confirmation!)).toBe(true)
    const capacity = rangesOf(search.estimate!).capacity!
    const truth = TRUTHS[seed]!
    expect(Math.abs(capacity.perHour / truth - 1)).toBeLessThan(0.05)
    expect(limitOf(search)!.kind).toBe('shared')
    const { high } = oneMoreWorkerOf(search, promisesOf(crew), capacity)!
    expect(high / capacity.perHour).toBeLessThan(1.05)
  })

  test('has a burst: the burst is learned from the beginning of a held crew', () => {
    const crew = drawCrew(9)
    const { shared, slots } = searchOf(crew, ASKED).estimate!.system
    const { refill, demandMicros } = shared!
    const burst = refill.kind === 'steady' ? refill.burstMicros / demandMicros : 0
    const calls = crew.tasks.reduce((sum, task) => sum + task.calls, 0)
    expect(slots).toBe(20)
    // Half an execution for each worker is about what a held crew shows by chance.
    expect(Math.abs(burst - crew.burst / calls)).toBeLessThan(slots / 2)
  })
})

/** By `capacityOf` of the bench, in kickoffs per hour. */
const TRUTHS: Record<number, number> = { 9: 7341, 22: 1208 }
