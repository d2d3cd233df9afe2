/**
 * Compares the twin as a whole with the crew: the arrivals of the runs are replayed on it several
 * times, and observed in the same way. Its times are wall times, as they were measured.
 */
import { middleOf } from '../../../result/inferred-workers/observed-stay.ts'
import { SHARES } from './fit/fit.ts'
import { deviationOf, meanOf, sumBy } from '../../../result/statistics/moments.ts'
import { quantileBands, quantileOf } from '../../../result/statistics/quantiles.ts'
import { studentT } from '../../../result/statistics/beta.ts'
import type { Micros } from '../../../base/units.ts'
import { MICROS_PER_MS } from '../../../base/units.ts'
import type { Agreement } from '../document.ts'
import type { Comparison } from '../sentences/verdict.ts'
import { COMPARED } from '../sentences/verdict.ts'
import { speedOf, takenOf } from './seen.ts'
import type { SeenRun, Taken } from './seen.ts'
import type { ReadExecution } from '../../frame/executions/reader.ts'
import type { Outcome } from '../../../execution/record/record.ts'

interface ComparedFigure extends Pick<Comparison, 'name' | 'unit'> {
  /** Of all runs together; null where nothing reports it. */
  of: (runs: readonly SeenRun[]) => number | null
  /** Added to the interval on either side. Default: nothing. */
  extra?: number
}

/** Shorter waits are the time of a request, and not a wait for a worker. */
const SHORTEST_MS = 50
const AS_WAIT = { unit: 'ms', extra: SHORTEST_MS } as const

const FIGURES: Readonly<Record<Comparison['figure'], ComparedFigure>> = {
  'stay-mean': {
    name: 'time in the crew, mean',
    unit: 'ms',
    of: (runs) => knownMean(staysMs(runs)),
  },
  'stay-p50': {
    name: 'time in the crew, p50',
    unit: 'ms',
    of: (runs) => quantileOf(staysMs(runs), 0.5),
  },
  'stay-p95': {
    name: 'time in the crew, p95',
    unit: 'ms',
    of: (runs) => quantileOf(staysMs(runs), 0.95),
  },
  'wait-mean': {
    name: 'wait for a worker, mean',
    ...AS_WAIT,
    of: (runs) => knownMean(waitsMs(runs)),
  },
  'wait-p95': {
    name: 'wait for a worker, p95',
    ...AS_WAIT,
    of: (runs) => quantileOf(waitsMs(runs), 0.95),
  },
  'quota-mean': {
    name: 'wait for a quota, mean',
    ...AS_WAIT,
    of: (runs) => sharedMeanMs(runs, 'quota'),
  },
  'slowed-mean': {
    name: 'slowed by each other, mean',
    unit: 'ms',
    of: (runs) => sharedMeanMs(runs, 'slowed'),
  },
  completed: { name: 'completed', unit: 'share', of: (runs) => shareOf(runs, 'completed') },
  failed: { name: 'failed', unit: 'share', of: (runs) => shareOf(runs, 'failed') },
  rejected: { name: 'rejected', unit: 'share', of: (runs) => shareOf(runs, 'rejected') },
  polls: {
    name: 'polls per execution',
    unit: 'polls',
    of: (runs) => meanOver(runs, ({ record }) => record.polls.answer.length),
  },
}

/**
 * The probability with which each figure of a perfect twin lies within its interval; it is high
 * because up to eleven figures are compared.
 */
const CONFIDENCE = 0.997
/** A smaller difference counts as none: relative for times and counts, absolute for shares. */
const SMALLEST = { ms: 0.01, polls: 0.01, share: 0.003 } as const

/** `replays`: each replay of all runs, observed in the same way as the runs. */
export function agreementOf(
  observed: readonly SeenRun[],
  replays: readonly (readonly SeenRun[])[],
): Agreement {
  return {
    replays: replays.length,
    executions: sumBy(observed, ({ executions }) => executions.length),
    comparisons: COMPARED.flatMap((figure) => {
      const { of } = FIGURES[figure]
      const value = of(observed)
      const values = replays.flatMap((runs) => of(runs) ?? [])
      if (value === null || values.length < 2) return []
      return [compared(figure, value, values, speedOf(observed))]
    }),
    stay: quantileBands(SHARES, staysMs(observed), replays.map(staysMs), BAND),
  }
}

function compared(
  figure: Comparison['figure'],
  observed: number,
  values: readonly number[],
  speed: number,
): Comparison {
  const { name, unit, extra = 0 } = FIGURES[figure]
  const mean = meanOf(values)
  const least = unit === 'share' ? SMALLEST.share : SMALLEST[unit] * Math.abs(mean)
  const n = values.length
  const deviations = studentT(n - 1, CONFIDENCE) * Math.sqrt(1 + 1 / n)
  const width = Math.max(deviations * deviationOf(values), least) + extra / speed
  const most = unit === 'share' ? 1 : Infinity
  const [low, high] = [Math.max(0, mean - width), Math.min(most, mean + width)]
  const agrees = observed >= low && observed <= high
  return { figure, name, unit, observed, twin: mean, low, high, agrees }
}

function shareOf(runs: readonly SeenRun[], outcome: Outcome): number | null {
  return meanOver(runs, (each) => Number(each.outcome === outcome))
}

/** Per execution; null without any. */
function meanOver(
  runs: readonly SeenRun[],
  value: (execution: ReadExecution) => number,
): number | null {
  return knownMean(runs.flatMap(({ executions }) => executions.map(value)))
}

/** The times from acceptance until the client knew the end, in rising order. */
function staysMs(runs: readonly SeenRun[]): number[] {
  return wallMsOf(runs, ({ accepted, known }) => (known === null ? [] : known - accepted))
}

function waitsMs(runs: readonly SeenRun[]): number[] {
  const known = runs.filter(({ truth }) => truth !== 'polls')
  return wallMsOf(known, ({ accepted, started }) =>
    started === null ? [] : Math.max(0, middleOf(started) - accepted),
  )
}

/** Per execution that completed; null where no ledger says that any waited. */
function sharedMeanMs(runs: readonly SeenRun[], kind: 'quota' | 'slowed'): number | null {
  const waits = wallMsOf(runs, ({ outcome, tasks }) =>
    outcome === 'completed' && tasks.some((each) => each.waits)
      ? sumBy(tasks, (task) => task.waits?.[kind] ?? 0)
      : [],
  )
  return waits.some((ms) => ms > 0) ? meanOf(waits) : null
}

/** What crews took by their own clocks, in wall time and rising order. */
function wallMsOf(
  runs: readonly SeenRun[],
  took: (execution: Taken) => Micros | readonly Micros[],
): number[] {
  return runs
    .flatMap((run) =>
      takenOf(run)
        .flatMap(took)
        .map((micros) => micros / (MICROS_PER_MS * run.speed)),
    )
    .toSorted((a, b) => a - b)
}

function knownMean(values: readonly number[]): number | null {
  return values.length === 0 ? null : meanOf(values)
}

/** The share of replays that lie between the ends of the band. */
const BAND = 0.9
