/** Histories of gates that were never held. */
import { createRandom } from '../../../../src/base/random.ts'
import type { HistoryLine } from '../../../../src/study/comparing/history.ts'
import { analyseHistory } from '../../../../src/study/comparing/history/analyse.ts'
import type { HistoryDocument } from '../../../../src/study/comparing/history/document.ts'
import { SAMPLE_TERMS, sampleFacts } from '../../../support/study-samples.ts'

const TIMES = { 'execution.p50': 60_000, 'execution.p95': 210_000, 'kickoff.response.p95': 250 }
const HOUR = 3_600_000

/** One gate an hour; `step`: by how much times are longer from the 40th on. */
export function gatesOf(seed: number, step: number, count = 60): HistoryLine[] {
  const random = createRandom(seed).fork('history')
  return Array.from({ length: count }, (_, i): HistoryLine => {
    const shared = 0.01 * random.normal()
    const times = Object.entries(TIMES).map(([name, ms]) => {
      const value = ms * (i >= 40 ? 1 + step : 1) * Math.exp(shared + 0.01 * random.normal())
      return [name, { unit: 'ms' as const, value }] as const
    })
    const failed = Math.round(4_000 * 0.01 + Math.sqrt(40) * random.normal()) / 4_000
    return {
      schema: 'crewload/gate-line/1',
      id: `gate${i}`,
      at: new Date(Date.UTC(2026, 10, 1) + i * HOUR).toISOString(),
      commit: `c0ffee${String(i).padStart(2, '0')}`,
      scenario: 'steady',
      decision: 'pass',
      runs: 8,
      metrics: {
        ...Object.fromEntries(times),
        'execution.failed': { unit: 'share', value: failed },
        'outcome.unserved': { unit: 'share', value: 0 },
      },
    }
  })
}

export function documentOf(gates: HistoryLine[], ignored = 0): HistoryDocument {
  return analyseHistory(
    { gates, ignored },
    {
      path: 'ci/baseline',
      terms: SAMPLE_TERMS,
      facts: sampleFacts('crewload history ci/baseline'),
    },
  )
}

export const SAMPLES: Record<string, () => HistoryDocument> = {
  worse: () => documentOf(gatesOf(7, 0.08)),
  better: () => documentOf(gatesOf(8, -0.1)),
  steady: () => documentOf(gatesOf(9, 0)),
  few: () => documentOf(gatesOf(8, 0, 5), 2),
  none: () => documentOf([]),
}
