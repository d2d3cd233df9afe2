/** Made-up runs for gates: their metrics vary between runs as those of a crew do. */
import type { Metric } from '../../../src/result/document.ts'
import type { Random } from '../../../src/base/random.ts'
import type { SideMetrics } from '../../../src/study/comparing/metrics.ts'

export interface Crew {
  /** The standard deviation of logarithms from run to run; it affects all times of a run alike. */
  noise: number
  /**
   * The standard deviation of the logarithm of each time by itself, because a run is only a sample.
   * Default 0.02.
   */
  sampling?: number
  /** The factor by which every time is longer. Default 1. */
  slower?: number
  /** The expected shares of executions. Default: 0.5 % failed, none unserved. */
  failed?: number
  unserved?: number
  /** The standard deviation of the logarithm of the failed share from run to run. Default 0. */
  uneven?: number
  /** The executions per run. Default 700. */
  executions?: number
  /** The correlation of a run's noise with that of the run before. Default 0. */
  drift?: number
}

const TIMES = { 'execution.p50': 60_000, 'execution.p95': 210_000, 'kickoff.response.p95': 250 }

/** Makes up `count` runs of one crew. */
export function runsOf(count: number, crew: Crew, random: Random): SideMetrics {
  return runsInOrder(
    Array.from({ length: count }, () => crew),
    random,
  )
}

/**
 * Makes up one run of each crew, in this order. The drift of the noise continues from crew to crew.
 */
export function runsInOrder(crews: readonly Crew[], random: Random): SideMetrics {
  let shared = random.normal()
  return crews.map(({ drift = 0, ...crew }) => {
    shared = drift * shared + Math.sqrt(1 - drift * drift) * random.normal()
    return runOf(crew, shared, random)
  })
}

function runOf(crew: Crew, shared: number, random: Random): SideMetrics[number] {
  const { noise, sampling = 0.02, slower = 1, failed = 0.005, unserved = 0 } = crew
  const { executions = 700, uneven = 0 } = crew
  const times = Object.entries(TIMES).map(([name, ms]) => {
    const value = ms * slower * Math.exp(noise * shared + sampling * random.normal())
    return [name, metricOf('ms', value, executions)] as const
  })
  return {
    ...Object.fromEntries(times),
    'outcome.unserved': shareOf(unserved, executions, random),
    'execution.failed': shareOf(
      failed * Math.exp(uneven * random.normal() - uneven ** 2 / 2),
      executions,
      random,
    ),
  }
}

function shareOf(chance: number, n: number, random: Random): Metric {
  let hits = 0
  for (let i = 0; i < n; i++) if (random.next() < chance) hits++
  return metricOf('share', hits / n, n)
}

export function metricOf(unit: Metric['unit'], value: Metric['value'], n: number): Metric {
  const own = { low: null, high: null, never: 0, needed: null, effective: n }
  return { value, unit, n, ...own }
}
