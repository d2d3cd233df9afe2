/** Makes the document from what a search learned. */
import { timesByOf } from '../../frame/executions/reader.ts'
import { MICROS_PER_MS } from '../../../base/units.ts'
import { deviationOf, meanOf, sumBy } from '../../../result/statistics/moments.ts'
import type { CapacityDocument, ConfirmedWait } from '../document.ts'
import { agrees } from './confirm/confirm.ts'
import type { Learned } from './learn/learn.ts'
import { taskTimesOf, throughputPerHour } from './learn/learn.ts'
import { byShare, quantilesOf } from './learn/quantiles.ts'
import type { LoadFacts } from './learn/seen.ts'
import { bindingOf, limitOf, oneMoreWorkerOf, sharedPerHourOf } from './limit.ts'
import { Z98 } from './model/interval.ts'
import { saturationPerHour } from './model/system.ts'
import { scaledOf } from './scaling/cold-start.ts'
import { rangesOf } from './search/estimator.ts'
import type { CapacitySearch } from './search/search.ts'
import type { CapacityFigures, Searched } from './verdict.ts'
import { judged } from './verdict.ts'

export function capacityDocument(searched: Searched): CapacityDocument {
  const { search, plan, facts } = searched
  search.conclude()
  const figures = figuresOf(search)
  const { target, profile, scenario, seed } = plan
  return {
    schema: 'crewload/capacity/1',
    study: 'capacity',
    ...facts,
    target,
    profile,
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
  return recorded.map(({ run, target, profile, seen }, i) => {
    const { busy, waited } = learned.loads[i]!
    const { load, truth } = seen
    const executions = seen.executions.length
    const perHour = load.kind === 'open' ? load.perHour : null
    return { run, target, profile, executions, perHour, running: busy.most, waited, truth }
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
