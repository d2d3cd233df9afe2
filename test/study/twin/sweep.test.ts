/**
 * Twins of odd crews: executions that never end, are refused or take no time, one of them, none, all
 * alike, or without waits. A crew that its twin does not resemble never ends with exit code 0.
 */
import { allText } from '../../../src/report/frame/report.ts'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { renderPage } from '../../../src/report/frame/render/page.ts'
import { agreementOf } from '../../../src/study/twin/analyse/agreement.ts'
import type { Twin } from '../../../src/study/twin/analyse/analyse.ts'
import { twinDocument } from '../../../src/study/twin/analyse/analyse.ts'
import type { ReadExecution } from '../../../src/study/frame/executions/reader.ts'
import type { SeenRun } from '../../../src/study/twin/analyse/seen.ts'
import type { Agreement, TwinDocument } from '../../../src/study/twin/document.ts'
import type { Comparison } from '../../../src/study/twin/sentences/verdict.ts'
import { twinSchema } from '../../../src/study/twin/document.ts'
import { twin } from '../../../src/study/twin/study.ts'
import { sampleFacts } from '../../support/study-samples.ts'
import { seenRun, unknown } from './crews.ts'

const CASES = { seed: 20_261_126, numRuns: 400 }
const SIZE = `${CASES.numRuns} cases, seed ${CASES.seed}`
const SECOND = 1_000_000

interface Life {
  outcome: ReadExecution['outcome']
  /** From acceptance to the known end, and the part of it without a worker, in seconds. */
  stay: number
  wait: number
  polls: number
}

const ENDS = ['completed', 'failed'] as const
const seconds = fc.oneof(
  fc.constantFrom(0, 0.001, 1, 60, 1e6),
  fc.double({ min: 1, max: 100, noNaN: true }),
)
const life = fc.record<Life>({
  outcome: fc.constantFrom(...ENDS, 'completed', 'rejected', 'stuck', 'lost', 'unknown', 'aborted'),
  stay: seconds,
  wait: fc.constantFrom(0, 0, 1, 500),
  polls: fc.nat(50),
})
const lives = fc.oneof(fc.array(life, { maxLength: 12 }), alike(life))

function alike(one: fc.Arbitrary<Life>): fc.Arbitrary<Life[]> {
  return fc.tuple(one, fc.integer({ min: 1, max: 12 })).map(([each, n]) => Array(n).fill(each))
}

const truth = fc.constantFrom<SeenRun['truth'][]>('ledger', 'reported', 'polls')

function seenOf(
  { outcome, stay, wait, polls }: Life,
  at: number,
  source: SeenRun['truth'],
): ReadExecution {
  const accepted = outcome === 'rejected' || outcome === 'unknown' ? null : at * SECOND
  const hasEnded = outcome === 'completed' || outcome === 'failed'
  const known = accepted === null || !hasEnded ? null : accepted + (stay + wait) * SECOND
  const began = accepted === null ? null : accepted + wait * SECOND
  return {
    ...unknown(polls),
    outcome,
    intended: at * SECOND,
    accepted,
    started: began === null || source === 'polls' ? null : { low: began, high: began },
    ended: accepted === null ? null : { low: known ?? accepted, high: known ?? Infinity },
    known,
    isStuck: outcome === 'stuck',
  }
}

function runOf(all: readonly Life[], source: SeenRun['truth'] = 'ledger'): SeenRun {
  return seenRun(
    all.map((each, at) => seenOf(each, at, source)),
    source,
  )
}

type Compares = (crew: SeenRun, replays: readonly SeenRun[]) => Agreement | null

const compared: Compares = (crew, replays) =>
  replays.length < 2
    ? null
    : agreementOf(
        [crew],
        replays.map((replay) => [replay]),
      )

/** As of a crew whose tasks are known, so that there is a profile. */
function documentOf(crew: SeenRun, agreement: Agreement | null): TwinDocument {
  const learned = { runs: [crew] } as unknown as Twin['learned']
  const profile = { name: 'swept' } as unknown as Twin['profile']
  return twinDocument({
    twin: { learned, parts: [], profile },
    agreement,
    runs: ['run-1'],
    crews: [{ profile: 'swept' }],
    cuts: [],
    file: null,
    facts: sampleFacts('crewload twin run-1'),
    common: {
      place: { kind: 'deployment', target: 'http://127.0.0.1:1' },
      scenario: 'steady',
      seed: 1,
      speed: 1,
    },
  })
}

/** Ways in which a crew is worse than one whose executions all end. */
const WORSE: readonly ((all: readonly Life[]) => Life[])[] = [
  (all) => all.map((each) => ({ ...each, stay: 1.06 * (each.stay + each.wait) + 0.1 })),
  (all) => all.map((each) => ({ ...each, wait: each.wait * 1.06 + 1 })),
  (all) => all.map((each) => ({ ...each, polls: 2 * each.polls + 1 })),
  (all) => all.map((each) => ({ ...each, outcome: 'stuck' })),
  (all) => [{ ...all[0]!, outcome: 'lost' }, ...all.slice(1)],
  (all) => [{ ...all[0]!, outcome: 'rejected' }, ...all.slice(1)],
]

/** Replays that are all alike, and a crew that is the same but for one thing that is worse. */
function worseNeverAgrees(compares: Compares): { failed: boolean; counterexample: unknown } {
  const ended = fc.record<Life>({
    outcome: fc.constantFrom(...ENDS),
    stay: fc.double({ min: 0, max: 1_000, noNaN: true }),
    wait: fc.constantFrom(0, 1, 500),
    polls: fc.nat(50),
  })
  const base = fc.oneof(fc.array(ended, { minLength: 1, maxLength: 12 }), alike(ended))
  const holds = fc.property(
    base,
    fc.constantFrom(...WORSE),
    fc.integer({ min: 2, max: 6 }),
    (all, worse, n) => {
      const replays = Array.from({ length: n }, () => runOf(all))
      const crew = runOf(worse(all))
      const back = runOf(all)
      const twins = Array.from({ length: n }, () => crew)
      // Whichever side it is that is worse.
      return [documentOf(crew, compares(crew, replays)), documentOf(back, compares(back, twins))]
        .map((document) => twin.exit(document))
        .every((exit) => exit === 'inconclusive')
    },
  )
  const { failed, counterexample } = fc.check(holds, CASES)
  return { failed, counterexample }
}

/** Planted: executions without an end are left out. */
const forgetting: Compares = (crew, replays) => compared(onlyEnded(crew), replays.map(onlyEnded))

function onlyEnded(run: SeenRun): SeenRun {
  return { ...run, executions: run.executions.filter(({ known }) => known !== null) }
}

/** Planted: replays without spread are taken to allow any value. */
const lenient: Compares = (crew, replays) => {
  const agreement = compared(crew, replays)
  return agreement && { ...agreement, comparisons: agreement.comparisons.map(loosened) }
}

function loosened(comparison: Comparison): Comparison {
  const { low, high, twin: mean, agrees } = comparison
  return { ...comparison, agrees: agrees || high - low < 0.5 * mean }
}

describe(`a twin (${SIZE})`, () => {
  test('that a crew is worse than, or better, disagrees with it', () => {
    expect(worseNeverAgrees(compared)).toEqual({ failed: false, counterexample: null })
  })

  test.each([
    ['leaves out what did not end', forgetting],
    ['takes replays without spread to allow any value', lenient],
  ])('is found out if it %s', (_fault, compares) => {
    expect(worseNeverAgrees(compares).failed).toBe(true)
  })

  test('of any crew follows its schema, has no hole, and passes only what it compared', () => {
    const replayed = fc.array(lives, { maxLength: 5 })
    fc.assert(
      fc.property(lives, replayed, truth, truth, (all, replays, source, other) => {
        const crew = runOf(all, source)
        const agreement = compared(
          crew,
          replays.map((each) => runOf(each, other)),
        )
        const document = documentOf(crew, agreement)
        twinSchema.parse(JSON.parse(JSON.stringify(document)))
        expect(renderPage(twin.report(document))).not.toMatch(/NaN|Infinity|undefined/)
        const { outcome, reasons } = document.verdict
        const isUncompared = agreement === null || agreement.comparisons.length === 0
        expect(allText(document.verdict).includes('It was not compared with the crew')).toBe(
          isUncompared,
        )
        expect(outcome === 'learned').toBe(agreement === null || isWhole(agreement))
        expect(outcome === 'learned' || reasons.length > 0).toBe(true)
      }),
      CASES,
    )
  })
})

function isWhole({ comparisons }: Agreement): boolean {
  return (
    comparisons.length > 0 &&
    comparisons.every(({ observed, low, high }) => observed >= low && observed <= high)
  )
}
