/**
 * Infers the starts of executions that nothing reports. A crew that shows its executions as running
 * from acceptance on hides which of them wait for a worker. It is still visible that executions
 * take longer beside many others; and with the order first come, first served, the ends alone
 * determine the starts once the number of workers is known.
 */
import type { ValueRange } from '../../document.ts'
import { deviationOf, meanOf } from '../../../../result/statistics/moments.ts'
import { atShares } from './quantiles.ts'
import {
  mostInCrew,
  startsByEnds,
  workersByEnds,
} from '../../../../result/inferred-workers/by-ends.ts'
import type { Between, ObservedStay } from '../../../../result/inferred-workers/observed-stay.ts'
import { Z98 } from '../model/interval.ts'
import { studentT } from '../../../../result/statistics/beta.ts'
import type { LoadSeen, Seen } from '../seen.ts'
import { clientsOf } from '../seen.ts'

/**
 * Stays this many times as long as those beside few others contain waits, if the difference is
 * surely not chance.
 */
const LONGER = 1.3
const SURELY = 0.9975
const FEWEST = 4

/** Infers the number of workers; null while nothing shows that executions wait for them. */
export function hiddenSlots(loads: readonly LoadSeen[]): ValueRange | null {
  return slotsByRungs(loads) ?? slotsByRuns(loads)
}

/**
 * Twice as many clients would get twice as much done while workers are free; a factor below this
 * one shows that none are.
 */
const NO_MORE = 1.25
/**
 * The fewest executions by which throughput is judged: among fewer, a few long ones would decide by
 * chance.
 */
const TELLING = 8

/**
 * Whether some clients got hardly more done than half as many of them or fewer did. True for runs
 * of open arrivals alone, which cannot show it.
 */
export function levelsOff(loads: readonly LoadSeen[]): boolean {
  const rungs = loads.filter((seen) => isRung(seen) && staysOf(seen).length > 0)
  if (rungs.length === 0) return true
  return rungs.some((rung) =>
    rungs.some(
      (fewer) =>
        2 * clientsOf(fewer) <= clientsOf(rung) &&
        staysOf(rung).length >= TELLING &&
        throughput(rung) < NO_MORE * throughput(fewer),
    ),
  )
}

/**
 * Infers the number of workers from a ladder; null while stays do not grow. Of the numbers that
 * throughput and the stays beside few others allow, it is the one that makes service times most
 * like those stays.
 */
function slotsByRungs(loads: readonly LoadSeen[]): ValueRange | null {
  const rungs = loads.filter(isRung).toSorted((a, b) => clientsOf(a) - clientsOf(b))
  let { alone, others } = split(rungs)
  let full = fullest(others, alone)
  if (full === null) return null
  const about = throughput(full) * meanOf(alone)
  const free = rungs.filter((rung) => clientsOf(rung) <= SURELY_FREE * about)
  if (free.length > 0) {
    alone = free.flatMap(staysOf)
    others = rungs.slice(free.length)
    full = fullest(others, alone) ?? full
  }
  return slotsBetween(full, alone)
}

/**
 * A rung contains waits if its stays are longer than those of the rungs before by this factor, and
 * surely.
 */
const BIT_LONGER = 1.08
const LIKELY = 0.95
/**
 * Rungs with fewer clients than this share of the workers contain no waits, however long their
 * stays are by chance.
 */
const SURELY_FREE = 0.75

/**
 * Divides the rungs into those without waits, which have the fewest clients, and the others. Rungs
 * with the same number of clients count as one, because a difference between them is not a wait. A
 * single client never waits.
 */
function split(rungs: readonly LoadSeen[]): { alone: number[]; others: readonly LoadSeen[] } {
  const alone: number[] = []
  let at = 0
  while (at < rungs.length) {
    const clients = clientsOf(rungs[at]!)
    const alike = rungs.filter((rung) => clientsOf(rung) === clients)
    const stays = alike.flatMap(staysOf)
    if (clients > 1 && areLonger(stays, alone, BIT_LONGER, LIKELY)) break
    alone.push(...stays)
    at += alike.length
  }
  return { alone, others: rungs.slice(at) }
}

/** The rung with most executions whose stays are longer beyond doubt; null if there is none. */
function fullest(others: readonly LoadSeen[], alone: readonly number[]): LoadSeen | null {
  const longer = others.filter((rung) => areLonger(staysOf(rung), alone))
  return longer.toSorted((a, b) => b.executions.length - a.executions.length)[0] ?? null
}

function isRung({ load }: LoadSeen): boolean {
  return load.kind === 'closed'
}

/**
 * Whether stays are surely longer, by the test of Welch ("The generalization of Student's problem",
 * 1947), which suits small rungs.
 */
function areLonger(
  stays: readonly number[],
  alone: readonly number[],
  times = LONGER,
  confidence = SURELY,
): boolean {
  if (stays.length < FEWEST || alone.length < FEWEST) return false
  const [mean, before] = [meanOf(stays), meanOf(alone)]
  const [here, there] = [stays, alone].map((sample) => deviationOf(sample) ** 2 / sample.length)
  const error = here! + there!
  const freedom = error ** 2 / (here! ** 2 / (stays.length - 1) + there! ** 2 / (alone.length - 1))
  if (mean <= times * before) return false
  return error === 0 || mean - before > studentT(freedom, confidence) * Math.sqrt(error)
}

function slotsBetween(full: LoadSeen, alone: readonly number[]): ValueRange {
  const mean = meanOf(alone)
  const error = (Z98 * deviationOf(alone)) / mean / Math.sqrt(alone.length)
  const about = throughput(full) * mean
  const low = Math.max(1, Math.round(about * Math.max(0.5, 1 - error)))
  const high = Math.max(low, Math.min(clientsOf(full), Math.round(about * (1 + error))))
  const wanted = atShares(alone)
  let best = { slots: low, distance: Infinity }
  for (let slots = low; slots <= high; slots++) {
    const services = withInferredStarts(full, slots).executions.flatMap(({ started, ended }) =>
      started === null || ended === null ? [] : ended - started,
    )
    const distance = atShares(services).reduce(
      (sum, value, i) => sum + Math.abs(value - wanted[i]!),
      0,
    )
    if (distance < best.distance) best = { slots, distance }
  }
  return { value: best.slots, low, high }
}

function staysOf({ executions }: LoadSeen): number[] {
  return executions.flatMap(({ accepted, ended }) =>
    accepted === null || ended === null ? [] : ended - accepted,
  )
}

/**
 * The first ends, as a share of all, during which the workers of a load that began at once are
 * surely busy.
 */
const WHILE_FULL = 0.4
/** With at least this many executions per client, all ends until the last acceptance count. */
const HELD_LONG = 4

/** Ends per microsecond, from the beginning of a load that fills the crew at once. */
function throughput({ executions, load }: LoadSeen): number {
  const accepted = executions.flatMap((each) => each.accepted ?? [])
  const [from, last] = [Math.min(...accepted), Math.max(...accepted)]
  const ends = Float64Array.from(executions.flatMap(({ ended }) => ended ?? [])).sort()
  if (load.kind === 'closed' && ends.length >= HELD_LONG * load.clients) {
    return ends.filter((end) => end <= last).length / (last - from)
  }
  const counted = Math.ceil(WHILE_FULL * ends.length)
  const until = ends[counted - 1]
  return until === undefined ? 0 : ends.filter((end) => end <= until).length / (until - from)
}

/**
 * Infers the starts of executions from their ends, for `slots` workers and the order first come,
 * first served.
 */
export function withInferredStarts(seen: LoadSeen, slots: number): LoadSeen {
  const run = stayedOf(seen)
  const starts = startsByEnds(run, slots)
  const byExecution = new Map<Seen, number>()
  run.forEach(({ of, ended }, i) => {
    const { low, high } = starts[i]!
    if (Number.isFinite(high)) byExecution.set(of, Math.min((low + high) / 2, endOf(ended)))
  })
  return {
    ...seen,
    executions: seen.executions.map((each) =>
      Object.assign({}, each, { started: byExecution.get(each) ?? null }),
    ),
  }
}

/** The latest possible start of an execution is its own end. */
function endOf({ low, high }: Between): number {
  return high === Infinity ? Infinity : (low + high) / 2
}

/** The times from acceptance to end, in the order of acceptance. */
function stayedOf({ executions }: LoadSeen): (ObservedStay & { of: Seen; ended: Between })[] {
  return executions
    .flatMap((each) => {
      const { accepted, ended, endedWithin, outcome } = each
      if (accepted === null) return []
      const [low, high] =
        ended === null
          ? [accepted, Infinity]
          : [Math.max(accepted, ended - endedWithin / 2), ended + endedWithin / 2]
      return { of: each, accepted, ended: { low, high }, outcome }
    })
    .toSorted((a, b) => a.accepted - b.accepted)
}

/**
 * Infers the number of workers without a ladder, from runs of open arrivals, whose ends show it
 * once enough executions waited. Null where they do not.
 */
function slotsByRuns(loads: readonly LoadSeen[]): ValueRange | null {
  const runs = loads.filter(({ load }) => load.kind === 'open').map(stayedOf)
  const found = workersByEnds(runs, mostInCrew(runs))
  if (found === null) return null
  const { value, low, high } = found
  return high === null ? null : { value, low, high }
}
