/** Finds the demand of one shared server by which executions take longer in a full crew. */
import type { LoadFacts } from '../seen.ts'
import { deviationOf, meanOf } from '../../../../result/statistics/moments.ts'
import type { Random } from '../../../../base/random.ts'
import type { Pauses, Refill, SharedServer, Works } from '../model/shared-crew.ts'
import { fullServiceMicros, meanStarts, sharesFor } from '../model/shared-crew.ts'
import type { ServiceSample, SharedDemand } from '../model/system.ts'
import type { Learned } from './learn.ts'
import { lastingFrom, isSlower, longestHold, slowdownOf, SURELY } from './slowdown.ts'

export interface Shares {
  /** Executions that ran nearly alone, with the parts of work that follow each visit. */
  alone: ServiceSample
  demand: SharedDemand
}

/**
 * What executions share. A steady server passes on `perTask` visits for each task; what it saves
 * for later while it is idle is what a held crew shows, or only what it shows beyond chance.
 */
export type SharedBy =
  | Steady
  | { kind: 'window'; perTask: number; micros: number }
  | { kind: 'processor' }

interface Steady {
  kind: 'steady'
  perTask: number
  burst: 'as-shown' | 'as-sure'
  pauses: Pauses | null
}

export const ONE_PER_TASK: Steady = {
  kind: 'steady',
  perTask: 1,
  burst: 'as-sure',
  pauses: null,
}

/** Null where executions do not surely take longer in a full crew. */
export function sharesOf(
  learned: Learned,
  random: Random,
  sharing: SharedBy = ONE_PER_TASK,
): Shares | null {
  const slowdown = slowdownOf(learned)
  if (slowdown === null || learned.slots === null || !isSlower(slowdown)) return null
  const alone =
    sharing.kind === 'processor' ? slowdown.alone : dividedBy(slowdown.alone, sharing.perTask)
  const visits = visitsOf(alone)
  const works = drawnWorks(alone, random)
  const solving = { ...slowdown, slots: learned.slots, visits }
  const server = serverOf(sharing, solving, works, longestHold(learned))
  // By how many per cent the demand changes with one per cent of either mean.
  const change = (times: { work: number; full: number }): number => {
    const own = { ...solving, ...server, fullMicros: solving.fullMicros * times.full }
    const other = demandOf(own, {
      ...works,
      micros: works.micros.map((work) => work * times.work),
    })
    return Math.log(other.demandMicros / server.demandMicros) / Math.log(STEP)
  }
  const demand = {
    ...server,
    visits,
    fullMicros: slowdown.fullMicros,
    fullError: slowdown.fullError,
    byService: -change({ work: 1 / STEP, full: 1 }),
    byFull: change({ work: 1, full: STEP }),
  }
  return { alone, demand }
}

type Server = Pick<SharedServer, 'demandMicros' | 'refill'>

function serverOf(
  sharing: SharedBy,
  solving: Omit<Solving, 'refill'>,
  works: Works,
  held: LoadFacts | null,
): Server {
  const { kind } = sharing
  switch (kind) {
    case 'processor':
      return demandOf({ ...solving, refill: { kind, workMicros: meanOf(works.micros) } }, works)
    case 'window':
      return demandOf(
        { ...solving, refill: { kind, micros: sharing.micros, fromMicros: 0 } },
        works,
      )
    case 'steady':
      return withBurst(solving, works, held, sharing)
    default:
      return kind satisfies never
  }
}

/**
 * Whether executions of a full crew may have paused and asked again: not if many of them took
 * longer than any alone, but by less than the shortest pause, which is half of `firstMicros`.
 */
export function mayHavePaused(learned: Learned, { firstMicros }: Pauses): boolean {
  const alone = slowdownOf(learned)?.alone.micros
  if (alone === undefined || alone.length === 0) return true
  const { micros } = learned.full
  // In rising order.
  const [longest, least] = [alone.at(-1)!, alone[0]! + firstMicros / 2]
  const between = micros.filter((each) => each > longest && each < least)
  return between.length <= MOST_BETWEEN * micros.length
}

/** A tenth may be late by chance. */
const MOST_BETWEEN = 0.1

/** The sample with each part of the work divided into equal ones. */
function dividedBy(sample: ServiceSample, times: number): ServiceSample {
  const { shares } = sample
  if (shares === undefined) return sample
  const parts = Float64Array.from(
    { length: times * shares.length },
    (_, part) => shares[Math.floor(part / times)]! / times,
  )
  return { ...sample, shares: parts }
}

const STEP = 1.01

function visitsOf({ micros, shares }: ServiceSample): number {
  return shares === undefined ? USUAL_VISITS : shares.length / micros.length
}

/** Where no tasks are reported. */
const USUAL_VISITS = 3

/** The executions of each simulation by which the demand is found. */
const SIMULATED = 4_000

/** Own work in random order, whose mean is exactly that of the sample. */
export function drawnWorks(sample: ServiceSample, random: Random): Works {
  const { micros } = sample
  const places = Int32Array.from({ length: SIMULATED }, () => random.int(micros.length))
  const works = Float64Array.from(places, (place) => micros[place]!)
  const times = meanOf(micros) / meanOf(works)
  return {
    micros: works.map((work) => work * times),
    places,
    shares: sharesFor(sample, visitsOf(sample)),
  }
}

interface Solving {
  slots: number
  visits: number
  fullMicros: number
  refill: Refill
}

/**
 * Bisects the demand: with it, a simulated crew that is held full takes as long as the real one. A
 * server that needs `fullMicros / slots` is always busy, and so the upper end; a shared processor
 * that slows a full crew is.
 */
function demandOf({ slots, visits, fullMicros, refill }: Solving, works: Works): Server {
  if (refill.kind === 'processor') return { demandMicros: fullMicros / slots, refill }
  let [low, high] = [0, fullMicros / slots]
  for (let n = 0; n < HALVINGS; n++) {
    const demandMicros = (low + high) / 2
    const found = fullServiceMicros({ slots, shared: { demandMicros, visits, refill } }, works)
    if (found < fullMicros) low = demandMicros
    else high = demandMicros
  }
  return { demandMicros: (low + high) / 2, refill }
}

const HALVINGS = 16

/**
 * Finds how much time an idle server saves: by as much executions of a crew that is `held` full
 * from the beginning on start earlier than behind a server that saves none. Where visits ask again,
 * it saves the time of one at least: nothing is lost then while nobody asks.
 */
function withBurst(
  solving: Omit<Solving, 'refill'>,
  works: Works,
  held: LoadFacts | null,
  { burst, pauses }: Steady,
): Server {
  const { slots, visits, fullMicros } = solving
  const least = pauses === null ? 0 : fullMicros / slots / visits
  const serverWith = (burstMicros: number): Server =>
    demandOf({ ...solving, refill: { kind: 'steady', burstMicros, pauses } }, works)
  const none = serverWith(least)
  if (held === null) return none
  const all = Float64Array.from(held.ran, ({ started }) => started).sort()
  const starts = all.subarray(0, works.micros.length)
  const from = Math.min(lastingFrom(held.ran), starts.length - 1)
  const earlierBy = (server: Server): number => {
    const shared = { ...server, visits }
    const simulated = meanStarts({ slots, shared }, works, starts.length)
    return meanOf(simulated.subarray(from)) - (meanOf(starts.subarray(from)) - starts[0]!)
  }
  const cv = deviationOf(works.micros) / meanOf(works.micros)
  const error = (cv * Math.sqrt((starts.length + from) / 2) * fullMicros) / slots
  let [found, burstMicros] = [none, least]
  for (let n = 0; n < BURST_STEPS; n++) {
    const shown = earlierBy(found)
    if (n === 0 && burst === 'as-sure' && shown < SURELY * error) return none
    burstMicros = Math.max(least, burstMicros + shown)
    found = serverWith(burstMicros)
  }
  return found
}

/** Where the crew is never without a wait, one step is exact. */
const BURST_STEPS = 3
