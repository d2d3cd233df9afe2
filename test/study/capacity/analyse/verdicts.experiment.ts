/** What is told of crews that have no capacity to find, or another one than their queue makes. */
import { allText } from '../../../../src/report/frame/report.ts'
import { describe, expect, test } from 'vitest'
import { SAMPLES } from '../sample-capacities.ts'
import type { Random } from '../../../../src/base/random.ts'
import type { CapacityDocument } from '../../../../src/study/capacity/document.ts'
import { MEAN_MICROS, promise } from '../systems.ts'
import { documentOf as searchedDocument, exponential } from '../searched.ts'

const documentOf: typeof searchedDocument = (crew, changes, ...more) =>
  searchedDocument(crew, { simulated: 20_000, ...changes }, ...more)

/** A minute in the mean. */
const uniform = (random: Random): number => MEAN_MICROS * (0.5 + random.next())

const bimodal = (random: Random): number => MEAN_MICROS * (random.next() < 0.8 ? 0.48 : 3.08)
const suffering = (random: Random, _: number, waiting: number): number =>
  uniform(random) * (waiting > 14 ? 4 : 1)

const failing = (busy: number): number => 0.01 + (0.39 * busy) / 9

const codesOf = ({ verdict }: CapacityDocument): string[] => verdict.reasons.map(({ code }) => code)

describe('a crew whose failures grow with load', () => {
  const crew = { slots: 9, serviceMicros: uniform, failedShare: failing }
  const criteria = [promise('execution.p95', '< 5m'), promise('execution.failed', '< 5%')]
  const document = documentOf(crew, { criteria, budget: 5_000 })

  test('does not fail alone: it is refused, with bounds that it was tried at', () => {
    expect([document.verdict.outcome, document.capacity]).toEqual(['refused', null])
    expect(document.probes.length).toBeGreaterThan(1)
    // 5 % fail where 4 / 39 of the workers are busy in the mean.
    const truth = (4 / 39) * 9 * 60
    expect(document.atLeast ?? 0).toBeLessThan(truth)
    expect(document.atMost!).toBeGreaterThan(truth)
    expect(document.atMost!).toBeLessThan(0.5 * 9 * 60)
  })

  test('spends no more than its budget, and no more than five probes', () => {
    expect(document.probes.length).toBeLessThanOrEqual(5)
    expect(document.kickoffs).toBeLessThanOrEqual(5_000)
    const poor = documentOf(crew, { criteria, budget: 400 })
    expect(poor.kickoffs).toBeLessThanOrEqual(400)
  })
})

test('a crew that takes the last first has bounds that it was tried at', () => {
  const { verdict, probes, atLeast, atMost, capacity: rate } = SAMPLES['last-come']!()
  expect([verdict.outcome, rate]).toEqual(['refused', null])
  const held = probes.filter(({ judgement }) => judgement === 'held')
  expect(held.map(({ perHour }) => perHour)).toContain(atLeast)
  // Four workers of a minute each finish 240 an hour.
  expect(atLeast!).toBeGreaterThan(80)
  expect(atMost!).toBeGreaterThan(atLeast!)
  expect(held.every(({ load }) => load! < 1)).toBe(true)
})

describe('a cliff', () => {
  test('of service times is told with both of its sides, and bounds in place of a number', () => {
    const document = SAMPLES['cliff']!()
    expect([document.verdict.outcome, document.capacity]).toEqual(['refused', null])
    const [cliff] = document.verdict.reasons
    expect(cliff).toMatchObject({ code: 'cliff' })
    const [, holds, before, breaks, after] =
      /With (\d+) executions the crew completes ([\d,]+) per hour, with (\d+) only ([\d,]+): they take [45]\.\d+ times as long/
        .exec(cliff!.message)!
        .map((text) => Number(text.replaceAll(',', '')))
    // 20 of a minute each make 1,200 an hour; 40 of five minutes, 480.
    expect(holds!).toBeLessThanOrEqual(20)
    expect(breaks!).toBeGreaterThan(20)
    expect(breaks!).toBeLessThanOrEqual(45)
    expect(before!).toBeGreaterThan(800)
    expect(after!).toBeLessThan(620)
    expect(document.atLeast!).toBeGreaterThan(200)
    expect(document.atMost!).toBeGreaterThan(document.atLeast!)
    expect(document.atMost!).toBeLessThan(2_000)
    expect(allText(document.verdict)).toMatch(/^Only bounds are known: .* per hour\. With/)
  })

  test('of failures is one too, where no execution ever waits for a worker', () => {
    const document = documentOf(
      { slots: 500, serviceMicros: uniform, failedShare: (busy) => (busy > 20 ? 0.9 : 0.01) },
      { criteria: [promise('execution.failed', '< 5%')], mostClients: 64 },
    )
    expect([document.verdict.outcome, codesOf(document)[0]]).toEqual(['refused', 'cliff'])
    expect(document.verdict.reasons[0]!.message).toMatch(
      /: (8|9|1\d)(\.\d+)? % succeed, not (9\d(\.\d+)?|100) %$/,
    )
  })

  test('of a crew that suffers from those that wait is one', () => {
    const document = documentOf({ slots: 10, serviceMicros: suffering })
    expect([document.verdict.outcome, codesOf(document)[0]]).toEqual(['refused', 'cliff'])
    const [, holds, breaks] = /^With (\d+) executions the crew .* with (\d+) only/
      .exec(document.verdict.reasons[0]!.message)!
      .map(Number)
    expect(holds!).toBeLessThanOrEqual(24)
    expect(breaks!).toBeLessThanOrEqual(30)
    expect(breaks!).toBeGreaterThan(holds!)
  })

  test.each([1, 4])('is none of a crew that is but a queue, seed %i', (seed) => {
    const crew = { slots: 2 ** seed, seed, serviceMicros: bimodal }
    const document = documentOf(crew, {
      criteria: [promise('execution.p95', '< 8m')],
      budget: 1_500,
    })
    const said = [document.verdict.reasons, document.findings].flat().map(({ code }) => code)
    expect(
      said.filter((code) => /^(?:cliff|drift|another-load|limiter|step-in-front)$/.test(code)),
    ).toEqual([])
  })
})

describe('drift', () => {
  test('is the reason of a refusal', () => {
    let calls = 0
    const serviceMicros = (random: Random): number => uniform(random) * (1 + calls++ / 1_000)
    const document = documentOf({ slots: 10, serviceMicros }, { budget: 2_500, within: 0.02 })
    expect([document.verdict.outcome, codesOf(document)]).toEqual([
      'refused',
      ['drift', 'model-refused'],
    ])
    expect(allText(document.verdict)).toMatch(
      /per hour\. The crew drifts: in its full state, executions became \d\d(\.\d)? % longer/,
    )
  })
})

function drifting(within: number): CapacityDocument {
  let calls = 0
  const serviceMicros = (random: Random): number =>
    60_000_000 * (0.9 + 0.2 * random.next()) * (1 + calls++ / 400)
  return documentOf({ slots: 10, serviceMicros }, { budget: 2_000, within }, {}, 'confirm')
}

describe('drift in a search that ends before its confirmation', () => {
  test('of more than the precision asked for leaves bounds', () => {
    const { verdict, capacity } = drifting(0.05)
    expect([verdict.outcome, verdict.reasons.map(({ code }) => code), capacity]).toEqual([
      'refused',
      ['drift'],
      null,
    ])
    expect(allText(verdict)).toContain('in its full state, executions became 9.86 % longer')
  })

  test('of less than that is told beside the capacity', () => {
    const { verdict, capacity, findings } = drifting(0.1)
    expect([verdict.outcome, verdict.reasons.map(({ code }) => code)]).toEqual([
      'unresolved',
      ['not-confirmed'],
    ])
    expect(capacity).not.toBeNull()
    expect(findings.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^The crew drifts: in its full state, executions became 9\.86 % longer/,
      ),
    ])
  })
})

describe('another load on the same crew', () => {
  test('is told by the ledger, with the workers that it takes', () => {
    const crew = { slots: 20, serviceMicros: exponential, neighboursPerHour: 480 }
    const document = documentOf(crew, { budget: 3_000 })
    const first = [...document.verdict.reasons, ...document.findings].find(({ message }) =>
      message.startsWith('Another load'),
    )
    const [, count, workers] =
      /Another load is on the crew: ([\d,]+) executions of others kept ([\d.]+) workers busy on average/
        .exec(first!.message)!
        .map((text) => Number(text.replaceAll(',', '')))
    expect(count!).toBeGreaterThan(200)
    // 480 an hour of a minute each.
    expect(workers!).toBeGreaterThan(6)
    expect(workers!).toBeLessThan(10)
  })

  test('shows in the workers of a crew that reports its times alone', () => {
    const crew = { slots: 20, serviceMicros: exponential, neighboursPerHour: 480 }
    const document = documentOf({ ...crew, pollMicros: 5_000_000 }, { budget: 3_000 })
    const texts = [document.verdict.reasons, document.findings].flat().map((each) => each.message)
    expect(texts.filter((message) => message.startsWith('Another load seems'))).toEqual([
      expect.stringMatching(
        /while executions wait, on average [2-8]\.\d+ fewer run than at most\. Repeat/,
      ),
    ])
  })

  test.each([1, 4])('is none of polls that are seldom, seed %i', (seed) => {
    const crew = { slots: 5 * seed, seed, serviceMicros: exponential, pollMicros: 10_000_000 }
    const document = documentOf(crew, { budget: 2_000, within: 0.1 })
    expect(codesOf(document)).not.toContain('another-load')
    expect(document.findings.filter(({ message }) => message.startsWith('Another'))).toEqual([])
  })
})

test('a pool in front of the workers is told as a step that holds executions', () => {
  const pool = { slots: 8, micros: (random: Random) => 0.5 * MEAN_MICROS * random.exponential() }
  const document = documentOf({ slots: 12, serviceMicros: uniform, pool }, { budget: 3_000 })
  expect([document.verdict.outcome, codesOf(document)[0]]).toEqual(['refused', 'step-in-front'])
})

describe('a budget that is far too small for the interval', () => {
  const document = documentOf(
    { slots: 4, serviceMicros: bimodal },
    { criteria: [promise('execution.p95', '< 5m')], budget: 120, within: 0.01 },
  )

  test('no number of kickoffs is told where the executions do not tell one', () => {
    const wide = document.verdict.reasons.find(({ code }) => code === 'wide')
    expect(wide!.remedy).not.toMatch(/\d{5}|about/)
    expect(wide!.remedy).not.toBe('allow more time')
  })

  test('the interval ends where a crew that refuses half of what comes would be', () => {
    const { capacity: rate, saturation } = document
    expect(rate!.high).toBeLessThanOrEqual(Math.max(rate!.perHour, 2 * saturation!.high))
    expect(rate!.high).toBeGreaterThanOrEqual(rate!.perHour)
  })
})
