import { describe, expect, test } from 'vitest'
import { createRandom } from '../../../../src/base/random.ts'
import type { SaturationFacts } from '../../../../src/study/saturation/analyse/analyse.ts'
import { saturationDocument } from '../../../../src/study/saturation/analyse/analyse.ts'
import type {
  SaturationDocument,
  SaturationPlan,
  SaturationRung,
} from '../../../../src/study/saturation/document.ts'
import { halfSeconds, ladder, rung, saturationFacts } from '../ladders.ts'

function judge(
  rungs: readonly SaturationRung[],
  plan: Partial<SaturationPlan> = {},
  rest: Partial<SaturationFacts> = {},
): SaturationDocument {
  return saturationDocument(saturationFacts(rungs, plan, rest))
}

const codes = ({ verdict }: SaturationDocument): string[] => verdict.reasons.map(({ code }) => code)

/** Every other half second brings nothing. */
function wild(connections: number, perSecond: number): SaturationRung {
  const around = Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? 0 : 2 * perSecond))
  return rung(connections, perSecond, { slices: halfSeconds(...around) })
}

describe('a curve that is linear, then flat', () => {
  const document = judge(ladder(100, 200, 400, 780, 800, 790))

  test('has its knee where 95 % of the plateau are reached first', () => {
    expect(document.verdict).toMatchObject({ outcome: 'measured', atLeast: false, reasons: [] })
    expect(document.ceiling).toMatchObject({ connections: 32, throughput: { value: 790 } })
    expect(document.knee).toMatchObject({ connections: 8, above: 4, plateauTo: 32 })
    expect(document.verdict.sentence).toBe(
      'GET /status/{id} serves 790 answers per second; 8 connections reach it, and with more ' +
        'of them answers only wait longer.',
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

  test('is the same whatever the order of its rungs', () => {
    expect(judge(ladder(100, 200, 400, 780, 800, 790).toReversed())).toEqual(document)
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
      },
    ])
    expect(document.verdict.sentence).toBe(
      'GET /status/{id} serves at least 400 answers per second; with 4 connections, the most ' +
        'tried, it was still rising.',
    )
    expect(document.knee).toBeNull()
  })

  test('nobody knows, when the last rung was the best by chance: no knee, and no claim that it rose', () => {
    const document = judge([wild(1, 3_000), wild(2, 2_700), wild(4, 2_500), wild(8, 4_500)])
    expect(document.verdict).toMatchObject({ outcome: 'inconclusive', atLeast: false })
    expect(codes(document)).toEqual(['unclear', 'precision'])
    expect(document.verdict.reasons[0]).toMatchObject({
      message: 'the last rung, 8 connections, was the best, but not clearly above the previous one',
      remedy: 'continue the ladder: --connections 32 --duration 20s',
    })
    expect(document.verdict.sentence).toBe(
      'GET /status/{id} serves about 4,500 answers per second; whether it was still rising ' +
        'with 8 connections, the most tried, is unknown.',
    )
    expect(document.knee).toBeNull()
  })

  test('nothing to compare with, when one rung alone counts', () => {
    const document = judge([rung(4, 400)])
    expect(document.verdict).toMatchObject({ outcome: 'inconclusive', atLeast: true })
    expect(document.verdict.reasons).toMatchObject([
      { code: 'open', message: 'the last rung, 4 connections, is the only one that counts' },
    ])
    expect(document.verdict.sentence).toContain('the effect of more than 4 connections is unknown')
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
    const document = judge([...ladder(100, 200, 400), rung(8, 900, { errors: { 503: 100 } })])
    expect(document.verdict.outcome).toBe('measured')
    expect(document.ceiling?.throughput.value).toBe(400)
    expect(document.findings).toEqual([
      {
        severity: 'warning',
        message: 'From 8 connections on, requests fail: 2.17 %, most of them 503.',
      },
    ])
  })

  test('this process, when it was saturated on the plateau', () => {
    const document = judge([...ladder(100, 200), rung(4, 205, { utilisation: 0.95 })])
    expect(document.verdict).toMatchObject({ outcome: 'inconclusive', atLeast: true })
    expect(codes(document)).toEqual(['generator'])
  })

  test('a doubt, when no rung above the knee can be trusted', () => {
    const document = judge([...ladder(100, 200), rung(4, 200, { busyMicros: 1 })])
    expect(codes(document)).toEqual(['doubt'])
    expect(document.verdict.reasons[0]?.message).toContain("Little's law")
  })

  test('nothing but noise, when the interval of the ceiling is wider than the rungs lie apart', () => {
    const uneven = halfSeconds(100, 320, 210, 100, 320, 100, 320, 210, 100, 320)
    const document = judge([...ladder(100, 200), rung(4, 200, { slices: uneven })])
    const rough = rung(8, 210, { slices: uneven })
    expect(document.verdict.outcome).toBe('measured')
    const noisy = judge([...ladder(100, 150), rough, rung(16, 150)])
    expect(noisy.verdict).toMatchObject({ outcome: 'inconclusive', atLeast: false })
    expect(codes(noisy)).toEqual(['precision'])
    expect(noisy.verdict.sentence).toContain('serves about 210 answers per second')
  })
})

describe('a collapse', () => {
  test('is found where more connections bring clearly less', () => {
    const document = judge(ladder(100, 200, 400, 410, 300))
    expect(document.verdict.outcome).toBe('measured')
    expect(document.findings).toEqual([
      {
        severity: 'problem',
        message:
          'Throughput collapses under load: with 16 connections, only 74.1 % of the ceiling is ' +
          'left. Limit the connections in front of it to 8.',
      },
    ])
  })

  test.each([
    ['this process was busy', { utilisation: 0.95 }],
    ['the connections were elsewhere', { busyMicros: 1 }],
  ])('is none of the target where %s', (_, changes) => {
    const document = judge([...ladder(100, 200, 400, 410), rung(16, 200, changes)])
    expect(document.findings).toEqual([])
  })

  test('is none where a wider rung carries again', () => {
    expect(judge(ladder(100, 200, 400, 300, 390)).findings).toEqual([])
    expect(judge(ladder(100, 200, 400, 300, 390, 310, 250)).findings).toMatchObject([
      { message: expect.stringContaining('with 32 connections, only 78.5 %') as string },
    ])
  })

  test('may come with errors', () => {
    const fallen = rung(8, 200, { errors: { 503: 500 } })
    expect(judge([...ladder(100, 200, 400), fallen]).findings).toMatchObject([
      { severity: 'problem' },
      { severity: 'warning' },
    ])
  })

  test('is none within a fifth, nor where the intervals overlap', () => {
    expect(judge(ladder(100, 200, 400, 330)).findings).toEqual([])
    const unsure = rung(8, 300, { slices: halfSeconds(0, 600, 300, 0, 600, 0, 600, 300, 0, 600) })
    expect(judge([...ladder(100, 200, 400), unsure]).findings).toEqual([])
  })
})

test('what the run saw beside the rungs makes the ceiling doubtful, whatever they say', () => {
  const mixed = { code: 'mixed', message: 'two kinds of answers', remedy: 'ask again' }
  const document = judge(ladder(100, 200, 200), {}, { reasons: [mixed] })
  expect(document.verdict).toMatchObject({ outcome: 'inconclusive', atLeast: false })
  expect(document.verdict.reasons).toEqual([mixed])
  expect(document.verdict.sentence).toContain('serves about 200 answers per second')
})

describe('no ceiling at all', () => {
  test('where errors begin with the first rung', () => {
    const document = judge([rung(1, 100, { errors: { 429: 400 } })], {}, { ended: 'errors' })
    expect(document).toMatchObject({ ceiling: null, knee: null, feeds: [] })
    expect(document.verdict.outcome).toBe('invalid')
    expect(document.verdict.reasons).toMatchObject([
      { code: 'errors', message: expect.stringContaining('44.4 % of the requests') as string },
    ])
  })

  test.each([
    ['target', 'no rung finished: the fake crew of this run ended unexpectedly'],
    ['budget', 'no rung finished: the budget is too small for one'],
  ] as const)('where no rung finished: %s', (ended, message) => {
    const document = judge([], {}, { ended })
    expect(document.verdict).toMatchObject({ outcome: 'invalid', reasons: [{ message }] })
  })
})

test('a ladder that was interrupted before its first rung ended measured nothing, and is no broken measurement', () => {
  const message = 'interrupted before the first rung finished'
  const { verdict } = judge([], {}, { ended: 'interrupted' })
  expect(verdict).toMatchObject({ outcome: 'inconclusive', reasons: [{ message }] })
  expect(verdict.sentence).toBe(`Nothing was measured of GET /status/{id}: ${message}.`)
})

test('a target that closes its connections is told so', () => {
  const closing = [rung(1, 100, { reconnects: 6 }), rung(2, 100, { reconnects: 5 })]
  expect(judge(closing).findings).toMatchObject([
    {
      severity: 'warning',
      message: expect.stringMatching(/^1\.10 % of the requests found/) as string,
    },
  ])
  expect(judge([rung(1, 100, { reconnects: 5 }), rung(2, 100)]).findings).toEqual([])
})
