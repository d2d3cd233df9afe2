/** The simulation of a crew against queues whose waits are known by formula. */
import * as fc from 'fast-check'
import { deviationOf, meanOf } from '../../../../src/result/statistics/moments.ts'
import { describe, expect, test } from 'vitest'
import { createRandom } from '../../../../src/base/random.ts'
import { knownAtOnce, pollsOf } from '../../../../src/study/capacity/analyse/model/detection.ts'
import {
  ranged,
  spreadOf,
  spreadOfAll,
} from '../../../../src/study/capacity/analyse/model/interval.ts'
import { TURNED_AWAY, waitsOf } from '../../../../src/study/capacity/analyse/model/queue.ts'
import { drawsOf, CrewSimulation } from '../../../../src/study/capacity/analyse/model/simulate.ts'
import { solve, solveNear } from '../../../../src/study/capacity/analyse/model/solve.ts'
import { saturationPerHour } from '../../../../src/study/capacity/analyse/model/system.ts'
import {
  constantTimes,
  exponentialTimes,
  MEAN_MICROS,
  promise,
  simulations,
  system,
  waitingShare,
} from '../systems.ts'
import { areExperimentsRun } from '../../../experiments.ts'

const two = simulations()

/** Erlang's loss formula of three workers. */
function lossOfThree(offered: number): number {
  const terms = [1, offered, offered ** 2 / 2, offered ** 3 / 6]
  return terms[3]! / terms.reduce((sum, term) => sum + term, 0)
}

describe('waits', () => {
  test.each([
    [1, 0.5],
    [4, 0.8],
    [50, 0.9],
  ])('of %i workers at a load of %f are those of M/M/c', (slots, load) => {
    const crew = system(slots, exponentialTimes())
    const expected = (waitingShare(slots, load) * MEAN_MICROS) / (slots * (1 - load))
    const { waitMeanMicros, inFlight } = two.fine.stay(crew, slots * load * 60)
    expect(Math.abs(waitMeanMicros / expected - 1)).toBeLessThan(0.08)
    const byLittle = slots * load * (1 + expected / MEAN_MICROS)
    expect(Math.abs(inFlight / byLittle - 1)).toBeLessThan(0.04)
  })

  test('of one worker are those of M/D/1', () => {
    const load = 0.8
    const crew = system(1, constantTimes())
    const expected = (load * MEAN_MICROS) / (2 * (1 - load))
    const { waitMeanMicros } = two.fine.stay(crew, load * 60)
    expect(Math.abs(waitMeanMicros / expected - 1)).toBeLessThan(0.03)
  })

  test('a full queue turns executions away: Erlang’s loss formula, with no place to wait', () => {
    const offered = 3
    const crew = system(3, exponentialTimes(), { queueLimit: 0 })
    const lost = lossOfThree(offered)
    const rejected = promise('outcome.rejected', '< 1%')
    const [count] = two.fine.shares(crew, offered * 60, [rejected])
    expect(Math.abs(count!.share / lost - 1)).toBeLessThan(0.02)
  })

  test.runIf(areExperimentsRun)('attempts that come again much later are further arrivals', () => {
    const [slots, offered, most] = [3, 2, 2]
    // Each attempt is turned away with the same chance, which depends on how many there are.
    let lost = lossOfThree(offered)
    for (let n = 0; n < 100; n++) lost = lossOfThree(offered * (1 + lost + lost ** most))
    const gaps = [Float64Array.from({ length: 400 }, (_, i) => (100 + i) * MEAN_MICROS)]
    const crew = system(slots, exponentialTimes(), { queueLimit: 0, retries: { most, gaps } })
    const [count] = two.fine.shares(crew, offered * 60, [promise('outcome.rejected', '< 1%')])
    expect(Math.abs(count!.share / lost ** (most + 1) - 1)).toBeLessThan(0.05)
    // Their wait counts from the arrival.
    const late = promise('execution.p95', `< ${(90 * MEAN_MICROS) / 1e6}s`)
    const [slow] = two.fine.shares(crew, offered * 60, [late])
    expect(Math.abs(slow!.share / lost - 1)).toBeLessThan(0.05)
  })

  test('starts are first come, first served, with one waiting place', () => {
    const waits = new Float64Array(4)
    const arrivals = Float64Array.of(0, 1, 2, 12)
    waitsOf({ slots: 1, queueLimit: 1 }, arrivals, new Float64Array(4).fill(10), waits)
    expect([...waits]).toEqual([0, 9, TURNED_AWAY, 8])
  })
})

describe('the rate at which a promise breaks', () => {
  test('of M/M/1 is that of its exponential stay', () => {
    // The stay of M/M/1 is exponential with the rate of service less that of arrivals.
    const perHour = 60 + Math.log(0.05) / (3 / 20)
    const solution = solve(two, system(1, exponentialTimes()), [promise('execution.p95', '< 9m')])
    expect(solution).toMatchObject({ kind: 'rate', broken: 0 })
    if (solution.kind !== 'rate') return
    expect(Math.abs(solution.perHour / perHour - 1)).toBeLessThan(0.03)
    expect(solution.inFlight).toBeGreaterThan(1)
  })

  test('is never beyond the saturation rate', () => {
    const crew = system(200, constantTimes())
    const solution = solve(two, crew, [promise('execution.p95', '< 5h')])
    expect(solution).toMatchObject({ kind: 'rate', broken: null })
    expect(solution.kind === 'rate' && solution.perHour).toBeCloseTo(saturationPerHour(crew), 6)
  })

  test('is none where an execution that is alone breaks it', () => {
    const criteria = [promise('outcome.unserved', '< 2%'), promise('execution.p95', '< 59s')]
    const solution = solve(two, system(4, constantTimes()), criteria)
    expect(solution).toMatchObject({ kind: 'fails-alone', broken: 1 })
  })

  test('is not there where turning executions away breaks nothing', () => {
    const crew = system(2, constantTimes(), { queueLimit: 0 })
    const criteria = [promise('execution.completed.p95', '< 2m')]
    expect(solve(two, crew, criteria)).toEqual({ kind: 'no-limit' })
  })

  test('the deadline breaks what may go unserved', () => {
    const criteria = [promise('outcome.unserved', '< 1%'), promise('execution.p50', '< 10h')]
    const crew = system(1, constantTimes(), { detection: knownAtOnce(5 * MEAN_MICROS) })
    const solution = solve(two, crew, criteria)
    expect(solution).toMatchObject({ kind: 'rate', broken: 0 })
    expect(solution.kind === 'rate' && solution.perHour).toBeLessThan(52)
  })

  test('is found as well from anywhere near it', () => {
    const crew = system(10, exponentialTimes())
    const criteria = [promise('execution.p95', '< 4m')]
    const found = [0.5, 0.9, 1].map((share) =>
      solveNear(two.middle, crew, criteria, share * saturationPerHour(crew))!,
    )
    for (const { perHour } of found) {
      expect(Math.abs(perHour / found[0]!.perHour - 1)).toBeLessThan(0.003)
    }
  })

  test.runIf(areExperimentsRun)(
    'is known as well as its simulation lets it be: other draws scatter by its error',
    () => {
      const crew = system(5, constantTimes())
      const criteria = [promise('execution.p95', '< 2m')]
      const found = Array.from({ length: 20 }, (_, i) => {
        const simulation = new CrewSimulation(drawsOf(40_000, createRandom(i)))
        return solveNear(simulation, crew, criteria, 240)!
      })
      const scatter = deviationOf(found.map(({ perHour }) => Math.log(perHour)))
      const told = Math.sqrt(meanOf(found.map(({ error }) => error ** 2)))
      expect(scatter).toBeGreaterThan(1e-3)
      expect(told / scatter).toBeGreaterThan(0.8)
      expect(told / scatter).toBeLessThan(2)
    },
  )
})

test('times that do not vary leave an interval that is as wide as the simulation errs', () => {
  const crew = system(5, constantTimes())
  const criteria = [promise('execution.p95', '< 2m')]
  const { perHour, error } = solveNear(two.fine, crew, criteria, 240)!
  expect(spreadOf(two.rough, crew, criteria, perHour, createRandom(1))).toBeLessThan(1e-9)
  const spread = spreadOfAll({ sampled: 0, counted: 0, simulated: error, described: 0, untried: 0 })
  const { low, high } = ranged(perHour, spread)
  // By three other simulations, each of four million executions: 231.1, 231.5 and 231.5.
  const truth = 231.4
  expect([low < truth, high > truth]).toEqual([true, true])
  expect(high / low - 1).toBeGreaterThan(5e-4)
  expect(high / low - 1).toBeLessThan(0.02)
})

test('the interval is that of the mean where many workers make throughput decide', () => {
  const random = createRandom(3)
  const n = 900
  const micros = Float64Array.from({ length: n }, () => MEAN_MICROS * random.exponential()).sort()
  const crew = system(100, micros)
  const criteria = [promise('execution.p95', '< 10m')]
  const spread = spreadOf(two.middle, crew, criteria, 5_900, random.fork('bootstrap'))
  expect(spread).toBeGreaterThan(0.8 / Math.sqrt(n))
  expect(spread).toBeLessThan(1.3 / Math.sqrt(n))
})

test('of any polls, the first that sees an end tells it, and the last before a time tells the most', () => {
  const micros = fc.integer({ min: 1, max: 1_000 })
  const ends = fc.array(fc.integer({ min: -5, max: 5_000 }), { minLength: 1, maxLength: 50 })
  fc.assert(
    fc.property(
      fc.array(micros, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 0, max: 50 }),
      ends,
      (intervalsMicros, requestMicros, times) => {
        const policy = { kind: 'schedule', intervalsMicros } as const
        const deadlineMicros = 4_000
        const model = { policy, deadlineMicros, requestMicros, random: createRandom(1) }
        const looks: number[] = []
        for (let at = 0, i = 0; ; i++, at += requestMicros) {
          at += intervalsMicros[Math.min(i, intervalsMicros.length - 1)]!
          if (at >= deadlineMicros) break
          looks.push(at)
        }
        const detection = pollsOf(model)
        for (const time of [...times, ...looks]) {
          const seen = looks.find((look) => look >= time - requestMicros / 2) ?? Infinity
          const last = looks.findLast((look) => look < time - requestMicros) ?? -Infinity
          expect(detection.knownMicros(time, 3)).toBe(seen + requestMicros)
          expect(detection.latestEnd(time, 3)).toBe(last + requestMicros / 2)
        }
      },
    ),
  )
})
