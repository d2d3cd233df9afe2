/** Makes the document from what a search learned. */
import { deviationOf, meanOf } from '../../../result/statistics/moments.ts'
import { MICROS_PER_MS } from '../../../base/units.ts'
import type { CapacityDocument, RungTold } from '../document.ts'
import { quotaTextsOf } from './findings.ts'
import { bindingOf, limitOf, oneMoreWorkerOf, sharedPerHourOf } from './limit.ts'
import { taskTimesOf, throughputPerHour } from './learn/learn.ts'
import { byShare, quantilesOf } from './learn/quantiles.ts'
import { scaledOf } from './scaling/cold-start.ts'
import type { Estimate } from './search/estimator.ts'
import { rangesOf } from './search/estimator.ts'
import type { CapacitySearch } from './search/search.ts'
import type { Analysed, CapacityAnswer } from './told.ts'
import { reached } from './verdict.ts'
import type { Learned, LoadFacts } from './learn/learn.ts'
import { parseMetric } from '../../../scenario/thresholds/metrics.ts'
import type { Criterion } from './model/criteria.ts'
import { Z98 } from './model/interval.ts'
import { saturationPerHour } from './model/system.ts'

export function capacityDocument(analysed: Analysed): CapacityDocument {
  const { search, plan, facts } = analysed
  search.conclude()
  const { estimate } = search
  const told = {
    model: estimate === null ? null : modelOf(search, estimate),
    ...rateOf(analysed),
    confirmation: confirmationOf(search),
    scaling: scaledOf(analysed),
    ladder: search.loads.flatMap(({ facts: load }) => rungOf(load, search.learned) ?? []),
    recorded: recordedOf(search),
  }
  return {
    schema: 'crewload/capacity/1',
    study: 'capacity',
    ...facts,
    target: plan.target,
    profile: plan.profile,
    scenario: plan.scenario,
    seed: plan.seed,
    plan,
    probes: search.probes,
    quotaTexts: quotaTextsOf(search.learned),
    ...curveOf(analysed),
    ...reached(analysed, told),
  }
}

type Rates = Omit<CapacityAnswer, 'model' | 'confirmation' | 'scaling' | 'ladder' | 'recorded'>

function rateOf({ search, criteria }: Analysed): Rates {
  const { estimate } = search
  const none = { inFlight: null, binding: null, oneMoreWorker: null, capacity: null }
  if (estimate === null) return { ...none, limit: null, sharedPerHour: null, saturation: null }
  const { solution, system } = estimate
  const { capacity, saturation } = rangesOf(estimate)
  const limit = limitOf(search)
  const binding = bindingOf(search, criteria, limit)
  const sharedPerHour = sharedPerHourOf(system, search.learned)
  const told = { limit, sharedPerHour, saturation, binding }
  if (solution.kind !== 'rate' || capacity === null) return { ...none, ...told }
  const { inFlight } = solution
  const { middle } = search.simulations
  const flights = [capacity.low, capacity.high].map((at) => middle.stay(system, at).inFlight)
  return {
    capacity,
    inFlight: {
      value: inFlight,
      low: Math.min(inFlight, flights[0]!),
      high: Math.max(inFlight, flights[1]!),
    },
    ...told,
    oneMoreWorker: oneMoreWorkerOf(search, criteria, capacity),
  }
}

function modelOf(
  { learned, confirmation }: CapacitySearch,
  estimate: Estimate,
): CapacityAnswer['model'] {
  const { system } = estimate
  const truths = new Set(learned.loads.map(({ seen }) => seen.truth))
  const disagreeing = confirmation?.parts.filter(({ agrees }) => !agrees) ?? []
  return {
    slots: {
      value: system.slots,
      low: learned.hidden?.low ?? system.slots,
      high: learned.hidden?.high ?? system.slots,
    },
    queueLimit: system.queueLimit,
    service: [
      {
        task: null,
        full: quantilesOf(learned.full.micros)!,
        idle: quantilesOf(learned.idle.micros),
      },
      ...taskTimesOf(learned).flatMap(({ task, full, idle }) => {
        const whileFull = quantilesOf(full)
        return whileFull === null ? [] : { task, full: whileFull, idle: quantilesOf(idle) }
      }),
    ],
    serviceByShare: byShare(learned.full.micros, learned.idle.micros),
    cv: deviationOf(learned.full.micros) / meanOf(learned.full.micros),
    neverShare: system.neverShare,
    truth: truths.size === 1 ? [...truths][0]! : 'mixed',
    accepted: confirmation !== null && disagreeing.length === 0,
    disagreement:
      disagreeing.length === 0 ? null : disagreeing.map(({ name }) => PARTS[name]).join('; '),
  }
}

const PARTS: Record<'service' | 'stay' | 'tail' | 'order', string> = {
  service: 'service times differ from the full crew',
  stay: 'executions stay in the crew for a different time than predicted',
  tail: 'the longest stays are not the predicted ones',
  order: 'executions do not begin in the order first come, first served',
}

function recordedOf({ recorded, learned }: CapacitySearch): CapacityAnswer['recorded'] {
  return recorded.map(({ run, target, profile, seen }, i) => {
    const { busy, waited } = learned.loads[i]!
    const { load, executions, truth } = seen
    return {
      run,
      target,
      profile,
      executions: executions.length,
      perHour: load.kind === 'open' ? load.perHour : null,
      running: busy.most,
      waited,
      truth,
    }
  })
}

function confirmationOf({
  confirmation,
  loads,
  replayed,
}: CapacitySearch): CapacityAnswer['confirmation'] {
  const tried = loads.find(({ step }) => step.purpose === 'confirm')?.step.load
  const load = tried ?? replayed?.seen.load
  if (confirmation === null || load?.kind !== 'open') return null
  const { parts, waits, executions } = confirmation
  return {
    run: replayed?.run ?? null,
    perHour: load.perHour,
    executions,
    load: confirmation.load,
    parts: parts.map((part) => Object.assign(inMs(part), { name: part.name, agrees: part.agrees })),
    waits: waits.map((wait) => Object.assign(inMs(wait), { share: wait.share })),
  }
}

interface Spread {
  observed: number
  predicted: number
  low: number
  high: number
}

function inMs({ observed, predicted, low, high }: Spread): Spread {
  return {
    observed: observed / MICROS_PER_MS,
    predicted: predicted / MICROS_PER_MS,
    low: low / MICROS_PER_MS,
    high: high / MICROS_PER_MS,
  }
}

/**
 * Null for an open load. Ends between two polls make executions overlap that did not: no more run
 * at once than there are workers.
 */
export function rungOf(
  facts: LoadFacts,
  { slots, isExact }: Pick<Learned, 'slots' | 'isExact'>,
): RungTold | null {
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
    refused: executions.reduce((sum, { refusals }) => sum + refusals.length, 0),
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
  const sum = spans.reduce((total, [, end]) => total + Math.min(end, to), 0)
  const begun = spans.reduce((total, [begin]) => total + begin, 0)
  return Math.abs((sum - begun) / (to - from) - clients) / clients
}

/** The rates at which the curve is drawn, as shares of the capacity. */
const SHARES = [0.2, 0.4, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.975, 1, 1.025, 1.05]
/** From this share of the capacity on, the curve is drawn from the largest simulation. */
const FINE_FROM = 0.92

type Curve = Pick<CapacityDocument, 'curve' | 'curveOf'>

export function curveOf({
  search,
  criteria,
}: {
  search: CapacitySearch
  criteria: readonly Criterion[]
}): Curve {
  const criterion = criteria.find(({ boundMicros }) => boundMicros !== null)
  const none: Curve = { curve: [], curveOf: null }
  if (criterion === undefined) return none
  const { metric, boundMicros } = criterion
  const asked = { metric, boundMs: (boundMicros ?? 0) / MICROS_PER_MS }
  const { estimate, simulations } = search
  const q = quantileIn(metric)
  if (estimate?.solution.kind !== 'rate' || q === null) return { curve: [], curveOf: asked }
  const { system, solution, spread } = estimate
  const saturated = saturationPerHour(system)
  const rates = SHARES.map((share) => share * solution.perHour).filter((rate) => rate < saturated)
  // Near the capacity, only the simulation that found it shows correctly how long executions wait.
  const at = (perHour: number): number | null => {
    const { middle, fine } = simulations
    const simulation = perHour < FINE_FROM * solution.perHour ? middle : fine
    return msOrNull(simulation.responseQuantile(system, perHour, q))
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

function quantileIn(metric: string): number | null {
  const reference = parseMetric(metric)
  const statistic = reference !== undefined && 'statistic' in reference ? reference.statistic : null
  return statistic?.kind === 'quantile' ? statistic.q : null
}

function msOrNull(micros: number): number | null {
  return Number.isFinite(micros) ? micros / MICROS_PER_MS : null
}
