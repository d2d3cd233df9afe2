/**
 * Probes a crew that the model does not describe: it tries single rates, and determines whether the
 * crew surely kept its promises, or surely did not. The result is bounds alone.
 */
import type { RateProbe } from '../../document.ts'
import { shareRange } from '../../../../result/statistics/shares.ts'
import { servicesOf } from '../seen.ts'
import { deviationOf, meanOf, sumBy } from '../../../../result/statistics/moments.ts'
import type { Counted } from '../../../../result/statistics/batches.ts'
import { effectiveSize } from '../../../../result/statistics/batches.ts'
import type { AppliedLoad, Seen, LoadFacts } from '../seen.ts'
import type { Criterion, Fate } from '../model/criteria.ts'
import { Z98 } from '../model/interval.ts'
import { MICROS_PER_HOUR } from '../model/system.ts'
import { onceWoken } from '../waking.ts'

/** Null for a load that is not open. */
export function probeOf(
  load: LoadFacts,
  criteria: readonly Criterion[],
  slots: number | null,
): RateProbe | null {
  const { facts } = onceWoken(load)
  const { load: put, executions } = facts.seen
  if (put.kind !== 'open') return null
  const offered = offeredOf(facts, put.perHour, slots)
  const shares = criteria.map((criterion) => badShareOf(executions, criterion))
  const isBroken = shares.some(({ low }, i) => low > criteria[i]!.limit)
  const isHeld = areSurelyKept(executions, criteria)
  // A growing queue has not yet shown all of its waits.
  const grows = offered !== null && offered.low > 1
  const mayGrow = offered !== null && offered.high >= 1
  return {
    perHour: put.perHour,
    executions: executions.length,
    load: offered?.value ?? null,
    judgement: isBroken || grows ? 'broken' : isHeld && !mayGrow ? 'held' : 'unsure',
  }
}

/**
 * The interval of the offered load. It is the only sign of a rate that is too high within 500
 * executions; waits show it only after a few thousand.
 */
function offeredOf(
  { ran }: LoadFacts,
  perHour: number,
  slots: number | null,
): { value: number; low: number; high: number } | null {
  const services = servicesOf(ran)
  if (slots === null || services.length < 2) return null
  const value = (perHour * meanOf(services)) / MICROS_PER_HOUR / slots
  const error = (Z98 * deviationOf(services)) / meanOf(services) / Math.sqrt(services.length)
  return { value, low: value * (1 - error), high: value * (1 + error) }
}

const CONFIDENCE = 0.98

/** Whether these executions show, beyond chance, that no promise is broken. */
export function areSurelyKept(
  executions: readonly Seen[],
  criteria: readonly Criterion[],
): boolean {
  return criteria.every((criterion) => badShareOf(executions, criterion).high < criterion.limit)
}

/**
 * The interval of the bad share. Neighbours wait alike, so it uses the equivalent number of
 * independent executions.
 */
function badShareOf(
  executions: readonly Seen[],
  { among, bad, boundMicros }: Criterion,
): { low: number; high: number } {
  const bins: Counted[] = executions.flatMap(({ outcome, intended, known }) => {
    const fate = fateOf(outcome)
    if (!among.includes(fate)) return []
    const isBad =
      boundMicros === null ? bad.includes(fate) : known === null || known - intended >= boundMicros
    return { n: 1, hits: isBad ? 1 : 0 }
  })
  const hits = sumBy(bins, (bin) => bin.hits)
  const { effective } = effectiveSize(bins)
  return shareRange(hits, bins.length, CONFIDENCE, effective)
}

function fateOf(outcome: Seen['outcome']): Fate {
  if (outcome === 'completed' || outcome === 'failed' || outcome === 'rejected') return outcome
  return 'stuck'
}

/** The share of the saturation rate at which executions hardly meet each other. */
export const ALONE = 0.1

/** Whether the executions of a probe hardly met each other. */
export function isNearlyAlone({ load }: RateProbe): boolean {
  return load !== null && load <= 2 * ALONE
}

interface Means {
  /** The kickoffs that are left. */
  left: number
  budget: number
  /** The first rate to try, as a share of the saturation rate; null for the default. */
  first: number | null
}

/** The next rate to try; null if nothing more would be learned, or the budget is spent. */
export function nextProbe(
  tried: readonly RateProbe[],
  most: number,
  { left, budget, first }: Means,
): Extract<AppliedLoad, { kind: 'open' }> | null {
  if (tried.length >= MOST_TRIED || left < FEWEST || most <= 0) return null
  const perHour = tried.length === 0 && first !== null ? first * most : rateToTry(tried, most)
  if (perHour === null) return null
  const wanted = perHour < SELDOM * most ? FEWEST : Math.max(FEWEST, SHARE * budget)
  return { kind: 'open', perHour, executions: Math.round(Math.min(left, MOST, wanted)) }
}

/** The rates of a judgement. */
export function ratesOf(tried: readonly RateProbe[], judgement: RateProbe['judgement']): number[] {
  return tried.filter((probe) => probe.judgement === judgement).map(({ perHour }) => perHour)
}

/** The geometric middle of the wider of the two gaps around the rates without a result. */
function rateToTry(tried: readonly RateProbe[], most: number): number | null {
  const held = Math.max(0, ...ratesOf(tried, 'held'))
  const broken = Math.min(most, ...ratesOf(tried, 'broken'))
  const between = ratesOf(tried, 'unsure').filter((rate) => rate > held && rate < broken)
  // Higher rates come first, because a broken promise shows after fewer executions.
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
/** The fewest executions that can show that a p95 is kept. */
const FEWEST = 120
const MOST = 400
/** The share of the budget for each probe. */
const SHARE = 0.08
/** Bounds whose ratio is at most this are near enough to each other. */
const NEAR = 1.2
/** While no rate is known to hold, the next one is this multiple of the lowest that does not. */
const DOWN = 0.4
/**
 * Below this share of the saturation rate, arrivals take so long that a probe gets only the fewest
 * executions.
 */
const SELDOM = 0.2
