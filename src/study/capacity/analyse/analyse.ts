/** Makes the document from what a search learned. */
import { timesByOf } from '../../frame/executions/reader.ts'
import { MICROS_PER_MS, optionalMs } from '../../../base/units.ts'
import { deviationOf, meanOf, sumBy } from '../../../result/statistics/moments.ts'
import type { CapacityDocument, ConfirmedWait, RateRange } from '../document.ts'
import { agrees } from './confirm/confirm.ts'
import type { Learned } from './learn/learn.ts'
import { taskTimesOf, throughputPerHour } from './learn/learn.ts'
import { byShare, quantilesOf } from './learn/quantiles.ts'
import type { LoadFacts } from './seen.ts'
import { Z98 } from './model/interval.ts'
import { saturationPerHour, MICROS_PER_HOUR } from './model/system.ts'
import { scaledOf } from './search/cold-start.ts'
import { rangesOf, spreadOfWeighed } from './search/estimator.ts'
import type { CapacitySearch } from './search/search.ts'
import type { Searched } from './verdict.ts'
import { judged } from './verdict.ts'
import type { CapacityFigures } from '../sentences/verdict.ts'
import { saidOf } from '../../../result/sentence-tables.ts'
import { BREAKS } from '../sentences/breaks.ts'
import type { Random } from '../../../base/random.ts'
import type { Micros } from '../../../base/units.ts'
import { slowTasksOf } from './learn/besides-queue.ts'
import { drawnWorks } from './learn/demand.ts'
import type { Slowdown } from './learn/slowdown.ts'
import { isDecided, isSlower, longestHold, NOT_OVERLOOKED, slowdownOf } from './learn/slowdown.ts'
import type { Criterion } from './model/criteria.ts'
import { fullServiceMicros } from './model/shared-crew.ts'
import { solveNear } from './model/solve.ts'
import type { CrewSystem, SharedDemand } from './model/system.ts'
import type { Estimate } from './search/estimator.ts'

export function capacityDocument(searched: Searched): CapacityDocument {
  const { search, plan, facts } = searched
  search.conclude()
  const figures = figuresOf(search)
  const { scenario, seed, from } = plan
  return {
    schema: 'crewload/capacity/1',
    study: 'capacity',
    ...facts,
    place: plan.place ?? { kind: 'runs', runs: from.length },
    scenario,
    seed,
    plan,
    probes: search.probes,
    ladder: search.loads.flatMap(({ facts: load }) => rungOf(load, search.learned) ?? []),
    recorded: recordedOf(search),
    ...curveOf(search),
    ...figures,
    ...judged(searched, figures),
  }
}

function figuresOf(search: CapacitySearch): CapacityFigures {
  const { estimate } = search
  const { capacity = null, saturation = null } = estimate === null ? {} : rangesOf(estimate)
  const limit = limitOf(search)
  return {
    model: modelOf(search),
    capacity,
    inFlight: capacity === null ? null : inFlightAt(search, capacity),
    saturation,
    binding: bindingOf(search, limit),
    limit,
    sharedPerHour: sharedPerHourOf(search),
    oneMoreWorker: capacity === null ? null : oneMoreWorkerOf(search, capacity),
    confirmation: confirmationOf(search),
    scaling: scaledOf(search),
  }
}

function inFlightAt(
  { estimate, simulations }: CapacitySearch,
  capacity: { low: number; high: number },
): CapacityDocument['inFlight'] {
  if (estimate?.solution.kind !== 'rate') return null
  const { inFlight: value } = estimate.solution
  const [low, high] = [capacity.low, capacity.high].map(
    (perHour) => simulations.middle.stay(estimate.system, perHour).inFlight,
  )
  return { value, low: Math.min(value, low!), high: Math.max(value, high!) }
}

function modelOf({ learned, confirmation, estimate }: CapacitySearch): CapacityDocument['model'] {
  if (estimate === null) return null
  const { slots, queueLimit, neverShare } = estimate.system
  const { full, idle, hidden } = learned
  const whole = { task: null, full: quantilesOf(full.micros)!, idle: quantilesOf(idle.micros) }
  const tasks = taskTimesOf(learned).flatMap((each) => {
    const whileFull = quantilesOf(each.full)
    const { task } = each
    return whileFull === null ? [] : { task, full: whileFull, idle: quantilesOf(each.idle) }
  })
  return {
    slots: { value: slots, low: hidden?.low ?? slots, high: hidden?.high ?? slots },
    queueLimit,
    service: [whole, ...tasks],
    serviceByShare: byShare(full.micros, idle.micros),
    cv: deviationOf(full.micros) / meanOf(full.micros),
    neverShare,
    truth: timesByOf(learned.loads.map(({ seen }) => seen.truth)),
    accepted: confirmation !== null && agrees(confirmation),
  }
}

function recordedOf({ recorded, learned }: CapacitySearch): CapacityDocument['recorded'] {
  return recorded.map(({ run, place, seen }, i) => {
    const { busy, waited } = learned.loads[i]!
    const { load, truth } = seen
    const executions = seen.executions.length
    const perHour = load.kind === 'open' ? load.perHour : null
    return { run, place, executions, perHour, running: busy.most, waited, truth }
  })
}

function confirmationOf(search: CapacitySearch): CapacityDocument['confirmation'] {
  const { confirmation, loads, replayed } = search
  const tried = loads.findLast(({ step }) => step.purpose === 'confirm')?.step.load
  const sent = tried ?? replayed?.seen.load
  if (confirmation === null || sent?.kind !== 'open') return null
  const { parts, waits, executions, load } = confirmation
  return {
    run: replayed?.run ?? null,
    perHour: sent.perHour,
    executions,
    load,
    parts: parts.map(inMs),
    waits: waits.map(inMs),
  }
}

function inMs<T extends Omit<ConfirmedWait, 'share'>>(spread: T): T {
  return {
    ...spread,
    observed: spread.observed / MICROS_PER_MS,
    predicted: spread.predicted / MICROS_PER_MS,
    low: spread.low / MICROS_PER_MS,
    high: spread.high / MICROS_PER_MS,
  }
}

/**
 * Null for an open load. Ends between two polls make executions overlap that did not: no more run
 * at once than there are workers.
 */
function rungOf(
  facts: LoadFacts,
  { slots, isExact }: Learned,
): CapacityDocument['ladder'][number] | null {
  const { seen, ran, busy, waited } = facts
  const { load, executions } = seen
  if (load.kind !== 'closed') return null
  const kickoffs = executions.filter(({ accepted }) => accepted !== null)
  return {
    clients: load.clients,
    executions: executions.length,
    perHour: throughputPerHour(facts),
    running: isExact || slots === null ? busy.most : Math.min(busy.most, slots),
    waited,
    stay: quantilesOf(ran.map(({ accepted, ended }) => ended - accepted)),
    littleResidual: residualOf(facts, load.clients),
    failed: executions.filter(({ outcome }) => outcome === 'failed').length,
    refused: sumBy(executions, ({ refusals }) => refusals.length),
    kickoffMs:
      kickoffs.length === 0
        ? null
        : meanOf(kickoffs.map(({ kickoffMicros }) => kickoffMicros)) / MICROS_PER_MS,
    pollMs: seen.polls.all === 0 ? null : seen.polls.tookMicros / MICROS_PER_MS,
  }
}

/**
 * The relative residual of Little's law: from the first intended start to the last, each client has
 * an execution in flight, and the times of the executions should give the same number.
 */
function residualOf({ seen }: LoadFacts, clients: number): number | null {
  const spans = seen.executions.flatMap(({ intended, known }) =>
    known === null ? [] : [[intended, known] as const],
  )
  const from = Math.min(...spans.map(([begin]) => begin))
  const to = Math.max(...spans.map(([begin]) => begin))
  if (spans.length === 0 || to <= from) return null
  const sum = sumBy(spans, ([, end]) => Math.min(end, to))
  const begun = sumBy(spans, ([begin]) => begin)
  return Math.abs((sum - begun) / (to - from) - clients) / clients
}

/** The rates at which the curve is drawn, as shares of the capacity. */
const SHARES = [0.2, 0.4, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.975, 1, 1.025, 1.05]
/** From this share of the capacity on, the curve is drawn from the largest simulation. */
const FINE_FROM = 0.92

/** The quantile of the first promise of a time, as a function of the rate. */
function curveOf({
  criteria,
  estimate,
  simulations,
}: CapacitySearch): Pick<CapacityDocument, 'curve' | 'curveOf'> {
  const promise = criteria.find(({ boundMicros }) => boundMicros !== null)
  if (promise === undefined) return { curve: [], curveOf: null }
  const { metric, boundMicros, limit } = promise
  const asked = { metric, boundMs: (boundMicros ?? 0) / MICROS_PER_MS }
  if (estimate?.solution.kind !== 'rate') return { curve: [], curveOf: asked }
  const { system, solution, spread } = estimate
  const saturated = saturationPerHour(system)
  const rates = SHARES.map((share) => share * solution.perHour).filter((rate) => rate < saturated)
  // Near the capacity, only the simulation that found it shows correctly how long executions wait.
  const at = (perHour: number): number | null => {
    const { middle, fine } = simulations
    const simulation = perHour < FINE_FROM * solution.perHour ? middle : fine
    const micros = simulation.responseQuantile(system, perHour, 1 - limit)
    return Number.isFinite(micros) ? micros / MICROS_PER_MS : null
  }
  // The uncertainty about the crew is mostly one of its speed, which acts like a slightly lower or
  // higher rate.
  const width = Math.exp(Math.min(1, Z98 * spread))
  const curve = rates.map((perHour) => ({
    perHour,
    value: at(perHour),
    low: at(perHour / width),
    high: perHour * width >= saturated ? null : at(perHour * width),
  }))
  return { curve, curveOf: asked }
}

/**
 * Says what limits a crew: its workers, something that all executions share, or both; what one more
 * worker would bring; and which promise breaks first.
 */
type Limit = NonNullable<CapacityDocument['limit']>

/**
 * The cap of what is shared over that of the workers: below the first, the workers do not limit the
 * crew, and above the second, nothing else does.
 */
const SHARED_BELOW = 0.9
const WORKERS_ABOVE = 1.1

/** Null where nothing is known: starts are not known, or too few executions ran nearly alone. */
export function limitOf({ learned, estimate, minuteMicros }: CapacitySearch): Limit | null {
  const slowdown = slowdownOf(learned)
  const kind = slowdown && estimate && kindOf(estimate.system, slowdown)
  if (slowdown === null || kind === null) return null
  const { ratio: value, low, high } = slowdown
  const tasks = slowTasksOf(learned).map(({ task, idleMicros, fullMicros }) => {
    return { task, slowdown: fullMicros / idleMicros }
  })
  const unseenAbovePerHour = unseenAbove(learned, minuteMicros)
  return { kind, slowdown: { value, low, high }, tasks, unseenAbovePerHour }
}

function kindOf({ slots, service, shared }: CrewSystem, slowdown: Slowdown): Limit['kind'] | null {
  if (shared === null) {
    if (isSlower(slowdown)) return slowdown.ratio > NOT_OVERLOOKED ? 'shared' : 'both'
    return isDecided(slowdown) ? 'workers' : null
  }
  const ofShared = 1 / shared.demandMicros
  const ofWorkers = slots / meanOf(service.micros)
  if (ofShared < SHARED_BELOW * ofWorkers) return 'shared'
  return ofShared > WORKERS_ABOVE * ofWorkers ? 'workers' : 'both'
}

/**
 * A quota that allows a burst of a minute shows only once the burst is used up. Returns the hourly
 * rate of the lowest one that the longest load of the full crew could not have shown.
 */
function unseenAbove(learned: Learned, minuteMicros: Micros): number | null {
  const longest = longestHold(learned)
  if (longest === null) return null
  const micros = Math.max(0, ...longest.ran.map(({ started }) => started))
  return (throughputPerHour(longest) * micros) / (micros + minuteMicros)
}

/**
 * The most executions per hour that what they share allows, with its 98 % interval: by the times
 * that were measured, and by what else the arrivals of the confirmation may mean.
 */
function sharedPerHourOf({ learned, estimate }: CapacitySearch): CapacityDocument['sharedPerHour'] {
  const slowdown = slowdownOf(learned)
  const shared = estimate?.system.shared ?? null
  if (shared === null || slowdown === null) return null
  const value = MICROS_PER_HOUR / shared.demandMicros
  const ratios = estimate!.others.flatMap(({ system: { shared: other }, weight }) =>
    other === null ? [] : { ratio: other.demandMicros / shared.demandMicros, weight },
  )
  const error = Math.hypot(demandError(shared, slowdown), spreadOfWeighed(ratios))
  const width = Math.exp(Z98 * error)
  return { value, low: value / width, high: value * width }
}

function demandError(shared: SharedDemand, { aloneError, fullError }: Slowdown): number {
  return Math.hypot(shared.byService * aloneError, shared.byFull * fullError)
}

/**
 * What the capacity would be with one more worker: from nothing more, since what lies above the
 * highest throughput was not seen, to what the model allows. Null where no limit is known.
 */
export function oneMoreWorkerOf(
  search: CapacitySearch,
  capacity: RateRange,
): CapacityDocument['oneMoreWorker'] {
  const { estimate, learned, simulations, criteria } = search
  const slowdown = slowdownOf(learned)
  if (estimate === null || slowdown === null || limitOf(search) === null) return null
  const { system } = estimate
  const pace = gainByPace(system, slowdown)
  if (system.shared === null && isSlower(slowdown)) {
    // The times of the full crew would not stay what they are.
    const gain = Math.max(1, pace)
    return { low: capacity.low, high: capacity.high * gain, gain: gain - 1 }
  }
  const perHourOf = (each: CrewSystem): number | undefined =>
    solveNear(simulations.middle, each, criteria, capacity.perHour)?.perHour
  const here = perHourOf(system)
  const [likely, most] = [0, Z98].map((errors) =>
    perHourOf(withOneMore(system, slowdown, errors, search.randomOf('one more'))),
  )
  if (here === undefined || likely === undefined || most === undefined) return null
  // What else the arrivals of the confirmation may mean, at its own capacity.
  const gains = estimate.others
    .filter(({ weight }) => weight >= LIKELY)
    .map(({ system: other }) => {
      const more = perHourOf(withOneMore(other, slowdown, 0, search.randomOf('one more')))
      return (more ?? NaN) / (perHourOf(other) ?? NaN)
    })
  const least = Math.max(1, most / here, ...gains.filter((each) => !Number.isNaN(each)))
  const gain = system.shared === null ? least : Math.max(least, pace)
  const simulated = Math.exp(Z98 * errorOfGain(estimate))
  // The least demand that may be is in the gain already, and no crew does less for one more worker.
  const high = system.shared === null ? capacity.high * gain : capacity.perHour * gain
  return {
    // Clients that try again get in each other's way, the more of them the more.
    low: (capacity.low * Math.min(1, likely / here)) / simulated,
    high: Math.max(capacity.high, high) * simulated,
    gain: gain - 1,
  }
}

/** By how much two simulated capacities, whose quotient the gain is, add to the spread of one. */
function errorOfGain({ spread, spreads }: Estimate): number {
  return Math.hypot(spread, Math.SQRT2 * spreads!.simulated) - spread
}

/** What is at least so likely, beside the likeliest model, may be what the crew is. */
const LIKELY = 0.1

/**
 * The gain where executions become slower with each one beside them, as on a processor that is not
 * yet full. Below this share of what the workers could do, the cap is taken as one.
 */
const PACED_ABOVE = 0.9

function gainByPace({ slots, service, shared }: CrewSystem, { ratio }: Slowdown): number {
  if (slots === 1) return 1
  const share = shared && meanOf(service.micros) / slots / shared.demandMicros
  if (share !== null && share < PACED_ABOVE) return 1
  const slower = 1 + ((ratio - 1) * slots) / (slots - 1)
  return (((slots + 1) / slots) * ratio) / slower
}

/** The crew with one more worker, and with less demand for what is shared by so many errors. */
function withOneMore(
  system: CrewSystem,
  slowdown: Slowdown,
  errors: number,
  random: Random,
): CrewSystem {
  const { shared, service } = system
  const slots = system.slots + 1
  if (shared === null) return { ...system, slots }
  const demandMicros = shared.demandMicros * Math.exp(-errors * demandError(shared, slowdown))
  const own = { slots, shared: { ...shared, demandMicros } }
  const fullMicros = fullServiceMicros(own, drawnWorks(service, random))
  return { ...system, ...own, shared: { ...own.shared, fullMicros } }
}

/** `why` is null where the loads do not tell what executions wait for. */
function bindingOf(
  { estimate, learned, criteria }: CapacitySearch,
  limit: Limit | null,
): CapacityDocument['binding'] {
  if (estimate === null || estimate.solution.kind === 'no-limit') return null
  const { kind, broken } = estimate.solution
  if (broken === null) return { metric: null, why: saidOf(BREAKS, 'saturated', {}) }
  const criterion = criteria[broken]!
  const { metric, boundMicros } = criterion
  if (kind === 'fails-alone') {
    return { metric, why: saidOf(BREAKS, 'alone', { metric, boundMs: optionalMs(boundMicros) }) }
  }
  const isUnknown = limit === null && learned.hidden === null
  if (isUnknown || limit?.kind === 'both') return { metric, why: null }
  const shares = limit?.kind === 'shared'
  const wait = shares ? 'shared' : waitFor(criterion, estimate.system.queueLimit)
  return { metric, why: saidOf(BREAKS, wait, {}) }
}

function waitFor({ boundMicros, bad }: Criterion, queueLimit: number | null): keyof typeof BREAKS {
  if (boundMicros !== null) return 'worker'
  if (bad.includes('rejected') && queueLimit !== null) {
    return queueLimit === 0 ? 'no-worker' : 'full-queue'
  }
  return bad.includes('stuck') ? 'deadline' : 'worker'
}
