/**
 * Answers to odd recordings: executions that never end or were not watched, one, none, all alike,
 * requests that all fail or take no time, no rate of arrivals. What is answered keeps its goal by
 * its own numbers, and what is not answered says why.
 */
import { allText } from '../../../../src/report/frame/report.ts'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { renderPage } from '../../../../src/report/frame/render/page.ts'
import type {
  PastExecution,
  Recording,
} from '../../../../src/study/polling/analyse/replay/recording.ts'
import type { PollingDocument, PollingGoal } from '../../../../src/study/polling/document.ts'
import { pollingSchema } from '../../../../src/study/polling/document.ts'
import { polling } from '../../../../src/study/polling/study.ts'
import { answerTo, goalFor } from './answers.ts'
import { recordingOf, SECOND } from './subjects.ts'

const CASES = { seed: 20_261_126, numRuns: 14 }

type Length = number | 'never' | 'censored'

/** Times in seconds. */
interface Case {
  lengths: readonly Length[]
  deadline: number
  requestMicros: readonly number[]
  failed: number
  perSecond: number | null
  obeys: boolean
  goals: { maxPolls?: string; delay?: string; pollPrice?: number; delayPrice?: number }
}

const length = fc.oneof(
  { weight: 12, arbitrary: fc.double({ min: 5, max: 40, noNaN: true }) },
  { weight: 1, arbitrary: fc.constantFrom<Length[]>('never', 'censored', 1, 12, 12) },
)
const lengths = fc.oneof(
  { weight: 4, arbitrary: fc.array(length, { minLength: 8, maxLength: 60 }) },
  { weight: 1, arbitrary: fc.array(length, { maxLength: 12 }) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(length, fc.integer({ min: 9, max: 40 }))
      .map(([one, n]) => Array<Length>(n).fill(one)),
  },
)
const odd = fc.record<Case>({
  lengths,
  deadline: fc.constantFrom(90, 90, 41, 13),
  requestMicros: fc.constantFrom([], [0], [5_000, 9_000], [2 * SECOND]),
  failed: fc.constantFrom(0, 0, 30),
  perSecond: fc.constantFrom(null, 0.01, 1, 1, 100),
  obeys: fc.boolean(),
  goals: fc.constantFrom(
    {},
    { maxPolls: '1/h' },
    { maxPolls: '600/m' },
    { delay: 'p95 < 3s' },
    { delay: 'mean < 1ms' },
    { maxPolls: '600/m', delay: 'p95 < 5s' },
    { pollPrice: 1e9, delayPrice: 1 },
    { pollPrice: 1, delayPrice: 1e3 },
  ),
})

function recordingIn({ lengths: all, deadline, perSecond, ...seen }: Case): Recording {
  const { executions } = recordingOf(all.map((each) => (typeof each === 'number' ? each : 20)))
  const ofFate = (each: PastExecution, at: number): PastExecution => {
    const own = all[at]!
    const deadlineMicros = deadline * SECOND
    if (typeof own === 'number' && own < deadline) return { ...each, deadlineMicros }
    const micros = Math.min(each.afterMicros, deadlineMicros)
    const fate = own === 'censored' ? own : 'never'
    return { ...each, deadlineMicros, fate, afterMicros: micros, byMicros: micros }
  }
  const current = { kind: 'fixed', everyMicros: SECOND, initialDelayMicros: SECOND } as const
  const waits = { answers: 10, waitsMicros: Array<number>(5).fill(4 * SECOND) }
  return recordingOf([], {
    executions: executions.map(ofFate),
    requestMicros: seen.requestMicros,
    failures: { polls: 100, failed: seen.failed, pausesMicros: [SECOND] },
    arrivalsPerSecond: perSecond,
    hints: { kickoff: waits, polls: waits, exhausted: 3 },
    current: seen.obeys ? { ...current, hint: 'obey' } : null,
  })
}

type Answers = (recording: Recording, goal: PollingGoal) => PollingDocument

/** What the document says of itself that is not so; empty if all is. */
function complaints(each: Case, answers: Answers): string[] {
  const goal = goalFor(each.goals)
  const document = answers(recordingIn(each), goal)
  pollingSchema.parse(JSON.parse(JSON.stringify(document)))
  const page = renderPage(polling.report(document))
  const { verdict, recommended, runnerUp, source } = document
  const isAnswered = polling.exit(document) === 'passed'
  const delay = recommended?.detectionDelayMs ?? null
  const { promise, quota } = goal
  const bound = promise === null ? Infinity : promise.boundMicros / 1_000
  const most = quota === null ? Infinity : (quota.count * SECOND) / quota.perMicros
  const worst = promise?.statistic === 'mean' ? delay?.meanHigh : delay?.high
  const traffic = recommended?.pollsPerSecond ?? null
  return [
    /NaN|Infinity|undefined/.test(page) ? 'a hole in the page' : '',
    !isAnswered && verdict.reasons.length === 0 ? 'no reason' : '',
    verdict.reasons.some(({ message }) => message === '') ? 'an empty reason' : '',
    isAnswered && source.ended < 10 ? 'answered from few' : '',
    isAnswered && delay === null ? 'answered by what misses ends' : '',
    isAnswered && !((worst ?? Infinity) < bound) ? 'answered beyond the promise' : '',
    isAnswered && quota !== null && !((traffic ?? Infinity) <= most) ? 'beyond the quota' : '',
    isAnswered && !((runnerUp?.mayBeBetterBy ?? 0) <= 0.5) ? 'another may be twice as good' : '',
    isAnswered && runnerUp?.ties === true && !allText(verdict).includes('ties')
      ? 'a tie unsaid'
      : '',
    verdict.outcome === 'impossible' && recommended !== null ? 'impossible, and recommended' : '',
  ].filter((complaint) => complaint !== '')
}

/** A promise that no strategy keeps, and one that some do: what a planted fault changes at once. */
const PLAIN: Case = {
  lengths: Array.from({ length: 40 }, (_, i) => 5 + (i * 35) / 39),
  deadline: 90,
  requestMicros: [5_000, 9_000],
  failed: 0,
  perSecond: 1,
  obeys: false,
  goals: {},
}
const PROMISED = [{ delay: 'mean < 1ms' }, { delay: 'p95 < 3s' }].map((goals): [Case] => [
  { ...PLAIN, goals },
])

function swept(answers: Answers, examples: [Case][] = []): { failed: boolean; told: unknown } {
  let told: unknown = null
  const holds = fc.property(odd, (each) => {
    const found = complaints(each, answers)
    if (found.length > 0) told = [found, each]
    return found.length === 0
  })
  // A case takes a fifth of a second: what fails is not made smaller.
  const { failed } = fc.check(holds, { ...CASES, examples, endOnFailure: true })
  return { failed, told }
}

/** Planted: a promise of ten times the delay is kept. */
const lax: Answers = (recording, goal) => {
  const { promise } = goal
  const kept = promise && { ...promise, boundMicros: 10 * promise.boundMicros }
  return answerTo(recording, { ...goal, promise: kept })
}

/** Planted: the reasons are lost. */
const mute: Answers = (recording, goal) => {
  const document = answerTo(recording, goal)
  return { ...document, verdict: { ...document.verdict, reasons: [] } }
}

describe(`answers to odd recordings (${CASES.numRuns} cases, seed ${CASES.seed})`, () => {
  test('keep their goals by their own numbers, or say why there is none', () => {
    expect(swept(answerTo, PROMISED)).toEqual({ failed: false, told: null })
  })

  test.each([
    ['a promise is not kept', lax],
    ['reasons are lost', mute],
  ])('are found out if %s', (_fault, answers) => {
    expect(swept(answers, PROMISED).failed).toBe(true)
  })
})
