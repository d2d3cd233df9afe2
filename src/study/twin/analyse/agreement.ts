/**
 * Compares the twin as a whole with the crew: the arrivals of the runs are replayed on it several
 * times, and observed in the same way.
 */
import { deviationOf, meanOf } from '../../../result/statistics/moments.ts'
import { quantileOf } from '../../../result/statistics/quantiles.ts'
import { studentT } from '../../../result/statistics/distributions.ts'
import { MICROS_PER_MS } from '../../../base/units.ts'
import type { Agreement, Comparison } from '../document.ts'
import { middle, takenOf } from './learn/taken.ts'
import type { SeenRun } from './seen.ts'

/** The compared quantities of a set of runs; null where nothing reports one. */
interface Figures {
  stayMean: number | null
  stayP50: number | null
  stayP95: number | null
  waitMean: number | null
  waitP95: number | null
  quotaMean: number | null
  slowedMean: number | null
  completed: number | null
  failed: number | null
  rejected: number | null
  polls: number | null
}

const NAMES: readonly { key: keyof Figures; name: string; unit: Comparison['unit'] }[] = [
  { key: 'stayMean', name: 'time in the crew, mean', unit: 'ms' },
  { key: 'stayP50', name: 'time in the crew, p50', unit: 'ms' },
  { key: 'stayP95', name: 'time in the crew, p95', unit: 'ms' },
  { key: 'waitMean', name: 'wait for a worker, mean', unit: 'ms' },
  { key: 'waitP95', name: 'wait for a worker, p95', unit: 'ms' },
  { key: 'quotaMean', name: 'wait for a quota, mean', unit: 'ms' },
  { key: 'slowedMean', name: 'slowed by each other, mean', unit: 'ms' },
  { key: 'completed', name: 'completed', unit: 'share' },
  { key: 'failed', name: 'failed', unit: 'share' },
  { key: 'rejected', name: 'rejected', unit: 'share' },
  { key: 'polls', name: 'polls per execution', unit: 'polls' },
]

/**
 * The probability with which each figure of a perfect twin lies within its interval; it is high
 * because up to eleven figures are compared.
 */
const CONFIDENCE = 0.997
/** A smaller difference counts as none: relative for times and counts, absolute for shares. */
const SMALLEST = { ms: 0.01, polls: 0.01, share: 0.003 } as const
/** Shorter waits are the time of a request, and not a wait for a worker. */
const SHORTEST_MS = 50

/** `replays`: each replay of all runs, observed in the same way as the runs. */
export function agreementOf(
  observed: readonly SeenRun[],
  replays: readonly (readonly SeenRun[])[],
): Agreement {
  const own = figuresOf(observed)
  const twins = replays.map(figuresOf)
  return {
    replays: replays.length,
    executions: observed.reduce((sum, { executions }) => sum + executions.length, 0),
    comparisons: NAMES.flatMap(({ key, name, unit }) => {
      const value = own[key]
      const values = twins.flatMap((twin) => twin[key] ?? [])
      return value === null || values.length < 2 ? [] : [compared(name, unit, value, values)]
    }),
    stay: staysAt(observed, replays),
  }
}

function compared(
  name: string,
  unit: Comparison['unit'],
  observed: number,
  values: readonly number[],
): Comparison {
  const mean = meanOf(values)
  const least = unit === 'share' ? SMALLEST.share : SMALLEST[unit] * Math.abs(mean)
  const extra = name.startsWith('wait') ? SHORTEST_MS : 0
  const n = values.length
  const deviations = studentT(n - 1, CONFIDENCE) * Math.sqrt(1 + 1 / n)
  const width = Math.max(deviations * deviationOf(values), least) + extra
  const most = unit === 'share' ? 1 : Infinity
  const [low, high] = [Math.max(0, mean - width), Math.min(most, mean + width)]
  return {
    name,
    unit,
    observed,
    twin: mean,
    low,
    high,
    agrees: observed >= low && observed <= high,
  }
}

function figuresOf(runs: readonly SeenRun[]): Figures {
  const stays = staysMs(runs)
  const waits = waitsMs(runs)
  const executions = runs.flatMap((run) => run.executions)
  const share = (outcome: string): number | null =>
    executions.length === 0
      ? null
      : executions.filter((each) => each.outcome === outcome).length / executions.length
  const polls = executions.reduce((sum, each) => sum + each.polls, 0)
  return {
    stayMean: knownMean(stays),
    stayP50: quantileOf(stays, 0.5),
    stayP95: quantileOf(stays, 0.95),
    waitMean: knownMean(waits),
    waitP95: quantileOf(waits, 0.95),
    quotaMean: sharedMeanMs(runs, 'quota'),
    slowedMean: sharedMeanMs(runs, 'slowed'),
    completed: share('completed'),
    failed: share('failed'),
    rejected: share('rejected'),
    polls: executions.length === 0 ? null : polls / executions.length,
  }
}

/** The times from acceptance until the client knew the end, in rising order. */
function staysMs(runs: readonly SeenRun[]): number[] {
  return runs
    .flatMap(takenOf)
    .flatMap(({ accepted, known }) => (known === null ? [] : (known - accepted) / MICROS_PER_MS))
    .toSorted((a, b) => a - b)
}

function waitsMs(runs: readonly SeenRun[]): number[] {
  return runs
    .filter(({ truth }) => truth !== 'polls')
    .flatMap(takenOf)
    .flatMap(({ accepted, started }) =>
      started === null ? [] : Math.max(0, middle(started) - accepted) / MICROS_PER_MS,
    )
    .toSorted((a, b) => a - b)
}

/** Per execution that completed; null where no ledger says that any waited. */
function sharedMeanMs(runs: readonly SeenRun[], kind: 'quota' | 'slowed'): number | null {
  const waits = runs
    .flatMap(takenOf)
    .filter(({ outcome, tasks }) => outcome === 'completed' && tasks.some((each) => each.waits))
    .map(({ tasks }) => tasks.reduce((sum, task) => sum + (task.waits?.[kind] ?? 0), 0))
  return waits.some((micros) => micros > 0) ? meanOf(waits) / MICROS_PER_MS : null
}

function knownMean(values: readonly number[]): number | null {
  return values.length === 0 ? null : meanOf(values)
}

const SHARES = [...Array.from({ length: 19 }, (_, i) => (i + 1) / 20), 0.975, 0.99]
/** The share of replays that lie between the ends of the band. */
const BAND = 0.9

function staysAt(
  observed: readonly SeenRun[],
  replays: readonly (readonly SeenRun[])[],
): Agreement['stay'] {
  const own = staysMs(observed)
  const twins = replays.map(staysMs)
  return SHARES.flatMap((share) => {
    const observedMs = quantileOf(own, share)
    const values = twins
      .flatMap((stays) => quantileOf(stays, share) ?? [])
      .toSorted((a, b) => a - b)
    const [twinMs, lowMs, highMs] = [0.5, (1 - BAND) / 2, (1 + BAND) / 2].map((q) =>
      quantileOf(values, q),
    )
    if (observedMs === null || twinMs == null || lowMs == null || highMs == null) return []
    return [{ share, observedMs, twinMs, lowMs, highMs }]
  })
}
