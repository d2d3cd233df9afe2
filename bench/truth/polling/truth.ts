/** The results of the study of polling, compared with runs that it has not seen. */
import type { Recording } from '../../../src/study/polling/analyse/replay/recording.ts'
import { allSteps } from '../../../src/base/steps.ts'
import { createRandom } from '../../../src/base/random.ts'
import { MICROS_PER_MS } from '../../../src/base/units.ts'
import type { PollingPolicy, PollingOption } from '../../../src/scenario/polling/index.ts'
import { polling as pollingSchema } from '../../../src/scenario/schema/scenario.ts'
import { analysingPolling } from '../../../src/study/polling/analyse/analyse.ts'
import { candidatesOf } from '../../../src/study/polling/analyse/choice/candidates.ts'
import { pollingCostOf } from '../../../src/study/polling/analyse/choice/goal.ts'
import { upperMedian } from '../../../src/result/statistics/rising.ts'
import type { FamilyName } from '../../../src/study/polling/analyse/families/list.ts'
import { subjectsOf } from '../../../src/study/polling/analyse/replay/lives.ts'
import { requestTimesOf } from '../../../src/study/polling/analyse/replay/replay.ts'
import type { TraceFigures } from '../../../src/study/polling/analyse/replay/trace.ts'
import { figuresOf, traceOf } from '../../../src/study/polling/analyse/replay/trace.ts'
import type {
  PollingDocument,
  Recommended,
  PollingGoal,
} from '../../../src/study/polling/document.ts'
import { variantsOf } from './variants.ts'

/** The polling of a recording before there is a recommendation. */
export const FIRST_POLLING: PollingOption = {
  exponential: { initial: '2s', factor: 1.5, max: '15s', jitter: 'equal' },
}

export const PRICES = { poll: 1, delaySecond: 1 }
const GOAL: PollingGoal = { quota: null, promise: null, prices: PRICES, given: true }

export function answerTo(recording: Recording): PollingDocument {
  const steps = analysingPolling(
    {
      recording,
      runs: [],
      place: { kind: 'runs', runs: 0 },
      scenario: 'recorded',
      seed: 1,
      speed: 1,
      invalid: [],
      doubted: [],
      crews: [],
    },
    {
      facts: () => ({
        tool: { name: 'crewload', version: '0', node: '0' },
        id: '0',
        startedAt: '2026-01-01T00:00:00Z',
        durationMs: 0,
        requests: 0,
        kickoffs: 0,
        budget: { requests: null, kickoffs: null },
        ended: 'complete',
        command: null,
      }),
      kind: 'runs',
      goal: GOAL,
    },
  )
  return allSteps(steps)
}

export function policyOf({ polling }: Pick<Recommended, 'polling'>): PollingPolicy {
  return pollingSchema.parse(polling)
}

/** Replays strategies on one recording. */
export class Replays {
  readonly #subjects
  readonly #weights: number[]
  readonly #requestMicros: number
  readonly #stage

  constructor(recording: Recording) {
    this.#subjects = subjectsOf(recording)
    this.#weights = this.#subjects.map(({ weight }) => weight)
    this.#requestMicros = upperMedian(recording.requestMicros)
    this.#stage = { requests: requestTimesOf(recording), random: createRandom(5) }
  }

  figures(policy: PollingPolicy): TraceFigures {
    return figuresOf(
      traceOf(this.#subjects, () => policy, this.#stage),
      this.#weights,
    )
  }

  /** The lowest cost in the family, with all its parameters tried, on this same recording. */
  least(family: FamilyName): number {
    const tried = candidatesOf(this.#subjects, this.#requestMicros)
      .filter((candidate) => candidate.family === family)
      .map(({ policy }) => ({ policy, cost: pollingCostOf(this.figures(policy), PRICES) }))
      .toSorted((a, b) => a.cost - b.cost)
    let [best] = tried
    for (let step = 0.2; step > 0.005; step /= 2) {
      for (const policy of variantsOf(best!.policy, step)) {
        const cost = pollingCostOf(this.figures(policy), PRICES)
        if (cost < best!.cost) best = { policy, cost }
      }
    }
    return best!.cost
  }
}

export function isWithin(value: number, low: number, high: number): boolean {
  return value >= low && value <= high
}

export function inMilliseconds(micros: number): number {
  return micros / MICROS_PER_MS
}
