/** A search of a simulated crew, and the document that it ends in. */
import { createRandom } from '../../../src/base/random.ts'
import type { Random } from '../../../src/base/random.ts'
import { capacityDocument } from '../../../src/study/capacity/analyse/analyse.ts'
import { knownAtOnce } from '../../../src/study/capacity/analyse/model/detection.ts'
import type { StepPurpose, SearchTerms } from '../../../src/study/capacity/analyse/search/search.ts'
import { CapacitySearch } from '../../../src/study/capacity/analyse/search/search.ts'
import type { CapacityDocument, CapacityPlan } from '../../../src/study/capacity/document.ts'
import type { LoadSeen } from '../../../src/study/capacity/analyse/seen.ts'
import { CAUSES } from '../../../src/study/capacity/sentences/causes.ts'
import { sampleFacts } from '../../support/study-samples.ts'
import type { TestCrew } from './crew.ts'
import { put } from './crew.ts'
import { MEAN_MICROS, promise } from './systems.ts'

export const exponential = (random: Random): number => MEAN_MICROS * random.exponential()

function termsOf(changes: Partial<SearchTerms> = {}): SearchTerms {
  return {
    criteria: [promise('execution.p95', '< 5m')],
    within: 0.05,
    budget: 6_000,
    mostClients: 256,
    detectionOf: () => knownAtOnce(Infinity),
    random: createRandom(7),
    simulated: 100_000,
    ...changes,
  }
}

/** `endsBefore`: the purpose of the first load that is not put, as where time ends. */
export function searched(
  crew: TestCrew,
  changes: Partial<SearchTerms> = {},
  endsBefore: StepPurpose | null = null,
): CapacitySearch {
  const found = new CapacitySearch(termsOf(changes))
  for (let run = 0, step = found.next(); step !== null; step = found.next()) {
    if (step.purpose === endsBefore) break
    found.saw(step, put(crew, step.load, run++))
  }
  return found
}

/** Of the same search, as `crewload capacity` would write it. */
export function documentOf(
  crew: TestCrew,
  changes: Partial<SearchTerms> = {},
  asked: Partial<CapacityPlan> = {},
  endsBefore: StepPurpose | null = null,
): CapacityDocument {
  return concluded(searched(crew, changes, endsBefore), changes, asked)
}

const SIMULATED = { kind: 'virtual', profile: 'simulated' } as const

/** Of past runs alone that were these loads. */
export function documentOfRuns(loads: readonly LoadSeen[]): CapacityDocument {
  const changes = { simulated: 2_000 }
  const search = new CapacitySearch(termsOf(changes))
  search.recall(
    loads.map((seen, i) => ({
      place: SIMULATED,
      run: `run ${i}`,
      seen,
      isOpen: seen.load.kind === 'open',
    })),
  )
  return concluded(search, changes, { engine: 'none' })
}

/** What the loads show against a queue for workers: beside the answer, or in place of it. */
export function causesIn({ findings, verdict }: CapacityDocument) {
  return [...findings, ...verdict.reasons].filter(({ code }) => code in CAUSES)
}

function concluded(
  search: CapacitySearch,
  changes: Partial<SearchTerms>,
  asked: Partial<CapacityPlan>,
): CapacityDocument {
  const { criteria, within, budget, mostClients } = termsOf(changes)
  const kickoffs = search.loads.reduce((sum, { facts }) => sum + facts.seen.executions.length, 0)
  const plan: CapacityPlan = {
    place: SIMULATED,
    engine: 'virtual',
    from: [],
    scenario: 'steady',
    seed: 7,
    speed: 1,
    slo: criteria.map(({ text }) => text),
    within,
    expectedPerHour: null,
    maxInFlight: mostClients,
    deadlineMs: 900_000,
    budget: { requests: null, kickoffs: budget },
    maxDurationMs: null,
    cost: null,
    ...asked,
  }
  return capacityDocument({
    search,
    plan,
    facts: { ...FACTS, kickoffs, requests: 12 * kickoffs, budget: plan.budget },
    invalid: [],
    wasOutOfTime: false,
  })
}

const FACTS = sampleFacts("crewload capacity steady --profile simulated --slo 'execution.p95 < 5m'")
