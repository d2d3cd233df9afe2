/** Learns the quota of calls that explains what the tasks of a crew waited for one. */
import { toDigits } from '../../../../../base/numbers.ts'
import type { SharedCapacity } from '../../../../../../fake-crew/play.ts'
import type { Micros } from '../../../../../base/units.ts'
import { MICROS_PER_MINUTE, MICROS_PER_MS } from '../../../../../base/units.ts'
import type { Compared, MisfitComparison, MisfitRuns } from './misfit.ts'
import { EXACT, compare, leastMisfit } from './misfit.ts'

type When = 'wait' | 'retry'

export interface LearnedQuota {
  callsPerMinute: number
  perTask: number
  burst: number
  refill: 'steady' | 'window'
  when: When
  /** The part of the waits that it does not explain; 0 to 1 and more. */
  misfit: number
}

type QuotaKind = Pick<LearnedQuota, 'refill' | 'when'>

/** The commonest first: others are tried only if it does not fit. */
const KINDS: readonly QuotaKind[] = [
  { refill: 'steady', when: 'wait' },
  { refill: 'window', when: 'wait' },
  { refill: 'steady', when: 'retry' },
]

/** A quota that leaves no more than this part of the waits unexplained is found. */
export const GOOD = 0.2
const MOST_PER_TASK = 8
const BURSTS = [2, 3, 5, 10, 20, 30, 60, 120]
/** Rates that are tried, as multiples of what the crew did per minute while it was at work. */
const RATES = { from: 0.5, to: 6 }
/** A burst counts if it leaves so much less unexplained. */
const BETTER = 0.5

/**
 * Steady and waiting, in a window of a minute, or trying again: the first that fits. Null if none
 * of them explains the waits.
 */
export function learnQuota(base: SharedCapacity, runs: MisfitRuns): LearnedQuota | null {
  for (const kind of KINDS) {
    if (kind.when === 'retry' && !mayTryAgain(runs)) return null
    const found = bestOf(base, runs, kind)
    if (found.misfit <= GOOD) return found
  }
  return null
}

/** Half of the first pause of a client that tries again: it waits no less. */
const SHORTEST_PAUSE: Micros = 490_000
const NEARLY_ALL = 0.98

function mayTryAgain(runs: MisfitRuns): boolean {
  const waits = runs.flat().flatMap((work) => work.waits.map(({ quota }) => quota))
  const waited = waits.filter((quota) => quota > 0)
  return waited.filter((quota) => quota >= SHORTEST_PAUSE).length >= NEARLY_ALL * waited.length
}

export function capacityWith(
  base: SharedCapacity,
  { callsPerMinute: count, perTask, burst, refill, when }: Omit<LearnedQuota, 'misfit'>,
): SharedCapacity {
  const calls = { count, perMicros: MICROS_PER_MINUTE }
  return { ...base, quota: { calls, refill, burst, perTask, when } }
}

/** How the waits for it are compared; null without a quota. */
export function comparedBy(quota: Pick<LearnedQuota, 'when'> | null): Compared {
  return quota?.when === 'retry' ? 'sorted' : 'waits'
}

function bestOf(base: SharedCapacity, runs: MisfitRuns, kind: QuotaKind): LearnedQuota {
  const compared = comparedBy(kind)
  const busy = tasksPerMinute(runs)
  const quotaOf = (perTask: number, burst: number, rate: number): Omit<LearnedQuota, 'misfit'> => {
    const callsPerMinute = kind.refill === 'window' ? Math.max(1, Math.round(rate)) : rate
    return { ...kind, perTask, burst, callsPerMinute }
  }
  const at = (perTask: number, burst: number) => (rate: number) =>
    compare(capacityWith(base, quotaOf(perTask, burst, rate)), runs, compared)
  const found = (perTask: number, burst: number) => {
    const guess = perTask * busy
    const { rate, misfit } = bestRate(at(perTask, burst), RATES.from * guess, RATES.to * guess)
    return { perTask, burst, rate, misfit }
  }
  const alone: ReturnType<typeof found>[] = []
  while (alone.length < MOST_PER_TASK && (alone.at(-1)?.misfit ?? 1) > EXACT) {
    alone.push(found(alone.length + 1, 1))
  }
  let best = leastMisfit(alone)
  if (best.misfit > EXACT && kind.refill === 'steady') {
    const likely = alone.toSorted((a, b) => a.misfit - b.misfit).slice(0, 2)
    const bursts = likely.flatMap(({ perTask }) => BURSTS.map((burst) => found(perTask, burst)))
    const other = leastMisfit(bursts)
    if (other.misfit < BETTER * best.misfit) best = other
  }
  return { ...quotaOf(best.perTask, best.burst, best.rate), misfit: best.misfit }
}

/** Tasks that ended, per minute in which any execution was at work. */
function tasksPerMinute(runs: MisfitRuns): number {
  let [tasks, busy] = [0, 0]
  for (const works of runs) {
    let until = -Infinity
    for (const { startedMicros: from, demand, waits } of works) {
      tasks += waits.length
      const waited = waits.reduce((sum, { quota, slowed }) => sum + quota + slowed, 0)
      const to = from + MICROS_PER_MS * (demand.taskEndsMs.at(-1) ?? 0) + waited
      busy += Math.max(0, to - Math.max(from, until))
      until = Math.max(until, to)
    }
  }
  return (tasks * MICROS_PER_MINUTE) / Math.max(1, busy)
}

interface QuotaFound {
  rate: number
  misfit: number
}

type QuotaAt = (rate: number) => MisfitComparison

/** After so many halvings, the rate is known to half of a per cent. */
const HALVINGS = 9

/** A higher rate makes tasks wait less: halves the ratio of the bounds until the waits agree. */
function rateByWaits(at: QuotaAt, low: number, high: number): QuotaFound {
  let [below, above] = [Math.log(low), Math.log(high)]
  let best: QuotaFound = { rate: high, misfit: Infinity }
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (below + above) / 2
    const rate = Math.exp(middle)
    const { misfit, ratio } = at(rate)
    if (misfit < best.misfit) best = { rate, misfit }
    if (ratio > 1) below = middle
    else above = middle
  }
  return best
}

/** People write round numbers: the roundest that explains nearly as much, or more. */
const AS_GOOD = 0.01

/** Finds the rate at which a quota makes tasks wait as long as they did. */
function bestRate(at: QuotaAt, low: number, high: number): QuotaFound {
  const found = rateByWaits(at, low, high)
  const round = [1, 2, 3].map((digits): QuotaFound => {
    const rate = toDigits(found.rate, digits)
    return { rate, misfit: at(rate).misfit }
  })
  return round.find(({ misfit }) => misfit <= found.misfit + AS_GOOD) ?? found
}
