/**
 * Streams: the same for the same key, independent of one another, uniform, and normal where they
 * say so.
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Random } from '../../src/base/random.ts'
import {
  createRandom,
  fmix32,
  forks,
  forksBriefly,
  forksTwice,
  hashText,
  inverseNormal,
} from '../../src/base/random.ts'

const COUNT = 10_000

function take(random: Random, count: number): number[] {
  return Array.from({ length: count }, () => random.next())
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function correlation(a: readonly number[], b: readonly number[]): number {
  const [meanA, meanB] = [mean(a), mean(b)]
  const product = mean(a.map((value, i) => (value - meanA) * (b[i]! - meanB)))
  const spread = (list: readonly number[], m: number): number =>
    Math.sqrt(mean(list.map((value) => (value - m) ** 2)))
  return product / (spread(a, meanA) * spread(b, meanB))
}

/** Chi-square of equal cells; its standard score by Wilson and Hilferty (1931). */
function uniformityScore(values: readonly number[], cells: number): number {
  const counts = new Uint32Array(cells)
  for (const value of values) counts[Math.floor(value * cells)]!++
  const expected = values.length / cells
  const chi = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
  const k = cells - 1
  return (Math.cbrt(chi / k) - (1 - 2 / (9 * k))) / Math.sqrt(2 / (9 * k))
}

describe('one seed, one stream', () => {
  test('the bits are these, on every machine', () => {
    const random = createRandom(42)
    expect([random.bits(), random.bits(), random.bits()]).toMatchInlineSnapshot(`
      [
        247786041,
        2529716114,
        3204061183,
      ]
    `)
    expect(random.fork('execution', 7).bits()).toMatchInlineSnapshot(`1545812336`)
  })

  test('the hashes are these, on every machine', () => {
    expect(fmix32(1)).toBe(0x514e_28b7)
    expect(hashText('')).toBe(fmix32(0x811c_9dc5))
  })

  test('seeds beyond 32 bits count whole', () => {
    expect(createRandom(2 ** 32).bits()).not.toBe(createRandom(0).bits())
    expect(createRandom(2 ** 32 + 1).bits()).not.toBe(createRandom(1).bits())
  })
})

describe('forks', () => {
  test('of one name are the same, one at a time or all of them', () => {
    fc.assert(
      fc.property(fc.nat(), fc.string(), fc.maxSafeNat(), (seed, name, number) => {
        const parent = createRandom(seed)
        expect(take(forks(parent, name)(number), 3)).toEqual(take(parent.fork(name, number), 3))
      }),
    )
  })

  test('of forks are the same without the stream between', () => {
    const numbers = fc.tuple(fc.maxSafeNat(), fc.maxSafeNat())
    fc.assert(
      fc.property(fc.nat(), fc.string(), fc.string(), numbers, (seed, name, inner, [n, m]) => {
        const parent = createRandom(seed)
        const by = parent.fork(name, n).fork(inner, m)
        expect(take(forksTwice(parent, name, inner)(n, m), 3)).toEqual(take(by, 3))
      }),
    )
  })

  test('of forks are the same in one object that every call reuses', () => {
    const numbers = fc.array(fc.tuple(fc.maxSafeNat(), fc.maxSafeNat()), { maxLength: 5 })
    fc.assert(
      fc.property(fc.nat(), fc.string(), fc.string(), numbers, (seed, name, inner, list) => {
        const parent = createRandom(seed)
        const brief = forksBriefly(parent, name, inner)
        for (const [n, m] of list) {
          const kept = forksTwice(parent, name, inner)(n, m)
          expect(take(brief(n, m), 3)).toEqual(take(kept, 3))
        }
      }),
    )
  })

  test('depend on names and numbers, never on draws made before', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(50), fc.string(), fc.nat(), (seed, draws, name, number) => {
        const parent = createRandom(seed)
        const before = take(parent.fork(name, number), 3)
        take(parent, draws)
        parent.fork('another').next()
        expect(take(parent.fork(name, number), 3)).toEqual(before)
      }),
      { seed: 1, numRuns: 100 },
    )
  })

  test.each([
    ['a name', createRandom(1).fork('a'), createRandom(1).fork('b')],
    ['a number', createRandom(1).fork('a', 1), createRandom(1).fork('a', 2)],
    [
      'the number above 32 bits',
      createRandom(1).fork('a', 1),
      createRandom(1).fork('a', 2 ** 32 + 1),
    ],
    ['the seed', createRandom(1).fork('a'), createRandom(2).fork('a')],
    ['the parent', createRandom(1).fork('a').fork('b'), createRandom(1).fork('b').fork('a')],
  ])('differ by %s', (_, a, b) => {
    expect(take(a, 3)).not.toEqual(take(b, 3))
  })

  test('of 100,000 numbers have no two equal beginnings of 64 bits', () => {
    const root = createRandom(1)
    const beginnings = Array.from({ length: 100_000 }, (_, n) => {
      const fork = root.fork('execution', n)
      return fork.bits() * 2 ** 20 + (fork.bits() >>> 12)
    })
    expect(new Set(beginnings).size).toBe(beginnings.length)
  })
})

describe('first draws of neighbours are uncorrelated and uniform', () => {
  const root = createRandom(1)
  const families: [string, (n: number) => Random][] = [
    ['sequential seeds', (n) => createRandom(n)],
    ['sequential forks', (n) => root.fork('execution', n)],
    ['forks of sequential seeds', (n) => createRandom(n).fork('execution')],
    ['close names', (n) => root.fork(`task ${n}`)],
    ['one purpose of sequential forks', (n) => root.fork('execution', n).fork('failure', 0)],
  ]

  test.each(families)('%s', (_, family) => {
    const first = Array.from({ length: COUNT }, (__, n) => family(n).next())
    const bound = 4 / Math.sqrt(COUNT)
    for (const lag of [1, 2, 7]) {
      const later = first.slice(lag)
      expect(Math.abs(correlation(first.slice(0, later.length), later))).toBeLessThan(bound)
    }
    expect(Math.abs(uniformityScore(first, 64))).toBeLessThan(4)
  })

  test('two purposes of one execution', () => {
    const a = Array.from({ length: COUNT }, (_, n) => root.fork('x', n).fork('duration', 0).next())
    const b = Array.from({ length: COUNT }, (_, n) => root.fork('x', n).fork('duration', 1).next())
    expect(Math.abs(correlation(a, b))).toBeLessThan(4 / Math.sqrt(COUNT))
  })
})

describe('draws', () => {
  const random = createRandom(3)

  test('are uniform, each and in pairs', () => {
    const values = take(random, 100_000)
    expect(Math.abs(uniformityScore(values, 256))).toBeLessThan(4)
    const pairs = values.slice(1).map((value, i) => (Math.floor(values[i]! * 16) + value) / 16)
    expect(Math.abs(uniformityScore(pairs, 256))).toBeLessThan(4)
  })

  test('never touch either end', () => {
    for (const value of take(random, COUNT)) {
      expect(value > 0 && value < 1).toBe(true)
    }
  })

  test('integers and picks stay inside and reach everything', () => {
    const seen = new Set(Array.from({ length: 200 }, () => random.int(5)))
    expect(seen).toEqual(new Set([0, 1, 2, 3, 4]))
    const picked = new Set(Array.from({ length: 200 }, () => random.pick(['a', 'b', 'c'])))
    expect(picked).toEqual(new Set(['a', 'b', 'c']))
    expect(() => random.pick([])).toThrow(RangeError)
  })

  test('exponential ones have mean 1', () => {
    const values = Array.from({ length: COUNT }, () => random.exponential())
    expect(Math.abs(mean(values) - 1)).toBeLessThan(4 / Math.sqrt(COUNT))
  })

  test('normal ones have mean 0 and variance 1', () => {
    const values = Array.from({ length: COUNT }, () => random.normal())
    expect(Math.abs(mean(values))).toBeLessThan(4 / Math.sqrt(COUNT))
    expect(Math.abs(mean(values.map((v) => v * v)) - 1)).toBeLessThan(4 * Math.sqrt(2 / COUNT))
  })
})

describe('the normal quantile', () => {
  /** Abramowitz and Stegun, table 26.5 and scipy.stats.norm.ppf, to nine places. */
  test.each([
    [0.5, 0],
    [0.8413447460685429, 1],
    [0.95, 1.644853627],
    [0.975, 1.959963985],
    [0.99, 2.326347874],
    [0.999, 3.090232306],
    [1e-6, -4.753424309],
    [1e-9, -5.997807015],
  ])('at %d is %d', (p, z) => {
    expect(Math.abs(inverseNormal(p) - z)).toBeLessThan(1.15e-9 * Math.abs(z) + 1e-9)
  })

  test('is odd around one half and rises', () => {
    const share = fc.double({ min: 1e-9, max: 1 - 1e-9, noNaN: true })
    fc.assert(
      fc.property(share, share, (p, q) => {
        expect(inverseNormal(p) + inverseNormal(1 - p)).toBeCloseTo(0, 6)
        const rise = Math.sign(inverseNormal(q) - inverseNormal(p))
        expect(Math.abs(q - p) < 1e-7 || rise === Math.sign(q - p)).toBe(true)
      }),
      { seed: 1, numRuns: 200 },
    )
  })
})
