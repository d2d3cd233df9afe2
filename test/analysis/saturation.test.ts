import { describe, expect, test } from 'vitest'
import { saturationDocument } from '../../src/analysis/saturation.ts'
import type {
  SaturationDocument,
  SaturationRun,
  SaturationRung,
} from '../../src/analysis/saturation-document.ts'
import { ladder, rung, saturationRun } from './saturation-ladders.ts'

function judge(
  rungs: readonly SaturationRung[],
  run: Partial<SaturationRun> = {},
): SaturationDocument {
  return saturationDocument({
    crewload: '0.1.0',
    run: saturationRun(run),
    rungs,
    spent: { requests: 1, kickoffs: 0 },
    findings: [],
  })
}

const codes = ({ verdict }: SaturationDocument): string[] => verdict.reasons.map(({ code }) => code)

describe('a curve that is linear, then flat', () => {
  const document = judge(ladder(100, 200, 400, 780, 800, 790))

  test('has its knee where 95 % of the highest throughput are reached first', () => {
    expect(document.verdict).toMatchObject({ outcome: 'measured', atLeast: false, reasons: [] })
    expect(document.ceiling).toMatchObject({ connections: 16, throughput: { value: 800 } })
    expect(document.knee).toMatchObject({ connections: 8, above: 4, plateauTo: 32 })
    expect(document.verdict.sentence).toBe(
      'GET /status/{id} carries 800 answers a second; 8 connections reach it, and with more of them answers only wait longer.',
    )
  })

  test('tells how few connections could do: ceiling times the service time of one alone', () => {
    expect(document.knee?.ideal).toBeCloseTo(800 * 0.01)
    expect(judge(ladder(100, 200, 200).slice(1)).knee?.ideal).toBeNull()
  })

  test('feeds ceiling times polling interval executions in flight', () => {
    expect(document.feeds).toEqual([
      { kind: 'polling', intervalMs: 2_000, inFlight: 1_600 },
      { kind: 'polling', intervalMs: 10_000, inFlight: 8_000 },
    ])
    expect(judge(ladder(100, 100), { endpoint: 'kickoff' }).feeds).toEqual([
      { kind: 'kickoffs', perHour: 360_000 },
    ])
    expect(judge(ladder(100, 100), { endpoint: 'inputs' }).feeds).toEqual([])
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
        remedy: 'climb on: --connections 16',
      },
    ])
    expect(document.verdict.sentence).toContain('carries at least 400 answers a second')
  })

  test.each([
    ['budget', {}, 'climb again with a larger --max-requests'],
    ['budget', { endpoint: 'kickoff' }, 'climb again with a larger --max-kickoffs'],
    ['interrupted', {}, 'climb again to the end'],
    ['target', {}, 'climb again to the end'],
  ] as const)('a ladder that ended early by %s %j', (ended, run, remedy) => {
    expect(judge(ladder(100, 200), { ended, ...run }).verdict.reasons).toMatchObject([
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
        message: 'From 8 connections on requests go wrong: 2.17 %, most of them 503.',
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
    const document = judge([
      ...ladder(100, 200),
      rung(4, 200, { perSecond: [100, 300, 200, 100, 300] }),
    ])
    const wild = rung(8, 210, { perSecond: [100, 320, 210, 100, 320] })
    expect(document.verdict.outcome).toBe('measured')
    const noisy = judge([...ladder(100, 200), wild])
    expect(noisy.verdict).toMatchObject({ outcome: 'inconclusive', atLeast: false })
    expect(codes(noisy)).toEqual(['precision'])
    expect(noisy.verdict.sentence).toContain('carries about 210 answers a second')
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
          'It collapses under load: with 16 connections only 73.2 % of the ceiling are left. Limit the connections in front of it to 8.',
      },
    ])
  })

  test('is none within a fifth, nor where the intervals overlap', () => {
    expect(judge(ladder(100, 200, 400, 330)).findings).toEqual([])
    const unsure = rung(8, 300, { perSecond: [100, 500, 300, 100, 500] })
    expect(judge([...ladder(100, 200, 400), unsure]).findings).toEqual([])
  })
})

describe('no ceiling at all', () => {
  test('where errors begin with the first rung', () => {
    const document = judge([rung(1, 100, { errors: { 429: 400 } })], { ended: 'errors' })
    expect(document).toMatchObject({ ceiling: null, knee: null, feeds: [] })
    expect(document.verdict.outcome).toBe('invalid')
    expect(document.verdict.reasons).toMatchObject([
      { code: 'errors', message: expect.stringContaining('44.4 % of the requests') as string },
    ])
  })

  test.each([
    ['interrupted', 'no rung came to its end, it was interrupted'],
    ['target', 'no rung came to its end, the fake crew of this run ended by itself'],
    ['budget', 'no rung came to its end'],
  ] as const)('where no rung came to its end: %s', (ended, message) => {
    const document = judge([], { ended })
    expect(document.verdict).toMatchObject({ outcome: 'invalid', reasons: [{ message }] })
  })
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
