/**
 * Verdicts of capacity over odd numbers: 0, NaN, no limit, no spread, reversed ends, no confirmation,
 * any expectation. Nothing but a confirmed, narrow rate that is high enough ends with exit code 0.
 */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CapacityDocument } from '../../../../src/study/capacity/document.ts'
import type { Searched } from '../../../../src/study/capacity/analyse/verdict.ts'
import type { CapacityFigures } from '../../../../src/study/capacity/sentences/verdict.ts'
import { judged } from '../../../../src/study/capacity/analyse/verdict.ts'
import { capacity } from '../../../../src/study/capacity/study.ts'
import { documentOf, exponential, searched } from '../searched.ts'

const CASES = { seed: 20_261_126, numRuns: 400 }
const SIZE = `${CASES.numRuns} cases, seed ${CASES.seed}`

const CREW = { slots: 8, serviceMicros: exponential }
const CHANGES = { simulated: 5_000, budget: 3_000, within: 0.15 }
const search = searched(CREW, CHANGES)
search.conclude()
const document = documentOf(CREW, CHANGES)

/** The same search, whose rate was not tried on the crew. */
const unconfirmed = new Proxy(search, {
  get: (own, name) => (name === 'confirmation' ? null : (Reflect.get(own, name, own) as unknown)),
})

interface Case {
  rate: CapacityFigures['capacity']
  expected: number | null
  isConfirmed: boolean
  isInvalid: boolean
  wasOutOfTime: boolean
  engine: CapacityDocument['plan']['engine']
}

const number = fc.oneof(
  fc.constantFrom(0, 100, 400, 400, 400, 1e9, NaN, Infinity),
  fc.double({ min: 1, max: 1_000, noNaN: true }),
)
const near = fc.double({ min: 0.9, max: 1, noNaN: true })
const rate = fc.oneof(
  fc.record({ perHour: number, low: number, high: number }),
  fc.tuple(number, near, near).map(([perHour, below, above]) => ({
    perHour,
    low: perHour * below,
    high: perHour / above,
  })),
)
const odd = fc.record<Case>({
  rate: fc.option(rate, { freq: 9 }),
  expected: fc.option(number),
  isConfirmed: fc.boolean(),
  isInvalid: fc.constantFrom(false, false, false, true),
  wasOutOfTime: fc.boolean(),
  engine: fc.constantFrom('virtual', 'none'),
})

type Judges = (searched: Searched, figures: CapacityFigures) => Pick<CapacityDocument, 'verdict'>

/** What the verdict says that its numbers deny; empty if nothing. */
function complaints(each: Case, judges: Judges): string[] {
  const { plan, model, saturation, inFlight, binding } = document
  const { limit, sharedPerHour, oneMoreWorker } = document
  const { expected: expectedPerHour, engine } = each
  const invalid = each.isInvalid
    ? [{ code: 'lateness' as const, message: 'requests were late', remedy: '' }]
    : []
  const confirmation = each.isConfirmed ? document.confirmation : null
  const known = { model, saturation, inFlight, binding, limit, sharedPerHour, oneMoreWorker }
  const { verdict } = judges(
    {
      search: each.isConfirmed ? search : unconfirmed,
      plan: { ...plan, expectedPerHour, engine },
      facts: document,
      invalid,
      wasOutOfTime: each.wasOutOfTime,
    },
    { ...known, scaling: null, confirmation, capacity: each.rate },
  )
  const isAnswered = capacity.exit({ ...document, verdict }) === 'passed'
  const { perHour, low, high } = each.rate ?? { perHour: NaN, low: NaN, high: NaN }
  const width = Math.max(high / perHour, perHour / low) - 1
  return [
    isAnswered && !(Number.isFinite(perHour) && perHour > 0) ? 'answered without a rate' : '',
    isAnswered && !(width <= 1.05 * plan.within) ? 'answered within too wide an interval' : '',
    isAnswered && expectedPerHour !== null && !(low >= expectedPerHour) ? 'answered too low' : '',
    isAnswered && !each.isConfirmed ? 'answered unconfirmed' : '',
    isAnswered && each.isInvalid ? 'answered by an invalid measurement' : '',
    !isAnswered && verdict.reasons.length === 0 ? 'no reason' : '',
    verdict.reasons.some(({ message }) => message === '') ? 'an empty reason' : '',
  ].filter((complaint) => complaint !== '')
}

function swept(judges: Judges): { told: unknown; answered: boolean } {
  let told: unknown = null
  let answered = 0
  const counted: Judges = (searched, figures) => {
    const found = judges(searched, figures)
    if (found.verdict.outcome === 'answered') answered++
    return found
  }
  const holds = fc.property(odd, (each) => {
    const found = complaints(each, counted)
    if (found.length > 0) told = [found, each]
    return found.length === 0
  })
  const { errorInstance } = fc.check(holds, CASES)
  return { told: told ?? errorInstance, answered: answered > 0 }
}

/** Planted: an interval is never too wide. */
const narrow: Judges = (searched, figures) =>
  judged({ ...searched, plan: { ...searched.plan, within: Infinity } }, figures)

/** Planted: nothing is expected. */
const content: Judges = (searched, figures) =>
  judged({ ...searched, plan: { ...searched.plan, expectedPerHour: null } }, figures)

describe(`verdicts of capacity (${SIZE})`, () => {
  test('pass only what is confirmed, narrow and high enough, and else name a reason', () => {
    expect(document.verdict.outcome).toBe('answered')
    expect(swept(judged)).toEqual({ told: null, answered: true })
  })

  test.each([
    ['no interval is too wide', narrow, 'answered within too wide an interval'],
    ['no expectation counts', content, 'answered too low'],
  ])('are found out if %s', (_fault, judges, complaint) => {
    expect(JSON.stringify(swept(judges).told)).toContain(complaint)
  })
})
