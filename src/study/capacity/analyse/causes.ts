/**
 * Finds what contradicts a queue for workers: the reasons to refuse the model of a crew, or what a
 * reader must know beside the answer.
 */
import { lowered } from '../../../base/text.ts'
import {
  formatCount,
  formatDuration,
  plural,
  formatShare,
  threeDigits,
} from '../../../base/numbers.ts'
import type { FindingOf, FindingRule } from '../../frame/findings.ts'
import { findingsBy, reasonOf } from '../../frame/findings.ts'
import type { CapacityReason } from '../document.ts'
import { CAUSES, REASONS } from './reasons.ts'
import type { Bounds } from './bounds.ts'
import {
  driftOf,
  failuresOf,
  otherLoadOf,
  refusalsOf,
  stepInFrontMicros,
} from './learn/besides-queue.ts'
import type { Cliff } from './learn/cliff.ts'
import { cliffOf } from './learn/cliff.ts'
import type { Learned } from './learn/learn.ts'
import { formatPerHour } from './model/system.ts'
import { leavingOf } from './scaling/unsteady.ts'
import { agrees } from './confirm/confirm.ts'
import type { CapacitySearch } from './search/search.ts'

type CauseFound = FindingOf<typeof CAUSES>

const RULES: readonly FindingRule<typeof CAUSES, Learned>[] = [
  ['limiter', limiter],
  ['restarted', restarted],
  ['workers-vanished', vanished],
  ['workers-leave', leaving],
  ['drift', drift],
  ['cliff', cliff],
  ['another-load', otherLoad],
  ['step-in-front', stepInFront],
  ['failures-grow', failures],
]

/** Returns what the loads show; the cause that explains most comes first. */
export function causesOf(learned: Learned): CauseFound[] {
  return findingsBy(CAUSES, RULES, learned)
}

function limiter(learned: Learned): string | null {
  const { refused, kickoffs, isLimited } = refusalsOf(learned)
  if (!isLimited) return null
  return (
    `A limiter in front of the crew, or an outage, answered ${formatCount(refused)} of ` +
    `${plural(kickoffs, 'kickoff')} with 429 or 503`
  )
}

function restarted({ unsteady }: Learned): string | null {
  if (unsteady?.kind !== 'restarted') return null
  return (
    `The crew seems to have restarted: ${plural(unsteady.lost, 'execution')} were in it at one ` +
    'moment, and all of them were lost'
  )
}

function vanished({ unsteady }: Learned): string | null {
  if (unsteady?.kind !== 'vanished') return null
  return (
    `Workers went away during the search: while executions waited, ${unsteady.from} were at work ` +
    `at first, and later only ${unsteady.to}`
  )
}

function leaving({ loads, scaling }: Learned): string | null {
  const found = leavingOf(loads, scaling)
  if (found === null) return null
  return (
    `Workers leave between arrivals: while executions waited, ${threeDigits(found.mean)} of ` +
    `${found.to} were at work on average`
  )
}

function drift(learned: Learned): string | null {
  const found = driftOf(learned)
  if (found === null) return null
  const { change, crew } = found
  return (
    `The crew drifts: executions of ${crew === 'full' ? 'the full crew' : 'a half-empty crew'} ` +
    `became ${formatShare(Math.abs(change))} ${change > 0 ? 'longer' : 'shorter'} from the ` +
    'first half of the search to the second'
  )
}

/** A change over time looks like a change with the load, because the load rises over time. */
function cliff(learned: Learned): string | null {
  const found = driftOf(learned) === null ? cliffOf(learned) : null
  if (found === null) return null
  const { holds, breaks, before, after } = found
  return (
    `A cliff: with ${plural(holds, 'execution')} in the crew it completes ` +
    `${formatPerHour(before.perHour)} per hour, and with ${breaks} only ` +
    `${formatPerHour(after.perHour)}, because ${fallWords(found)}`
  )
}

/** Names whichever of the two explains more of the fall: longer service times or more failures. */
function fallWords({ before, after }: Cliff): string {
  const slower = after.serviceMicros / before.serviceMicros
  const rarer = before.completedShare / Math.max(1e-9, after.completedShare)
  const [now, then] = [after, before].map(({ completedShare }) => formatShare(completedShare))
  return rarer > slower
    ? `${now} of them succeed instead of ${then}`
    : `they take ${threeDigits(slower)} times as long`
}

function otherLoad(learned: Learned): string | null {
  const found = otherLoadOf(learned)
  if (found === null) return null
  const { executions } = found
  const workers = threeDigits(found.workers)
  return executions === null
    ? 'Another load seems to be on the crew: while executions wait, the number that run ' +
        `varies, and is on average ${workers} below its maximum`
    : `Another load is on the crew: its ledger has ${plural(executions, 'execution')} that ` +
        `this search did not send, which kept ${workers} workers busy on average`
}

function stepInFront(learned: Learned): string | null {
  const micros = stepInFrontMicros(learned)
  if (micros === null) return null
  return `Executions wait ${formatDuration(micros)} (median) although workers are free`
}

function failures(learned: Learned): string | null {
  const { free, full, grow } = failuresOf(learned)
  if (!grow) return null
  return (
    `Failures grow with load: ${formatShare(free)} of executions fail while workers are free, ` +
    `and ${formatShare(full)} while all are busy`
  )
}

interface CapacityRefusal {
  sentence: string
  reasons: CapacityReason[]
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
  const causes = found.map(({ code, message }) => reasonOf(REASONS, code, message))
  const [first] = causes
  const bounded = (why: CapacityReason, reasons: CapacityReason[] = causes): CapacityRefusal => {
    return { sentence: boundsSentence(bounds, why.message), reasons }
  }
  if (first?.code === 'limiter') return { sentence: LIMITED, reasons: causes }
  if (first !== undefined && learned.unsteady !== null) return bounded(first)
  const contradicted = contradiction(learned)
  if (contradicted !== null) {
    // The number of workers is wrong, and with it the most that they could do.
    const sentence = boundsSentence({ ...bounds, atMost: null }, contradicted.message)
    return { sentence, reasons: [contradicted, ...causes] }
  }
  const pool = poolInFront(search)
  if (pool !== null) return bounded(pool, [...causes, pool])
  const solution = estimate?.solution ?? { kind: 'no-limit' }
  if (solution.kind === 'fails-alone') {
    // A crew that became slower may have kept the promises before.
    const mayHold = search.failsAlone === false || first?.code === 'drift'
    if (!solution.isSure || !mayHold) return null
    const reasons = [...causes, GROWS]
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

const LIMITED =
  'The capacity of the crew itself is unknown: a limiter in front of it refuses kickoffs for ' +
  'which the crew has room.'
const SLOWS =
  'Only bounds are known: executions keep the promises while workers are free, and break ' +
  'them while all are busy.'
const GROWS = reasonOf(
  REASONS,
  'grows-with-load',
  'service times or failures grow with the load, which the simulation does not model',
)

function boundsSentence({ atLeast, atMost }: Bounds, why: string): string {
  const low = atLeast === null ? 'more than 0' : `at least ${formatPerHour(atLeast)}`
  const high = atMost === null ? '' : ` and at most ${formatPerHour(atMost)}`
  return `Only bounds are known: ${low}${high} kickoffs per hour; ${lowered(why)}.`
}

/** Where the times of the crew itself contradict the model. */
function contradiction({ contradiction: found, slots }: Learned): CapacityReason | null {
  if (found === null || slots === null) return null
  const [inferred, reported] = [found.inferredMicros, found.reportedMicros].map(formatDuration)
  return reasonOf(
    REASONS,
    'times-contradict',
    `The crew's own times contradict a queue for ${plural(slots, 'worker')}: its tasks take ` +
      `${reported} an execution (mean), and that queue leaves ${inferred} for them`,
  )
}

/** Where requests wait for each other in front of the crew, in a queue that is not simulated. */
function poolInFront({ grownRequests: found }: CapacitySearch): CapacityReason | null {
  if (found === null) return null
  const [few, many] = [found.fewMicros, found.manyMicros].map(formatDuration)
  return reasonOf(
    REASONS,
    'http-grows',
    `Requests become slow under load: they add ${many} to an execution on average, and ${few} ` +
      'with few clients',
  )
}

/**
 * The reason that executions became slower over time, by more than the precision asked for. A quota
 * whose burst is used up makes them slower as well, but that is learned.
 */
function lastingDrift(
  { learned, estimate }: CapacitySearch,
  causes: readonly CapacityReason[],
  within: number,
): CapacityReason | null {
  const isLearned = estimate !== null && estimate.system.shared !== null
  const change = driftOf(learned)?.change ?? 0
  return isLearned || change <= within
    ? null
    : (causes.find(({ code }) => code === 'drift') ?? null)
}

const PARTS = {
  service: 'service times differ from the full crew',
  stay: 'executions stay in the crew for a different time than predicted',
  tail: 'the longest stays are not the predicted ones',
  order: 'executions do not begin in the order first come, first served',
}

function disagreement({ parts }: NonNullable<CapacitySearch['confirmation']>): CapacityReason {
  const different = parts.filter((part) => !part.agrees).map(({ name }) => PARTS[name])
  return reasonOf(
    REASONS,
    'model-refused',
    `The crew does not behave as its model: ${different.join('; ')}`,
  )
}
