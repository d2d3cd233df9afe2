/** Derives what is known of a crew from all loads that were put on it. */
import { thinned, upperMedian } from '../../../../result/statistics/rising.ts'
import type { KickoffSample, ServiceSample } from '../model/system.ts'
import { MICROS_PER_HOUR } from '../model/system.ts'
import type { Scaling } from '../scaling/scaling.ts'
import { scalingOf } from '../scaling/scaling.ts'
import type { Unsteady } from '../scaling/unsteady.ts'
import { unsteadyOf } from '../scaling/unsteady.ts'
import type { LoadSeen, Ran, Seen, LoadFacts } from '../seen.ts'
import { factsOf, inCrewOf, serviceOf, servicesOf, waitingSpans } from '../seen.ts'
import type { ValueRange } from '../../document.ts'
import { hiddenSlots, levelsOff, withInferredStarts } from './hidden-starts.ts'
import { meanOf, sumBy } from '../../../../result/statistics/moments.ts'

export interface Learned {
  loads: readonly LoadFacts[]
  /** The number of workers; null while no execution has waited, so that the crew was never full. */
  slots: number | null
  /** Whether starts and ends are known exactly. */
  isExact: boolean
  /**
   * The number of workers inferred from how long executions stay, where nothing reports when they
   * begin; null otherwise.
   */
  hidden: ValueRange | null
  /** Null unless the times of tasks contradict the inferred number of workers. */
  contradiction: Contradiction | null
  /** The most executions that ran at once: there are at least this many workers. */
  slotsSeen: number
  /** Null unless the number of workers grew with the load; never where starts are inferred. */
  scaling: Scaling | null
  unsteady: Unsteady | null
  queueLimit: number | null
  /** Service times of executions that began while every other worker was busy. */
  full: ServiceSample
  /** Service times of executions that began while at most half of the slots were busy. */
  idle: ServiceSample
  /** The times of kickoffs; empty if none was accepted. */
  kickoffs: KickoffSample
  /** The share of executions whose end was never seen although a worker had begun with them. */
  neverShare: number
}

/**
 * How long after its start the number of busy workers is read, as a share of the median service
 * time.
 */
const SOON = 0.05
/**
 * The share of busy workers from which a crew counts as full: the last ones may be between two
 * executions.
 */
const FULL = 0.9
const IDLE = 0.5

/**
 * Whether the crew may hide waits. It may report none of its times, or report them from acceptance
 * on: then nothing ever seems to wait, although twice the clients get no more done. Growing stays
 * alone are not enough, since they also grow while the machine is busy with something else.
 */
function mayHideStarts(loads: readonly LoadSeen[]): boolean {
  const isReported = loads.some(({ truth }) => truth === 'reported')
  return isReported && loads.every((seen) => waitsIn(seen) === 0) && levelsOff(loads)
}

/**
 * Returns the loads with starts, inferred ones where none are reported, and the number of workers
 * by which they were inferred.
 */
function shownBy(loads: readonly LoadSeen[]): {
  shown: readonly LoadSeen[]
  hidden: ValueRange | null
} {
  const hides = loads.some(({ truth }) => truth === 'polls')
  const hidden = hides || mayHideStarts(loads) ? hiddenSlots(loads) : null
  if (!hides && hidden === null) return { shown: loads, hidden }
  // While the number of workers is unknown, no execution counts as having waited.
  return { shown: loads.map((seen) => withInferredStarts(seen, hidden?.value ?? Infinity)), hidden }
}

/**
 * Counts the executions that surely waited. A start is known only as precisely as the polls that
 * enclose the end.
 */
function waitsIn({ executions }: LoadSeen): number {
  return executions.filter(
    ({ accepted, started, endedWithin }) =>
      accepted !== null && started !== null && started - accepted > endedWithin,
  ).length
}

/**
 * The mean number of workers that are busy while an execution surely waits. The largest number
 * would be too high, because ends that lie somewhere between two polls make executions overlap that
 * did not. Times without a surely waiting execution count only where there are no others: clients
 * that learn late of an end leave workers idle, however many clients there are.
 */
function meanBusy(loads: readonly LoadFacts[]): number {
  const waiting = loads.flatMap(waitingSpans)
  const micros = sumBy(waiting, (span) => span.micros)
  const busyMicros = sumBy(waiting, (span) => span.micros * span.atWork)
  if (micros > 0) return Math.max(1, Math.round(busyMicros / micros))
  const held = loads.filter(({ seen, waited }) => waited > 0 && isHeld(seen))
  const [first, ...others] = held
  if (first === undefined) return Math.max(1, ...loads.map(({ busy }) => busy.most))
  return busyInMean(others.reduce((most, load) => (load.waited > most.waited ? load : most), first))
}

/**
 * Whether clients start further executions in this load, so that the crew stays full for a while.
 */
function isHeld({ load }: LoadSeen): boolean {
  return load.kind === 'closed' && load.executions >= 2 * load.clients
}

/** From its first start to its last arrival. */
export function busyInMean({ ran }: Pick<LoadFacts, 'ran'>): number {
  const from = Math.min(...ran.map(({ started }) => started))
  const to = Math.max(...ran.map(({ accepted }) => accepted))
  const busy = sumBy(ran, ({ started, ended }) => Math.max(0, Math.min(ended, to) - started))
  return Math.max(1, Math.round(busy / (to - from)))
}

export function learnLoads(seen: readonly LoadSeen[]): Learned {
  const { shown, hidden } = shownBy(seen)
  const loads = shown.map(factsOf)
  const mostBusy = Math.max(0, ...loads.map(({ busy }) => busy.most))
  const waits = loads.some(({ waited }) => waited > 0)
  const isExact = seen.every(({ truth }) => truth === 'ledger')
  const refusing = waits || hidden !== null ? null : refusingSlots(loads)
  const scaling = hidden === null ? scalingOf(loads) : null
  const counted = scaling?.to ?? (isExact || !waits ? mostBusy : meanBusy(loads))
  const slotsSeen = hidden?.value ?? refusing ?? counted
  const slots = waits || refusing !== null ? slotsSeen : null
  const executions = loads.flatMap(({ seen }) => seen.executions)
  const begun = executions.filter(({ started }) => started !== null)
  const never = begun.filter(({ ended }) => ended === null)
  return {
    loads,
    slots,
    isExact,
    hidden,
    contradiction: hidden === null ? null : contradictionOf(shown),
    slotsSeen,
    scaling,
    unsteady: hidden === null ? unsteadyOf(loads, scaling) : null,
    queueLimit: slots === null ? null : queueLimitOf(loads, slots, scaling),
    full: sampleOf(loads.flatMap((load) => ranWhile('full', load, slotsSeen))),
    idle: sampleOf(loads.flatMap((load) => ranWhile('idle', load, slotsSeen))),
    kickoffs: kickoffsOf(executions),
    neverShare: begun.length === 0 ? 0 : never.length / begun.length,
  }
}

/** By rising time; each time keeps its mark. */
export function sampleOf(ran: readonly Ran[]): ServiceSample {
  const sorted = ran.toSorted((a, b) => serviceOf(a) - serviceOf(b))
  return {
    micros: Float64Array.from(sorted, serviceOf),
    failed: Uint8Array.from(sorted, ({ outcome }) => (outcome === 'failed' ? 1 : 0)),
  }
}

/** The most kickoffs that are kept: more would not change any result. */
const KEPT_KICKOFFS = 499

/**
 * The times of kickoffs, without those that were refused first: they include the wait for a retry,
 * which does not occur while the crew has room.
 */
function kickoffsOf(executions: readonly Seen[]): KickoffSample {
  const accepted = executions.filter((each) => each.accepted !== null)
  const atOnce = accepted.filter((each) => !isRefused(each))
  const sorted = (atOnce.length === 0 ? accepted : atOnce).toSorted(
    (a, b) => a.kickoffMicros - b.kickoffMicros,
  )
  const kept = thinned(sorted, KEPT_KICKOFFS)
  return {
    micros: Float64Array.from(kept, ({ kickoffMicros }) => kickoffMicros),
    admitted: Float64Array.from(kept, ({ admittedMicros }) => admittedMicros),
  }
}

/** Executions that began while all workers were busy, or while at most half of them were. */
export function ranWhile(crew: 'full' | 'idle', load: LoadFacts, slots: number): Ran[] {
  return besideOf(load, slots)
    .filter(({ share }) => (crew === 'full' ? share >= FULL : share <= IDLE))
    .map(({ each }) => each)
}

/** Each execution, and the share of the workers that were busy beside it, its own included. */
export function besideOf({ ran, busy }: LoadFacts, slots: number): { each: Ran; share: number }[] {
  const soon = soonOf(ran)
  return ran.map((each) => {
    return { each, share: Math.min(1, busy.at(each.started + soon) / slots) }
  })
}

/**
 * Returns a share of the median service time, in microseconds. Default: the share after which
 * executions that begin together have all begun.
 */
export function soonOf(ran: readonly Ran[], share = SOON): number {
  return share * upperMedian(servicesOf(ran))
}

interface TaskTimes {
  task: string
  /** The times while every worker is busy (`full`), and while at most half of them are (`idle`). */
  full: number[]
  idle: number[]
}

/**
 * Task times, in the order in which the tasks were reported first; empty where the crew reports
 * none.
 */
export function taskTimesOf({ loads, slotsSeen }: Learned): TaskTimes[] {
  const times = new Map<string, TaskTimes>()
  for (const crew of ['full', 'idle'] as const) {
    const ran = loads.flatMap((load) => ranWhile(crew, load, slotsSeen))
    for (const { task, micros } of ran.flatMap(({ tasks }) => tasks ?? [])) {
      if (!times.has(task) && times.size < MOST_TASKS) times.set(task, { task, full: [], idle: [] })
      times.get(task)?.[crew].push(micros)
    }
  }
  return [...times.values()]
}

/** The most tasks that are distinguished: a target may use new names in each execution. */
const MOST_TASKS = 50

/**
 * Infers the limit of the queue. It exists if executions were turned away exactly when as many were
 * in the crew as ever were; whatever else turns them away is another limit.
 */
function queueLimitOf(
  loads: readonly LoadFacts[],
  slots: number,
  scaling: Scaling | null,
): number | null {
  const { most, counts, isByCount } = atRefusals(loads, scaling)
  return counts.length > 0 && isByCount ? Math.max(0, most - slots) : null
}

/**
 * Infers the number of workers of a crew without a queue, which turns kickoffs away while no worker
 * is free, so that nothing ever waits. Null if the refusals are so few that a limiter in front
 * could have caused them by chance, or come from a single load.
 */
function refusingSlots(loads: readonly LoadFacts[]): number | null {
  const { most, counts, isByCount, loads: refusing } = atRefusals(loads, null)
  if (!isByCount || counts.length < FEWEST_REFUSALS || refusing < 2) return null
  // The median, because ends that lie between two polls make executions overlap that did not.
  return Math.min(most, upperMedian(counts))
}

const FEWEST_REFUSALS = 20

/**
 * Counts the refusals that came while the crew had room: it has held more executions at another
 * time.
 */
export function refusedWithRoom(
  loads: readonly LoadFacts[],
  { scaling }: Pick<Learned, 'scaling'>,
): number {
  const { most, counts } = atRefusals(loads, scaling)
  return counts.filter((count) => !isAbout(most, count)).length
}

function isAbout(most: number, count: number): boolean {
  return count >= most - Math.max(1, 0.05 * most)
}

/**
 * Returns the number of executions in the crew at each refusal, and the most there ever were. While
 * workers scale, those that are still missing count as well: the queue alone is what is full.
 */
function atRefusals(
  loads: readonly LoadFacts[],
  scaling: Scaling | null,
): {
  most: number
  counts: number[]
  /** Whether every refusal came at about the most. */
  isByCount: boolean
  /** The number of loads with refusals. */
  loads: number
} {
  const refused = loads.filter(({ seen }) => seen.executions.some(isRefused))
  const inside = refused.map(({ seen, ran, busy }) => ({
    seen,
    busy,
    inCrew: inCrewOf(ran),
  }))
  const counts = inside.flatMap(({ seen, inCrew, busy }) => {
    const slack = withinOf(seen) / 2
    return seen.executions.flatMap(({ refusals }) =>
      refusals.map(({ at, answered = at }) => {
        // The crew decided at some time between the two, and the clocks agree only to within that
        // time.
        const around = answered - at + slack
        const missing = scaling === null ? 0 : Math.max(0, scaling.to - busy.at(at))
        return inCrew.mostIn(at - around, answered + around) + missing
      }),
    )
  })
  const most = Math.max(0, ...inside.map(({ inCrew }) => inCrew.most), ...counts)
  const isByCount = counts.every((count) => isAbout(most, count))
  return { most, counts, isByCount, loads: refused.length }
}

/** The median time between the polls that enclose an end; 0 where ends are known. */
function withinOf({ executions }: LoadSeen): number {
  return upperMedian(
    executions.flatMap(({ ended, endedWithin }) => (ended === null ? [] : endedWithin)),
  )
}

export function isRefused({ refusals }: Seen): boolean {
  return refusals.length > 0
}

/**
 * The throughput in executions per hour, from the first start to the last, during which the crew
 * was full.
 */
export function throughputPerHour({ ran }: Pick<LoadFacts, 'ran'>): number {
  const ends = Float64Array.from(ran, ({ ended }) => ended).sort()
  const starts = Float64Array.from(ran, ({ started }) => started).sort()
  const [from, to] = [starts[0] ?? 0, starts.at(-1) ?? 0]
  const within = ends.filter((end) => end > from && end <= to).length
  return to <= from ? 0 : (within * MICROS_PER_HOUR) / (to - from)
}

/** Two times of one execution that cannot both be true. */
interface Contradiction {
  /** The mean time at a worker that the inferred number of workers implies. */
  inferredMicros: number
  /** The mean time of the tasks, as the crew reports them. */
  reportedMicros: number
}

/** Tasks that take this much longer than the time at a worker are no work of that worker alone. */
const LONGER = 1.25
/** Tasks whose times exceed the stay of a single client by more run side by side. */
const SIDE_BY_SIDE = 1.1
const FEWEST = 20

/**
 * Compares the times of tasks with inferred starts. What an execution waits for a worker is no part
 * of a task; a quota, a lock or a processor that executions share makes tasks longer, which looks
 * like few workers when only ends are seen. Null where nothing contradicts.
 */
function contradictionOf(shown: readonly LoadSeen[]): Contradiction | null {
  const executions = shown.flatMap((load) => load.executions)
  const times = executions.flatMap((each) => timesOf(each) ?? [])
  const single = shown.flatMap(({ load, executions: alone }) =>
    load.kind === 'closed' && load.clients === 1
      ? alone.flatMap((each) => timesOf(each) ?? [])
      : [],
  )
  if (times.length < FEWEST || single.some(({ tasks, stay }) => tasks > SIDE_BY_SIDE * stay)) {
    return null
  }
  const inferredMicros = meanOf(times.map(({ worker }) => worker))
  const reportedMicros = meanOf(times.map(({ tasks, stay }) => Math.min(tasks, stay)))
  return reportedMicros > LONGER * inferredMicros ? { inferredMicros, reportedMicros } : null
}

/** Null where the crew reports no tasks. */
function timesOf({
  accepted,
  started,
  ended,
  tasks = [],
}: Seen): { worker: number; tasks: number; stay: number } | null {
  if (accepted === null || started === null || ended === null || tasks.length === 0) return null
  const sum = sumBy(tasks, ({ micros }) => micros)
  return { worker: ended - started, tasks: sum, stay: ended - accepted }
}
