/**
 * Two studies of one target agree, and hold the truth, although the machine drifts under them:
 * simulated visits of known curves.
 */
import { describe, expect, test } from 'vitest'
import type { Random } from '../../../../src/base/random.ts'
import { createRandom } from '../../../../src/base/random.ts'
import { saturationDocument } from '../../../../src/study/saturation/analyse/analyse.ts'
import type {
  SaturationDocument,
  SaturationVisit,
} from '../../../../src/study/saturation/document.ts'
import { visitOrder } from '../../../../src/study/saturation/plan/plan.ts'
import { saturationFacts, visit } from '../ladders.ts'

const LADDER = [1, 2, 4, 8, 16, 32, 64]
const VISIT_SECONDS = 3.5
const PAIRS = 20

type Curve = (connections: number) => number

const CURVES: Record<string, Curve> = {
  'flat from 2 connections on': (n) => Math.min(4_600 * n, 9_200),
  'a soft knee at 16': (n) => (1_000 * n) / (1 + (n / 7) ** 4) ** 0.25,
  'a collapse above 8': (n) => (n <= 8 ? 100 * n : 800 * (8 / n) ** 0.7),
}

/** As shares of the throughput: noise of each visit, and a drift that `seconds` later is another. */
interface Machine {
  noise: number
  drift: number
  seconds: number
}

const MACHINES: Record<string, Machine> = {
  'a quiet machine': { noise: 0.01, drift: 0.01, seconds: 100 },
  'a drifting machine': { noise: 0.03, drift: 0.05, seconds: 60 },
  'a loaded machine': { noise: 0.08, drift: 0.1, seconds: 200 },
}

const TEMPLATE = visit(8, 800)

function rated(connections: number, pass: number, rate: number): SaturationVisit {
  const throughput = {
    ...TEMPLATE.throughput,
    value: rate,
    low: 0.98 * rate,
    high: 1.02 * rate,
  }
  return { ...TEMPLATE, connections, pass, throughput }
}

/** Studies of one target, one right after another: the drift goes on from the one to the next. */
class Bench {
  readonly #random: Random
  readonly #machine: Machine
  #drift: number

  constructor(machine: Machine, random: Random) {
    this.#random = random
    this.#machine = machine
    this.#drift = machine.drift * random.normal()
  }

  study(curve: Curve, repeats = 6): SaturationDocument {
    const visits = visitOrder(LADDER, repeats, 42).map(({ connections, pass }) => {
      const { noise, drift, seconds } = this.#machine
      const kept = Math.exp(-VISIT_SECONDS / seconds)
      const fresh = Math.sqrt(1 - kept * kept) * drift * this.#random.normal()
      this.#drift = kept * this.#drift + fresh
      const factor = Math.exp(this.#drift + noise * this.#random.normal())
      return rated(connections, pass, curve(connections) * factor)
    })
    return saturationDocument(saturationFacts(visits, { ladder: LADDER, repeats }))
  }
}

interface Range {
  low: number
  high: number
}

function rateOf({ ceiling }: SaturationDocument): Range {
  const { low, high } = ceiling!.throughput
  return { low: low!, high: high! }
}

function kneeOf({ knee }: SaturationDocument): Range {
  return { low: knee!.from, high: knee!.to ?? Infinity }
}

const meets = (a: Range, b: Range): boolean => a.low <= b.high && b.low <= a.high

/** The mean of the rungs that reach 95 % of the highest, and the first of them. */
function truthOf(curve: Curve): { rate: Range; knee: Range } {
  const highest = Math.max(...LADDER.map(curve))
  const plateau = LADDER.filter((n) => curve(n) >= 0.95 * highest)
  const rate = plateau.reduce((sum, n) => sum + curve(n), 0) / plateau.length
  return { rate: { low: rate, high: rate }, knee: { low: plateau[0]!, high: plateau[0]! } }
}

const CASES = Object.keys(MACHINES).flatMap((machine) =>
  Object.keys(CURVES).map((curve) => [machine, curve] as const),
)

test.each(CASES)('%s, %s: 18 of 20 pairs agree, and 36 of 40 studies hold it', (machine, curve) => {
  const studies = Array.from({ length: PAIRS }, (_, pair) => {
    const bench = new Bench(MACHINES[machine]!, createRandom(pair).fork(`${machine} ${curve}`))
    return [bench.study(CURVES[curve]!), bench.study(CURVES[curve]!)] as const
  })
  const agreeing = (of: (document: SaturationDocument) => Range): number =>
    studies.filter(([a, b]) => meets(of(a), of(b))).length
  expect(agreeing(rateOf)).toBeGreaterThanOrEqual(18)
  expect(agreeing(kneeOf)).toBeGreaterThanOrEqual(18)
  const truth = truthOf(CURVES[curve]!)
  const holding = (of: (document: SaturationDocument) => Range, value: Range): number =>
    studies.flat().filter((document) => meets(of(document), value)).length
  expect(holding(kneeOf, truth.knee)).toBeGreaterThanOrEqual(36)
  // Within two minutes, a drift of minutes shows only a part of itself.
  const least = MACHINES[machine]!.seconds > 100 ? 30 : 34
  expect(holding(rateOf, truth.rate)).toBeGreaterThanOrEqual(least)
})

describe('the ranges are as narrow as the machine allows', () => {
  test('a quiet machine knows its knee to the rung', () => {
    const bench = new Bench(MACHINES['a quiet machine']!, createRandom(1))
    const { knee, verdict, ceiling } = bench.study(CURVES['a soft knee at 16']!)
    expect(verdict.outcome).toBe('measured')
    expect(knee).toMatchObject({ from: 16, to: 16 })
    const { value, high } = ceiling!.throughput
    expect(high! / value! - 1).toBeLessThan(0.05)
  })

  test('a loaded machine says that it cannot tell, and what would help', () => {
    const bench = new Bench(MACHINES['a loaded machine']!, createRandom(3))
    const { knee, verdict } = bench.study(CURVES['flat from 2 connections on']!)
    expect(knee).toMatchObject({ from: 2, to: null })
    expect(verdict.outcome).toBe('inconclusive')
    expect(verdict.reasons[0]!.remedy).toContain('--repeats 12')
  })
})
