/**
 * Made-up runs of one seed in the form that an agreement needs: seeded, and easy to change in one
 * place.
 */
import type { AgreementFacts } from '../../src/study/agreement/analyse/analyse.ts'
import { analyseAgreement, DEFAULT_BOUNDS } from '../../src/study/agreement/analyse/analyse.ts'
import type { AgreementDocument, Aspect } from '../../src/study/agreement/document.ts'
import { assert } from '../../src/base/assert.ts'
import type { ComparedRun, ToldExecution } from '../../src/study/agreement/analyse/aspects.ts'
import { rankInterval, neededFor } from '../../src/analysis/statistics/ranks.ts'
import type { Metric, ResultDocument } from '../../src/analysis/document.ts'
import { rankOf } from '../../src/analysis/statistics/quantiles.ts'
import { createRandom } from '../../src/base/random.ts'
import { steadyDocument } from '../report/run/sample-document.ts'

export interface MadeUpOptions {
  executions?: number
  engine?: ResultDocument['run']['engine']
  /**
   * The noise in everything that is not a draw of the fake crew: network jitter, phase of the
   * polls.
   */
  noise?: number
  /** Changes each execution before it is counted. */
  spoil?: (told: ToldExecution) => void
  /** Changes the finished document. */
  document?: (document: ResultDocument) => void
}

const GAP_MICROS = 16_667
const CLOCK_ERROR_MICROS = 150

/** Makes up a run whose executions take about a second and are polled every 500 ms; 2 % fail. */
export function madeUpRun(name: string, options: MadeUpOptions = {}): ComparedRun {
  const { executions: n = 600, noise = 1, engine = 'node', spoil, document: adjust } = options
  const executions = Array.from({ length: n }, (_, index) => {
    const told = execution(index, noise)
    spoil?.(told)
    return told
  })
  const detectionMicros = executions.map(({ index }) => delay(index, noise))
  const document = steadyDocument(n, 42, 0.02)
  document.run = { ...document.run, id: `run-${name}`, engine, profile: 'fake crew "default"' }
  document.polling.detectionSource = 'ledger'
  document.plan = {
    arrivals: { kind: 'open', segments: [] },
    validity: { latenessP99Micros: 5_000 },
  }
  document.ledger = {
    rows: n,
    clockErrorMs: CLOCK_ERROR_MICROS / 1_000,
    agreed: n,
    disagreements: [],
    endIntervals: { checked: n, contained: n },
  }
  const times = executions.flatMap(({ executionMicros }) => executionMicros ?? [])
  Object.assign(
    document.metrics,
    metricsOf('execution', times),
    metricsOf('detectionDelay', detectionMicros),
  )
  adjust?.(document)
  return {
    name,
    folder: name.replaceAll(':', '-'),
    document,
    executions,
    detectionMicros,
    clockErrorMicros: CLOCK_ERROR_MICROS,
  }
}

function execution(index: number, noise: number): ToldExecution {
  const draws = createRandom(7).fork('execution', index)
  const network = createRandom(noise).fork('network', index)
  const failed = index % 50 === 49
  return {
    index,
    warmUp: false,
    kickoffId: `id-${index}`,
    outcome: failed ? 'failed' : 'completed',
    attempts: 1,
    intendedMicros: index * GAP_MICROS,
    lateMicros: Math.round(800 * network.next()),
    executionMicros: Math.round(400_000 + 1_200_000 * draws.next() + 4_000 * network.next()),
  }
}

function delay(index: number, noise: number): number {
  const phase = createRandom(7).fork('phase', index).next()
  const jitter = createRandom(noise).fork('jitter', index).next()
  return Math.round(500_000 * phase + 3_000 * jitter)
}

const QUANTILES = { p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99 } as const

/** Converts values in microseconds to metrics in milliseconds, with their intervals. */
function metricsOf(time: string, micros: readonly number[]): Record<string, Metric> {
  const sorted = micros.toSorted((a, b) => a - b)
  const { length: n } = sorted
  const at = (rank: number | null): number | null =>
    rank === null ? null : sorted[rank - 1]! / 1_000
  return Object.fromEntries(
    Object.entries(QUANTILES).map(([name, q]) => {
      const needed = neededFor(q)
      const { low, high } = n === 0 ? { low: null, high: null } : rankInterval(n, q)
      const value = n < needed ? null : at(rankOf(n, q))
      const sides = { low: at(low), high: at(high) }
      const metric: Metric = { value, unit: 'ms', ...sides, n, never: 0, needed, effective: n }
      return [`${time}.${name}`, metric]
    }),
  )
}

export const AGREEMENT_FACTS: AgreementFacts = {
  tool: { name: 'crewload', version: '0.1.0', node: '20.20.2' },
  id: '0badcafe',
  startedAt: '2026-11-21T08:15:00.000Z',
  ended: 'complete',
  durationMs: 62_000,
  requests: 3_600,
  kickoffs: 1_200,
  budget: { requests: null, kickoffs: null },
  command: null,
  target: 'this machine',
  profile: 'fake crew "default"',
  scenario: 'steady',
  seed: 42,
  speed: 1,
}

export function agree(...stories: ComparedRun[]): AgreementDocument {
  return analyseAgreement(stories, DEFAULT_BOUNDS, AGREEMENT_FACTS)
}

/** Throws when there is no aspect of that name. */
export function aspect(document: AgreementDocument, name: Aspect['name'], comparison = 0): Aspect {
  const found = document.comparisons[comparison]?.aspects.find((each) => each.name === name)
  assert(found !== undefined, `no aspect ${name}`)
  return found
}

/** The names of all aspects that differ. */
export function differing(document: AgreementDocument): string[] {
  return document.comparisons.flatMap(({ aspects }) =>
    aspects.filter(({ status }) => status === 'differs').map(({ name }) => name),
  )
}

/** The reasons of the verdict in words. */
export function saidOf({ verdict }: AgreementDocument): string[] {
  return verdict.reasons.map(({ message }) => message)
}
