/** What a gate will do and cost, and which change it can see: shown before anything is sent. */
import type { PlaceFacts, Forecast } from '../../../../run/forecast.ts'
import type { GateTerms } from '../sentences.ts'
import { carryOverInflation } from '../../../../result/statistics/comparing/two-means.ts'
import { deviationOf } from '../../../../result/statistics/moments.ts'
import { hashText } from '../../../../base/random.ts'
import type { StoredResult } from '../../comparable.ts'
import { metricsOf } from '../../compare.ts'
import { detectableAt } from '../../metrics.ts'
import { measuredOf, valuesOf } from '../../side.ts'

/**
 * The source of the baseline's runs; `none`: this gate makes them, though its history may tell of
 * `gates` before it.
 */
type Base =
  | { kind: 'stored'; folder: string; runs: number }
  | { kind: 'none'; folder: string; gates: number }
  | ({ kind: 'turns' } & PlaceFacts)

export interface GatePlan {
  /** The facts of each run of the candidate. */
  facts: Forecast
  base: Base
  judged: readonly string[]
  terms: GateTerms
  /** What all runs take together, at most. */
  total: GateTotal
  /** Which change they can see. */
  sees: readonly SeenRuns[]
  updateBaseline: 'pass' | 'always' | null
  /** The commands that start the targets; null if they are already running. */
  starts: Record<'base' | 'new', string | null>
}

/** All runs together; a field is null when its value cannot be known in advance. */
export interface GateTotal {
  runs: number
  kickoffs: number | null
  /** An estimate, and the most: every execution is polled until its deadline. */
  requests: number | null
  mostRequests: number | null
  cost: number | null
  /** As `Forecast` has them, over all runs. */
  durationMs: number | null
  mostDurationMs: number
  /** The number of whole runs that the budget allows; null if it allows all. */
  affordable: number | null
}

/** `arrivals`: of each run, in the mean over all of them. */
export function totalOf(
  facts: Forecast,
  { runs, arrivals }: { runs: number; arrivals: number | null },
): GateTotal {
  const { budget, durationMs, mostDurationMs } = facts
  const all = arrivals === null ? null : runs * arrivals
  const kickoffs = least(all, budget.kickoffs)
  // The facts of one run are those of as many kickoffs as its budget allows.
  const times = (each: number | null): number | null =>
    each === null || kickoffs === null || !facts.kickoffs
      ? null
      : (each / facts.kickoffs) * kickoffs
  const requests = times(facts.requests)
  const perRun = requests === null || kickoffs === null ? null : (requests / kickoffs) * arrivals!
  const affordable = Math.min(
    wholeRuns(budget.kickoffs, arrivals),
    wholeRuns(budget.requests, perRun),
  )
  const count = Math.min(runs, affordable === Infinity ? runs : affordable + 1)
  return {
    runs,
    kickoffs,
    requests: least(requests, budget.requests),
    mostRequests: least(times(facts.mostRequests), budget.requests),
    cost: least(times(facts.cost), budget.maxCost),
    durationMs: durationMs === null ? null : count * durationMs,
    mostDurationMs: count * mostDurationMs,
    affordable: affordable < runs ? affordable : null,
  }
}

function wholeRuns(budget: number | null, each: number | null): number {
  return budget === null || each === null || each === 0 ? Infinity : Math.floor(budget / each)
}

function least(value: number | null, limit: number | null): number | null {
  return value === null || limit === null ? value : Math.min(value, limit)
}

/** The change of a judged time that the planned runs find four times in five, as a share. */
interface SeenRuns {
  /** Null stands for all times, without a baseline. */
  name: string | null
  change: number
}

/** Without a baseline: what 700 executions per run and 3 % of noise between runs leave. */
const ASSUMED_DEVIATION = Math.hypot(0.03, 0.02)

/** By the spread of the baseline's runs; without any, one line for all times, by an assumed one. */
export function seenBy(
  stored: readonly StoredResult[],
  judged: readonly string[],
  terms: GateTerms,
): SeenRuns[] {
  const level = (terms.looks.at(-1)?.level ?? terms.level) / judged.length
  const { runs } = terms
  if (stored.length === 0) {
    const error = ASSUMED_DEVIATION * Math.sqrt(2 / runs)
    return [{ name: null, change: detectableAt(error, 2 * runs - 2, level) }]
  }
  const sides = metricsOf(stored)
  return judged.flatMap((name) => {
    const own = measuredOf(sides.flatMap((run) => run[name] ?? []))
    const logs = valuesOf(own).map(Math.log)
    const isTime = own[0]?.unit === 'ms' && logs.length > 1 && logs.every(Number.isFinite)
    if (!isTime) return []
    const inflation = terms.carryOver === true ? carryOverInflation(logs, logs) : 1
    const error = deviationOf(logs) * Math.sqrt(inflation * (1 / runs + 1 / logs.length))
    return [{ name, change: detectableAt(error, runs + logs.length - 2, level) }]
  })
}

/** Gates of neighbouring seeds share no run: in virtual time, one seed gives one run. */
export function seedOf(seed: number, number: number): number {
  return number === 1 ? seed : hashText(`${seed} ${number}`)
}
