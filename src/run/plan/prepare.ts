/**
 * Makes the plan of a run from what the user gave: loads and checks the scenario, and applies the
 * budgets of the options.
 */
import { familyOf, metricNamed } from '../../scenario/thresholds/metrics.ts'
import { isLoopback } from '../../base/loopback.ts'
import { demandNone, together, UserError } from '../../base/mistakes.ts'
import { demandTelemetry } from '../../host/telemetry/open.ts'
import type { BudgetPlan, Plan, Threshold } from '../../scenario/plan.ts'
import { boundsSpending } from '../../scenario/prices.ts'
import { MICROS_PER_UNIT } from '../../base/units.ts'
import { rehearse } from '../../scenario/author/rehearsal.ts'
import { demandEarlyAbort } from '../early-abort.ts'
import { leastOf } from '../../engine/sending-budget.ts'
import type { LoadedScenario } from '../scenario/load.ts'
import { chosenEngine } from '../chosen-engine.ts'
import type { RunOptions } from '../options.ts'
import { engineOf } from '../options.ts'
import { onePlace, parseTarget } from '../target/chosen-place.ts'
import { planLoaded } from '../scenario/files.ts'
import { budgetNeeded } from '../target/paid.ts'

/**
 * How `maxCost` bounds what is spent: of a single run by what executions report, where the scenario
 * has prices; else by the estimate alone.
 */
type CostBasis = 'measured' | 'estimated'

/**
 * The plan of a run, checked against everything that can refuse it before something is sent: the
 * scenario and its functions, budgets, the engine, and the files of its place. The last are read
 * while the scenario is loaded. Throws UserError with every mistake.
 */
export async function prepare(
  loading: Promise<LoadedScenario>,
  options: RunOptions,
  spending: CostBasis = 'estimated',
): Promise<Plan> {
  const carriable = async (): Promise<Plan> => {
    const plan = await preparePortable(await loading, options, spending)
    chosenEngine(options).demand(plan, options)
    return plan
  }
  const [plan] = await together(carriable(), demandReadable(options))
  return plan
}

/** The same plan at another place: what refuses it there. Throws UserError with every mistake. */
export async function demandCarriable(plan: Plan, options: RunOptions): Promise<void> {
  demandBudgetIfRemote(options, plan.budget)
  chosenEngine(options).demand(plan, options)
  await demandReadable(options)
}

/** As `prepare`, apart from engine and place: for a script that somebody else carries there. */
export async function preparePortable(
  from: LoadedScenario,
  options: RunOptions,
  spending: CostBasis = 'estimated',
): Promise<Plan> {
  const plan = await planOf(from, options, spending)
  demandRehearsed(plan)
  demandBudgetIfRemote(options, plan.budget)
  demandPrices(plan, from.source)
  demandEarlyAbort(plan, from.source)
  return plan
}

/** The plan alone, independent of engine and target. Throws UserError with every mistake. */
export async function planOf(
  from: LoadedScenario,
  options: RunOptions,
  spending: CostBasis = 'estimated',
): Promise<Plan> {
  const { seed, speed, set } = options
  const plan = await planLoaded(from, { seed, speed, set })
  return {
    ...plan,
    budget: limitedBy(plan, options, spending),
    thresholds: plan.thresholds.map((threshold) => judgedBy(threshold, options.judge)),
    undecided: options.inconclusive ?? plan.undecided,
    http: { ...plan.http, headers: { ...plan.http.headers, ...options.headers } },
  }
}

/** With prices, money bounds the measured cost in place of kickoffs. */
function limitedBy({ budget, prices }: Plan, options: RunOptions, spending: CostBasis): BudgetPlan {
  const { maxCost, costPerKickoff } = options
  const kickoffs = affordable(options)
  if (spending === 'estimated' || prices === undefined || kickoffs === null) {
    return limited(budget, options.budget, kickoffs)
  }
  const [most, perKickoff] = [maxCost!, costPerKickoff!].map((money) => money * MICROS_PER_UNIT)
  return { ...limited(budget, options.budget), cost: { most: most!, perKickoff: perKickoff! } }
}

/** The smaller of each limit and that of the options. `paidFor`: kickoffs; null for any number. */
export function limited(
  budget: BudgetPlan,
  { kickoffs, requests, wallMicros }: RunOptions['budget'] = {},
  paidFor: number | null = null,
): BudgetPlan {
  return {
    kickoffs: leastOf(budget.kickoffs, kickoffs, paidFor),
    requests: leastOf(budget.requests, requests),
    wallMicros: leastOf(budget.wallMicros, wallMicros),
  }
}

/** A default promise has its own rule of judgement. */
function judgedBy(threshold: Threshold, judge: RunOptions['judge']): Threshold {
  return judge === undefined || threshold.source === 'default' ? threshold : { ...threshold, judge }
}

/** The kickoffs that a budget in money pays for; null without one. Throws UserError. */
export function affordable({
  maxCost,
  costPerKickoff,
}: Pick<RunOptions, 'maxCost' | 'costPerKickoff'>): number | null {
  if (maxCost === undefined) return null
  const mistake = (problem: string): UserError =>
    new UserError({ source: '--max-cost', found: String(maxCost), problem })
  if (costPerKickoff === undefined) {
    throw mistake(
      'needs --cost-per-kickoff: to know how many kickoffs that is; with `prices` in the ' +
        'scenario, for executions of unknown cost',
    )
  }
  const kickoffs = affordableKickoffs(maxCost, costPerKickoff)
  if (kickoffs === 0) throw mistake(`is less than one kickoff costs (${costPerKickoff})`)
  return kickoffs
}

/** A budget of 0.3 pays for three kickoffs of 0.1, in spite of binary fractions. */
function affordableKickoffs(maxCost: number, costPerKickoff: number): number {
  const nearest = Math.round(maxCost / costPerKickoff)
  const isWhole = Math.abs(nearest * costPerKickoff - maxCost) <= maxCost * 1e-12
  return isWhole ? nearest : Math.floor(maxCost / costPerKickoff)
}

/**
 * Throws UserError for each function of the author that fails a rehearsal before anything is sent.
 */
function demandRehearsed(plan: Plan): void {
  const { mistakes } = rehearse(plan)
  if (mistakes.length === 0) return
  throw new UserError(
    mistakes.map(({ part, message }) => ({ source: plan.name, path: part, problem: message })),
  )
}

/** A bound on cost can only be judged where tokens have prices. */
function demandPrices({ thresholds, prices }: Plan, source: string): void {
  const problem = 'needs `prices` in the scenario'
  const costs = thresholds.filter(({ metric }) => familyOf(metricNamed(metric)).needs === 'prices')
  if (prices !== undefined) return
  demandNone(costs.map(({ metric }) => ({ source, path: `thresholds.${metric}`, problem })))
}

/**
 * Every kickoff at a real deployment costs somebody money. A target on loopback is asked what it is
 * when the run begins (`demandBudgetIfPaid`), because a plan sends nothing.
 */
function demandBudgetIfRemote({ target }: RunOptions, budget: Plan['budget']): void {
  if (target === undefined || boundsSpending(budget) || isLoopback(parseTarget(target).hostname))
    return
  throw budgetNeeded('a target that is not on this machine needs a budget')
}

/**
 * Checks the target, or reads the files of the fake crew and its network, before anything is
 * started. Throws UserError with every mistake. The reader of profiles is loaded only for a fake
 * crew.
 */
async function demandReadable(options: RunOptions): Promise<void> {
  await together(demandTelemetry(options, engineOf(options).kind === 'virtual'), readable(options))
}

async function readable(options: RunOptions): Promise<void> {
  if (engineOf(options).kind === 'virtual') {
    const { openSimulation } = await import('../simulation.ts')
    await openSimulation({ seed: 0, speed: 1 }, options)
    return
  }
  const place = onePlace(options)
  if (place.kind === 'target') return
  const { loadProfile } = await import('../../../fake-crew/profiles.ts')
  loadProfile(place.profile)
}
