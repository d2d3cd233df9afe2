/** Makes the document from what a search learned. */
import { deviationOf, meanOf } from '../../../result/statistics/moments.ts'
import { MICROS_PER_MS } from '../../../base/units.ts'
import type { CapacityDocument } from '../document.ts'
import { quotaTextsOf } from './hints/quota-texts.ts'
import { bindingOf } from './binding.ts'
import { curveOf } from './curve.ts'
import { limitOf, oneMoreWorkerOf, sharedPerHourOf } from './limit/limit.ts'
import { rungOf } from './learn/rung.ts'
import { taskTimesOf } from './learn/learn.ts'
import { byShare, quantilesOf } from './learn/quantiles.ts'
import { scaledOf } from './scaling/scaled.ts'
import type { Estimate } from './search/estimate.ts'
import { rangesOf } from './search/estimate.ts'
import type { CapacitySearch } from './search/search.ts'
import type { Analysed, CapacityAnswer } from './told.ts'
import { reached } from './verdict.ts'

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
