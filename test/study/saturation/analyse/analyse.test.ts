import { describe, expect, test } from 'vitest'
import { reasonOf } from '../../../../src/result/sentence-tables.ts'
import { createRandom } from '../../../../src/base/random.ts'
import type { SaturationFacts } from '../../../../src/study/saturation/analyse/analyse.ts'
import { saturationDocument } from '../../../../src/study/saturation/analyse/analyse.ts'
import type {
  SaturationDocument,
  SaturationPlan,
  SaturationVisit,
} from '../../../../src/study/saturation/document.ts'
import { REASONS } from '../../../../src/study/saturation/sentences.ts'
import { halfSeconds, ladder, saturationFacts, visit } from '../ladders.ts'

/** One visit each, unless they are of several passes. */
function judge(
  visits: readonly SaturationVisit[],
  plan: Partial<SaturationPlan> = {},
  rest: Partial<SaturationFacts> = {},
): SaturationDocument {
  return saturationDocument(saturationFacts(visits, plan, rest))
}

const codes = ({ verdict }: SaturationDocument): string[] => verdict.reasons.map(({ code }) => code)

/** Without the warning that one visit says nothing about another. */
const findingsOf = ({ findings }: SaturationDocument) =>
  findings.filter(({ message }) => !message.startsWith('Each rung was visited once'))

/** Every other half second brings nothing. */
function wild(connections: number, perSecond: number): SaturationVisit {
  const around = Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? 0 : 2 * perSecond))
  return visit(connections, perSecond, { slices: halfSeconds(...around) })
}

describe('a curve that is linear, then flat', () => {
  const document = judge(ladder(100, 200, 400, 780, 800, 790))

  test('has its knee where 95 % of the plateau are reached first', () => {
    expect(document.verdict).toMatchObject({ outcome: 'measured', atLeast: false, reasons: [] })
    expect(document.ceiling).toMatchObject({ connections: 32, throughput: { value: 790 } })
    expect(document.knee).toMatchObject({ from: 8, to: 8 })
    expect(document.verdict.sentence).toBe(
      'GET /status/{id} serves 790 answers per second. 8 connections reach it, and with more, ' +
        'answers wait longer.',
    )
  })

  test('tells how few connections could do: ceiling times the service time of one alone', () => {
    expect(document.knee?.ideal).toBeCloseTo(790 * 0.01)
    expect(judge(ladder(100, 200, 200).slice(1)).knee?.ideal).toBeNull()
  })

  test('feeds ceiling times polling interval executions in flight', () => {
    expect(document.feeds).toEqual([
      { kind: 'polling', intervalMs: 2_000, inFlight: 1_580 },
      { kind: 'polling', intervalMs: 10_000, inFlight: 7_900 },
    ])
    expect(judge(ladder(100, 100), { endpoint: 'kickoff' }).feeds).toEqual([
      { kind: 'kickoffs', perHour: 360_000 },
    ])
    expect(judge(ladder(100, 100), { endpoint: 'inputs' }).feeds).toEqual([])
  })

  test('has the ceiling that is there, not that of the luckiest rung', () => {
    const random = createRandom(4711)
    const found = Array.from({ length: 40 }, () => {
      const noisy = Array.from({ length: 6 }, () => 970 + random.int(61))
      return judge(ladder(250, 500, ...noisy)).ceiling?.throughput.value ?? 0
    })
    const mean = found.reduce((sum, value) => sum + value, 0) / found.length
    expect(Math.abs(mean - 1_000)).toBeLessThan(5)
  })

  test('is the same whatever the order of its visits', () => {
    const { trials: _, ...rest } = judge(ladder(100, 200, 400, 780, 800, 790).toReversed())
    expect(document).toMatchObject(rest)
  })
})

describe('what bounds the ceiling', () => {
  test('nothing yet, when the last rung was the best: climb on', () => {
    const document = judge(ladder(100, 200, 400))
    expect(document.verdict).toMatchObject({ outcome: 'inconclusive', atLeast: true })
    expect(document.verdict.reasons).toEqual([
      {
        code: 'open',
        message: 'the last rung, 4 connections, was the best',
        remedy: 'continue the ladder: --connections 16',
        connections: 4,
        shows: 'best',
        cut: null,
        limit: 'requests',
        repeats: 1,
      },
    ])
    expect(document.verdict.sentence).toBe(
      'GET /status/{id} serves at least 400 answers per second. With 4 connections, the most ' +
        'tried, it was still rising.',
    )
    expect(document.knee).toBeNull()
  })

  test('nobody knows, when the last rung was the best by chance: no end of the knee, and no claim that it rose', () => {
    const document = judge([wild(1, 3_000), wild(2, 2_700), wild(4, 2_500), wild(8, 4_500)])
    expect(document.verdict).toMatchObject({ outcome: 'inconclusive', atLeast: false })
    expect(codes(document)).toEqual(['unclear', 'precision'])
    expect(document.verdict.reasons[0]).toMatchObject({
      message: 'the last rung, 8 connections, was the best, but not clearly',
      remedy: 'continue the ladder: --connections 32 --repeats 3',
    })
    expect(document.verdict.sentence).toBe(
      'GET /status/{id} serves about 4,500 answers per second. It may still rise beyond 8 ' +
        'connections, the most tried.',
    )
    expect(document.knee).toMatchObject({ from: 1, to: null })
  })

  test('nothing to compare with, when one rung alone counts', () => {
    const document = judge([visit(4, 400)])
    expect(document.verdict).toMatchObject({ outcome: 'inconclusive', atLeast: true })
    expect(document.verdict.reasons).toMatchObject([
      { code: 'open', message: 'the last rung, 4 connections, is the only one that counts' },
    ])
    expect(document.verdict.sentence).toContain('The effect of more than 4 connections is unknown')
    expect(document.knee).toBeNull()
  })

  test.each([
    ['budget', { budget: { requests: 300, kickoffs: null } }, '--max-requests'],
    ['budget', { endpoint: 'kickoff', budget: { requests: null, kickoffs: 9 } }, '--max-kickoffs'],
    ['budget', { endpoint: 'kickoff', budget: { requests: 11, kickoffs: 9 } }, '--max-kickoffs'],
    ['budget', { endpoint: 'kickoff', budget: { requests: 10, kickoffs: 9 } }, '--max-requests'],
    ['budget', { budget: { requests: 300, kickoffs: 1 } }, '--max-requests'],
  ] as const)(
    'a ladder that ended early by %s %j: the limit that bound is named',
    (ended, plan, flag) => {
      const facts = { ended, requests: 11, kickoffs: 9 }
      expect(judge(ladder(100, 200), plan, facts).verdict.reasons).toMatchObject([
        { code: 'open', remedy: `repeat with a larger ${flag}` },
      ])
    },
  )

  test.each([
    ['interrupted', 'repeat, and let it finish'],
    ['target', 'repeat, and let it finish'],
  ] as const)('a ladder that ended early by %s', (ended, remedy) => {
    expect(judge(ladder(100, 200), {}, { ended }).verdict.reasons).toMatchObject([
      { code: 'open', remedy },
    ])
  })

  test('errors above the knee: the ceiling stands, and the document says from where on', () => {
    const document = judge([...ladder(100, 200, 400), visit(8, 900, { errors: { 503: 100 } })])
    expect(document.verdict.outcome).toBe('measured')
    expect(document.ceiling?.throughput.value).toBe(400)
    expect(findingsOf(document)).toEqual([
      {
        code: 'requests-fail',
        severity: 'warning',
        message: 'From 8 connections on, requests fail: 2.17 %, most of them 503',
        connections: 8,
        errors: document.rungs.at(-1)!.errors,
        mostly: '503',
      },
    ])
  })

  test('this process, when it was saturated on the plateau', () => {
    const document = judge([...ladder(100, 200), visit(4, 205, { utilisation: 0.95 })])
    expect(document.verdict).toMatchObject({ outcome: 'inconclusive', atLeast: true })
    expect(codes(document)).toEqual(['generator'])
  })

  test('a doubt, when no rung above the knee can be trusted', () => {
    const document = judge([...ladder(100, 200), visit(4, 200, { busyMicros: 1 })])
    expect(codes(document)).toEqual(['doubt'])
    expect(document.verdict.reasons[0]?.message).toContain("Little's law")
  })

  test('nothing but noise, when the visits are more uneven than the rungs lie apart', () => {
    const uneven = { slices: halfSeconds(100, 320, 210, 100, 320, 100, 320, 210, 100, 320) }
    const rough = [visit(4, 205, uneven), visit(8, 200, uneven)]
    const document = judge([...ladder(100, 190), ...rough])
    expect(document.verdict).toMatchObject({ outcome: 'inconclusive', atLeast: false })
    expect(codes(document)).toEqual(['noisy', 'precision'])
    expect(document.knee).toMatchObject({ from: 2, to: null })
    expect(document.verdict.sentence).toBe(
      'GET /status/{id} serves about 203 answers per second. It takes 2 connections or more.',
    )
  })

  test('the first pass is the ladder: what ends a later one does not end it', () => {
    const plan = { ladder: [1, 2, 4], repeats: 2, budget: { requests: 300, kickoffs: null } }
    const visits = [...ladder(100, 200, 400), visit(1, 100, {}, 2)]
    expect(judge(visits, plan, { ended: 'budget' }).verdict.reasons).toMatchObject([
      { code: 'open', remedy: 'continue the ladder: --connections 16' },
    ])
  })
})

describe('a knee between two rungs', () => {
  const passes = [1, 2, 3].flatMap((pass) => [
    visit(1, 100, {}, pass),
    visit(2, [188, 202, 192][pass - 1]!, {}, pass),
    visit(4, 200, {}, pass),
    visit(8, 200 + pass, {}, pass),
  ])

  test('is told as a range', () => {
    const document = judge(passes, { repeats: 3 })
    expect(document.knee).toMatchObject({ from: 2, to: 4 })
    expect(document.verdict.sentence).toMatch(
      /^GET \/status\/\{id\} serves \d+ answers per second\. It takes from 2 to 4 connections, and /,
    )
    expect(document.rungs.map(({ visits }) => visits)).toEqual([3, 3, 3, 3])
    expect(document.trials).toEqual(passes)
  })

  test('is not moved by a machine that is half as fast in one pass as in another', () => {
    const rates = [
      [400, 200, 600],
      [800, 400, 1_200],
      [802, 399, 1_198],
    ]
    const drifting = rates.flatMap((perPass, step) =>
      perPass.map((rate, at) => visit(2 ** step, rate, {}, at + 1)),
    )
    expect(judge(drifting, { ladder: [1, 2, 4], repeats: 3 }).knee).toMatchObject({
      from: 2,
      to: 2,
    })
  })

  test('is open upwards where rungs have no common pass', () => {
    const apart = [visit(1, 400, {}, 1), visit(1, 400, {}, 2), visit(2, 800, {}, 3)]
    expect(judge(apart, { ladder: [1, 2], repeats: 3 }).knee).toMatchObject({ from: 1, to: null })
  })

  test('does not move the ceiling when a rung of the plateau was not counted in one pass', () => {
    const stolen = { stolen: 0.5 }
    const uneven = [1, 2, 3, 4].flatMap((pass) => [
      visit(1, 400, {}, pass),
      visit(2, 780, {}, pass),
      visit(4, 800, pass === 2 ? stolen : {}, pass),
    ])
    const { ceiling, rungs } = judge(uneven, { repeats: 4 })
    expect(rungs.map(({ counted }) => counted)).toEqual([4, 4, 3])
    expect(ceiling?.throughput).toMatchObject({ value: 790, low: 790, high: 790 })
  })

  test('comes with no warning: there is more than one visit', () => {
    expect(judge(passes, { repeats: 3 }).findings).toEqual([])
    expect(judge(ladder(100, 200, 200)).findings).toMatchObject([
      { severity: 'warning', message: expect.stringContaining('visited once') as string },
    ])
  })
})

describe('a collapse', () => {
  test('is found where more connections bring clearly less', () => {
    const document = judge(ladder(100, 200, 400, 410, 300))
    expect(document.verdict.outcome).toBe('measured')
    expect(findingsOf(document)).toEqual([
      {
        code: 'throughput-collapses',
        severity: 'problem',
        message:
          'Throughput collapses to 74.1 % of the ceiling with 16 connections. Limit the ' +
          'connections in front of it to 8',
        share: expect.closeTo(0.7407, 3) as number,
        connections: 16,
        ceilingAt: 8,
      },
    ])
  })

  test.each([
    ['this process was busy', { utilisation: 0.95 }],
    ['the connections were elsewhere', { busyMicros: 1 }],
  ])('is none of the target where %s', (_, changes) => {
    const document = judge([...ladder(100, 200, 400, 410), visit(16, 200, changes)])
    expect(findingsOf(document)).toEqual([])
  })

  test('is none where a wider rung carries again', () => {
    expect(findingsOf(judge(ladder(100, 200, 400, 300, 390)))).toEqual([])
    expect(findingsOf(judge(ladder(100, 200, 400, 300, 390, 310, 250)))).toMatchObject([
      { message: expect.stringContaining('collapses to 78.5 % of the ceiling with 32') as string },
    ])
  })

  test('may come with errors', () => {
    const fallen = visit(8, 200, { errors: { 503: 500 } })
    expect(findingsOf(judge([...ladder(100, 200, 400), fallen]))).toMatchObject([
      { severity: 'problem' },
      { severity: 'warning' },
    ])
  })

  test('is none within a fifth, nor where the intervals overlap', () => {
    expect(findingsOf(judge(ladder(100, 200, 400, 330)))).toEqual([])
    const unsure = visit(8, 300, { slices: halfSeconds(0, 600, 300, 0, 600, 0, 600, 300, 0, 600) })
    expect(findingsOf(judge([...ladder(100, 200, 400), unsure]))).toEqual([])
  })
})

test('what the run saw beside the rungs makes the ceiling doubtful, whatever they say', () => {
  const phases = { before: 'running', after: 'completed', kickoffId: null }
  const mixed = reasonOf(REASONS, 'mixed', phases)
  const document = judge(ladder(100, 200, 200), {}, { reasons: [mixed] })
  expect(document.verdict).toMatchObject({ outcome: 'inconclusive', atLeast: false })
  expect(document.verdict.reasons).toEqual([mixed])
  expect(document.verdict.sentence).toContain('serves about 200 answers per second')
  const failing = judge([visit(1, 100, { errors: { 429: 400 } })], {}, { reasons: [mixed] })
  expect(failing.verdict.reasons.map(({ code }) => code)).toEqual(['errors', 'mixed'])
})

describe('no ceiling at all', () => {
  test('where errors begin with the first rung', () => {
    const document = judge([visit(1, 100, { errors: { 429: 400 } })], {}, { ended: 'errors' })
    expect(document).toMatchObject({ ceiling: null, knee: null, feeds: [] })
    expect(document.verdict.outcome).toBe('invalid')
    expect(document.verdict.reasons).toMatchObject([
      { code: 'errors', message: expect.stringContaining('44.4 % of the requests') as string },
    ])
    const share = expect.closeTo(0.444, 3) as number
    expect(document.verdict.reasons).toMatchObject([{ connections: 1, share, bound: 0.01 }])
  })

  test.each([
    ['target', 'no visit finished: the fake crew of this study ended unexpectedly'],
    ['budget', 'no visit finished: the budget is too small for one'],
  ] as const)('where no visit finished: %s', (ended, message) => {
    const document = judge([], {}, { ended })
    expect(document.verdict).toMatchObject({ outcome: 'invalid', reasons: [{ message }] })
  })
})

test('a ladder that was interrupted before its first visit ended measured nothing, and is no broken measurement', () => {
  const message = 'no visit finished before the interruption'
  const { verdict } = judge([], {}, { ended: 'interrupted' })
  expect(verdict).toMatchObject({ outcome: 'inconclusive', reasons: [{ message }] })
  expect(verdict.sentence).toBe(
    `The ceiling of GET /status/{id} could not be measured: ${message}.`,
  )
})

test('a target that closes its connections is told so', () => {
  const closing = [visit(1, 100, { reconnects: 6 }), visit(2, 100, { reconnects: 5 })]
  expect(findingsOf(judge(closing))).toMatchObject([
    {
      severity: 'warning',
      message: expect.stringMatching(/^1\.10 % of the requests had to reopen/) as string,
    },
  ])
  expect(findingsOf(judge([visit(1, 100, { reconnects: 5 }), visit(2, 100)]))).toEqual([])
})
