/**
 * A crew that does not do what was learned of it has bounds alone: rates that it was tried at, and
 * whether it surely held its promises, or surely did not.
 */
import { deviationOf, meanOf } from '../../../../analysis/statistics/moments.ts'
import type { Bin } from '../../../../analysis/statistics/batches.ts'
import { effectiveSize } from '../../../../analysis/statistics/batches.ts'
import { shareInterval } from '../../../../analysis/statistics/shares.ts'
import type { LoadFacts } from '../learn/learn.ts'
import type { Load, Seen } from '../learn/seen.ts'
import type { Criterion, Fate } from '../model/criteria.ts'
import { Z98 } from '../model/interval.ts'
import { MICROS_PER_HOUR } from '../model/system.ts'

export interface Probe {
  perHour: number
  executions: number
  /** Scheduled rate times mean service time over workers; null where either is not known. */
  load: number | null
  judgement: 'held' | 'broken' | 'unsure'
}

/** Null for what is no open load. */
export function probeOf(
  facts: LoadFacts,
  criteria: readonly Criterion[],
  slots: number | null,
): Probe | null {
  const { load, executions } = facts.seen
  if (load.kind !== 'open') return null
  const offered = offeredOf(facts, load.perHour, slots)
  const told = criteria.map((criterion) => badShareOf(executions, criterion))
  const isBroken = told.some(({ low }, i) => low > criteria[i]!.limit)
  const isHeld = areSurelyKept(executions, criteria)
  // A queue that grows has not yet shown all of its waits.
  const grows = offered !== null && offered.low > 1
  const mayGrow = offered !== null && offered.high >= 1
  return {
    perHour: load.perHour,
    executions: executions.length,
    load: offered?.value ?? null,
    judgement: isBroken || grows ? 'broken' : isHeld && !mayGrow ? 'held' : 'unsure',
  }
}

interface Offered {
  value: number
  low: number
  high: number
}

/**
 * The only sign of a rate that is too high that 500 executions give: waits show it in a few
 * thousand.
 */
function offeredOf({ ran }: LoadFacts, perHour: number, slots: number | null): Offered | null {
  const services = ran.map(({ started, ended }) => ended - started)
  if (slots === null || services.length < 2) return null
  const value = (perHour * meanOf(services)) / MICROS_PER_HOUR / slots
  const error = (Z98 * deviationOf(services)) / meanOf(services) / Math.sqrt(services.length)
  return { value, low: value * (1 - error), high: value * (1 + error) }
}

const CONFIDENCE = 0.98

/** Whether none of the promises is broken, by these executions: surely so. */
export function areSurelyKept(
  executions: readonly Seen[],
  criteria: readonly Criterion[],
): boolean {
  return criteria.every((criterion) => badShareOf(executions, criterion).high < criterion.limit)
}

/** Neighbours wait alike: as many of them count as would be independent. */
function badShareOf(
  executions: readonly Seen[],
  { among, bad, boundMicros }: Criterion,
): { low: number; high: number } {
  const bins: Bin[] = executions.flatMap(({ outcome, intended, known }) => {
    const fate = fateOf(outcome)
    if (!among.includes(fate)) return []
    const isBad =
      boundMicros === null ? bad.includes(fate) : known === null || known - intended >= boundMicros
    return { n: 1, hits: isBad ? 1 : 0 }
  })
  const hits = bins.reduce((sum, bin) => sum + bin.hits, 0)
  const { effective } = effectiveSize(bins)
  return shareInterval(hits, bins.length, CONFIDENCE, effective) ?? { low: 0, high: 1 }
}

function fateOf(outcome: Seen['outcome']): Fate {
  if (outcome === 'completed' || outcome === 'failed' || outcome === 'rejected') return outcome
  return 'stuck'
}

/** Share of the saturation rate at which executions hardly meet each other. */
export const ALONE = 0.1

/** Its executions hardly met each other. */
export function isNearlyAlone({ load }: Probe): boolean {
  return load !== null && load <= 2 * ALONE
}

interface Means {
  /** The kickoffs that are left. */
  left: number
  budget: number
  /** The rate to begin with, as a share of the saturation rate; null for the default. */
  first: number | null
}

/** The rate to try next; null where nothing more would be learned, or can be paid. */
export function nextProbe(
  tried: readonly Probe[],
  most: number,
  { left, budget, first }: Means,
): Extract<Load, { kind: 'open' }> | null {
  if (tried.length >= MOST_TRIED || left < FEWEST || most <= 0) return null
  const perHour = tried.length === 0 && first !== null ? first * most : rateToTry(tried, most)
  if (perHour === null) return null
  const wanted = perHour < SELDOM * most ? FEWEST : Math.max(FEWEST, SHARE * budget)
  return { kind: 'open', perHour, executions: Math.round(Math.min(left, MOST, wanted)) }
}

/**
 * A rate in the middle of the wider of the two gaps around the rates at which nothing could be
 * told.
 */
function rateToTry(tried: readonly Probe[], most: number): number | null {
  const rates = (judgement: Probe['judgement']): number[] =>
    tried.filter((probe) => probe.judgement === judgement).map(({ perHour }) => perHour)
  const held = Math.max(0, ...rates('held'))
  const broken = Math.min(most, ...rates('broken'))
  const between = rates('unsure').filter((rate) => rate > held && rate < broken)
  // From above first: a rate that breaks a promise takes fewer executions to tell.
  if (held === 0 && between.length > 0 && broken === most) {
    return Math.sqrt(Math.max(...between) * most)
  }
  if (held === 0) return DOWN * Math.min(broken, ...between)
  const [low, high] =
    between.length === 0 ? [broken, broken] : [Math.min(...between), Math.max(...between)]
  if (Math.max(low / held, broken / high) <= NEAR) return null
  return low / held >= broken / high ? Math.sqrt(held * low) : Math.sqrt(high * broken)
}

const MOST_TRIED = 5
/** Fewer executions surely hold no p95. */
const FEWEST = 120
const MOST = 400
/** Share of the budget for each probe. */
const SHARE = 0.08
/** Bounds that are nearer to each other say enough. */
const NEAR = 1.2
/** Multiple of a rate that is not held, to try next while none is known that is. */
const DOWN = 0.4
/** Share of the saturation rate: at lower rates, executions take their time to come. */
const SELDOM = 0.2
