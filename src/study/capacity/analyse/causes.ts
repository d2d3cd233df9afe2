/**
 * Finds what contradicts a queue for workers: the reasons to refuse the model of a crew, or what a
 * reader must know beside the answer.
 */
import { MICROS_PER_MS } from '../../../base/units.ts'
import type { FindingOf, FindingRule } from '../../../result/sentence-tables.ts'
import { findingsBy, reasonOf } from '../../../result/sentence-tables.ts'
import { CAUSES } from '../sentences/causes.ts'
import type { CapacityReasonOf } from '../sentences/reasons.ts'
import { REASONS, causeReason } from '../sentences/reasons.ts'
import { LIMITED, SLOWS, boundsSentence } from '../sentences/verdict.ts'
import type { Bounds } from './bounds.ts'
import {
  driftOf,
  failuresOf,
  otherLoadOf,
  kickoffRefusals,
  stepInFrontMicros,
} from './learn/besides-queue.ts'
import { cliffOf } from './learn/cliff.ts'
import type { Learned } from './learn/learn.ts'
import { leavingOf } from './scaling/unsteady.ts'
import { agrees } from './confirm/confirm.ts'
import type { CapacitySearch } from './search/search.ts'

type CauseFound = FindingOf<typeof CAUSES>

/** Each takes the facts of its row from what was found. */
const RULES: readonly FindingRule<typeof CAUSES, Learned>[] = [
  ['limiter', limiter],
  ['restarted', ({ unsteady }) => (unsteady?.kind === 'restarted' ? unsteady : null)],
  ['workers-vanished', ({ unsteady }) => (unsteady?.kind === 'vanished' ? unsteady : null)],
  ['workers-leave', ({ loads, scaling }) => leavingOf(loads, scaling)],
  ['drift', driftOf],
  ['cliff', cliff],
  ['another-load', otherLoadOf],
  ['step-in-front', stepInFront],
  ['failures-grow', failures],
]

/** Returns what the loads show; the cause that explains most comes first. */
export function causesOf(learned: Learned): CauseFound[] {
  return findingsBy(CAUSES, RULES, learned)
}

function limiter(learned: Learned) {
  const found = kickoffRefusals(learned)
  return found.isLimited ? found : null
}

/** A change over time looks like a change with the load, because the load rises over time. */
function cliff(learned: Learned) {
  const found = driftOf(learned) === null ? cliffOf(learned) : null
  if (found === null) return null
  const { holds, breaks, before, after } = found
  return {
    holds,
    holdsPerHour: before.perHour,
    breaks,
    breaksPerHour: after.perHour,
    timesAsLong: after.serviceMicros / before.serviceMicros,
    completedBefore: before.completedShare,
    completedAfter: after.completedShare,
  }
}

function stepInFront(learned: Learned) {
  const micros = stepInFrontMicros(learned)
  return micros === null ? null : { medianMs: micros / MICROS_PER_MS }
}

function failures(learned: Learned) {
  const found = failuresOf(learned)
  return found.grow ? found : null
}

interface CapacityRefusal {
  sentence: string
  reasons: CapacityReasonOf[]
}

/**
 * What is said in place of a capacity; null if nothing contradicts the model. `found`: the causes
 * that the loads show. `within`: the half-width of the interval asked for.
 */
export function refusalOf(
  search: CapacitySearch,
  { found, bounds, within }: { found: readonly CauseFound[]; bounds: Bounds; within: number },
): CapacityRefusal | null {
  const { learned, estimate, confirmation } = search
  const causes = found.map(causeReason)
  const [first] = causes
  const bounded = (
    why: CapacityReasonOf,
    reasons: CapacityReasonOf[] = causes,
  ): CapacityRefusal => {
    return { sentence: boundsSentence(bounds, why), reasons }
  }
  if (first?.code === 'limiter') return { sentence: LIMITED, reasons: causes }
  if (first !== undefined && learned.unsteady !== null) return bounded(first)
  const contradicted = contradiction(learned)
  if (contradicted !== null) {
    // The number of workers is wrong, and with it the most that they could do.
    const sentence = boundsSentence({ ...bounds, atMost: null }, contradicted)
    return { sentence, reasons: [contradicted, ...causes] }
  }
  const pool = poolInFront(search)
  if (pool !== null) return bounded(pool, [...causes, pool])
  const solution = estimate?.solution ?? { kind: 'no-limit' }
  if (solution.kind === 'fails-alone') {
    // A crew that became slower may have kept the promises before.
    const mayHold = search.failsAlone === false || first?.code === 'drift'
    if (!solution.isSure || !mayHold) return null
    const reasons = [...causes, reasonOf(REASONS, 'grows-with-load', {})]
    return first === undefined ? { sentence: SLOWS, reasons } : bounded(first, reasons)
  }
  if (solution.kind === 'no-limit') {
    // More executions at once do not help a crew whose throughput has fallen.
    return first?.code === 'cliff' ? bounded(first) : null
  }
  if (confirmation === null || agrees(confirmation)) {
    const drifts = lastingDrift(search, causes, within)
    return drifts === null ? null : bounded(drifts, [drifts])
  }
  const disagrees = disagreement(confirmation)
  return bounded(first ?? disagrees, [...causes, disagrees])
}

/** Where the times of the crew itself contradict the model. */
function contradiction({ contradiction: found, slots }: Learned): CapacityReasonOf | null {
  if (found === null || slots === null) return null
  return reasonOf(REASONS, 'times-contradict', {
    workers: slots,
    reportedMs: found.reportedMicros / MICROS_PER_MS,
    inferredMs: found.inferredMicros / MICROS_PER_MS,
  })
}

/** Where requests wait for each other in front of the crew, in a queue that is not simulated. */
function poolInFront({ grownRequests: found }: CapacitySearch): CapacityReasonOf | null {
  if (found === null) return null
  const { fewMicros, manyMicros } = found
  const added = { fewMs: fewMicros / MICROS_PER_MS, manyMs: manyMicros / MICROS_PER_MS }
  return reasonOf(REASONS, 'http-grows', added)
}

/**
 * The reason that executions became slower over time, by more than the precision asked for. A quota
 * whose burst is used up makes them slower as well, but that is learned.
 */
function lastingDrift(
  { learned, estimate }: CapacitySearch,
  causes: readonly CapacityReasonOf[],
  within: number,
): CapacityReasonOf | null {
  const isLearned = estimate !== null && estimate.system.shared !== null
  const change = driftOf(learned)?.change ?? 0
  return isLearned || change <= within
    ? null
    : (causes.find(({ code }) => code === 'drift') ?? null)
}

function disagreement({ parts }: NonNullable<CapacitySearch['confirmation']>) {
  const different = parts.filter((part) => !part.agrees).map(({ name }) => name)
  return reasonOf(REASONS, 'model-refused', { parts: different })
}
