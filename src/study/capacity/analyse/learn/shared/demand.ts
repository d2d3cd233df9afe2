/** Finds the demand of one shared server by which executions take longer in a full crew. */
import { deviationOf, meanOf } from '../../../../../result/statistics/moments.ts'
import type { Random } from '../../../../../base/random.ts'
import type { Refill, SharedServer, Works } from '../../model/shared-crew.ts'
import { fullServiceMicros, meanStarts, ONE_BY_ONE, sharesFor } from '../../model/shared-crew.ts'
import type { ServiceSample, SharedDemand } from '../../model/system.ts'
import type { Learned, LoadFacts } from '../learn.ts'
import { lastingFrom } from './full-crew.ts'
import { isSlower, longestHold, MOST_VISITS, slowdownOf, SURELY } from './slowdown.ts'

export interface Shares {
  /** Executions that ran nearly alone, with the parts of work that follow each visit. */
  alone: ServiceSample
  demand: SharedDemand
}

/** How executions visit what they share: what a server may do otherwise than was learned. */
export interface Visiting {
  /** The visits for each task. */
  perTask: number
  /**
   * The windows in which visits are passed on; or what an idle server saves for later: what a held
   * crew shows of it, or only what it shows beyond chance.
   */
  refill: { windowMicros: number } | 'as-shown' | 'as-sure'
}

export const ONE_PER_TASK: Visiting = { perTask: 1, refill: 'as-sure' }

/** Null where executions do not surely take longer in a full crew. */
export function sharesOf(
  learned: Learned,
  random: Random,
  { perTask, refill }: Visiting = ONE_PER_TASK,
): Shares | null {
  const slowdown = slowdownOf(learned)
  if (slowdown === null || learned.slots === null || !isSlower(slowdown)) return null
  const alone = dividedBy(slowdown.alone, perTask)
  const visits = visitsOf(alone)
  const works = worksOf(alone, random)
  const solving = { ...slowdown, slots: learned.slots, visits }
  const server =
    typeof refill === 'string'
      ? withBurst(solving, works, { load: longestHold(learned), isSure: refill === 'as-sure' })
      : demandOf({ ...solving, refill: inWindows(refill.windowMicros) }, works)
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

function inWindows(micros: number): Refill {
  return { kind: 'window', micros, fromMicros: 0 }
}

/** The sample with each part of the work divided into equal ones, as far as they are counted. */
function dividedBy(sample: ServiceSample, times: number): ServiceSample {
  const { micros, shares } = sample
  if (shares === undefined || times * shares.length > MOST_VISITS * micros.length) return sample
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
export function worksOf(sample: ServiceSample, random: Random): Works {
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
 * server that needs `fullMicros / slots` is always busy, and so the upper end.
 */
function demandOf(
  { slots, visits, fullMicros, refill }: Solving,
  works: Works,
): Pick<SharedServer, 'demandMicros' | 'refill'> {
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

interface Shown {
  /** A load that held the crew full from the beginning on; null if there is none. */
  load: LoadFacts | null
  /** Whether it has to show a burst beyond chance. */
  isSure: boolean
}

/**
 * Finds how much time an idle server saves: by as much executions of a crew that is held full from
 * the beginning on start earlier than behind a server that saves none.
 */
function withBurst(
  solving: Omit<Solving, 'refill'>,
  works: Works,
  { load, isSure }: Shown,
): Pick<SharedServer, 'demandMicros' | 'refill'> {
  const none = demandOf({ ...solving, refill: ONE_BY_ONE }, works)
  if (load === null) return none
  const { slots, visits, fullMicros } = solving
  const all = Float64Array.from(load.ran, ({ started }) => started).sort()
  const starts = all.subarray(0, works.micros.length)
  const from = Math.min(lastingFrom(load.ran), starts.length - 1)
  const earlierBy = (server: typeof none): number => {
    const shared = { ...server, visits }
    const simulated = meanStarts({ slots, shared }, works, starts.length)
    return meanOf(simulated.subarray(from)) - (meanOf(starts.subarray(from)) - starts[0]!)
  }
  const cv = deviationOf(works.micros) / meanOf(works.micros)
  const error = (cv * Math.sqrt((starts.length + from) / 2) * fullMicros) / slots
  let [found, burstMicros] = [none, 0]
  for (let n = 0; n < BURST_STEPS; n++) {
    const shown = earlierBy(found)
    if (n === 0 && isSure && shown < SURELY * error) return none
    burstMicros = Math.max(0, burstMicros + shown)
    found = demandOf({ ...solving, refill: { kind: 'steady', burstMicros } }, works)
  }
  return found
}

/** Where the crew is never without a wait, one step is exact. */
const BURST_STEPS = 3
