/**
 * The plan of a recovery test: the scenario's rate as a steady load, and the duration of each part
 * of a trial.
 */
import { isConstant } from '../../../scenario/arrivals/intensity.ts'
import { env as processEnv } from 'node:process'
import type { RecoveryPlan } from '../document.ts'
import { describeNetwork } from '../../../host/virtual/index.ts'
import { isLoopback } from '../../../base/loopback.ts'
import type { Mistake } from '../../../base/mistakes.ts'
import { durationFrom, UserError, notWhole } from '../../../base/mistakes.ts'
import type { Plan, RateSegment, RetryPolicy } from '../../../scenario/plan.ts'
import type { Micros, Rate } from '../../../base/units.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../../base/units.ts'
import { formatDuration, formatShare, plural } from '../../../base/numbers.ts'
import { engineWith, flagsOfOthers } from '../../../run/options.ts'
import type { RunOptions } from '../../../run/options.ts'
import { engineFor, onePlace, placeFacts } from '../../../run/target/chosen-place.ts'
import { prepare } from '../../../run/plan/prepare.ts'
import { loaded } from '../../../run/scenario/load.ts'
import { isPaid } from '../../../run/target/paid.ts'
import { openSimulation } from '../../../run/simulation.ts'
import { MOST_SEEDS } from '../options.ts'
import type { RecoveryOptions } from '../options.ts'
import type { Trigger } from './trigger.ts'
import { trialOptions } from '../../frame/conduct/conducting.ts'
import { triggerOf } from './trigger.ts'

const DAY = 24 * 3_600 * MICROS_PER_SECOND
const VIRTUAL_SEEDS = 20

/** What every run of the test is made from. Times are wall times, already divided by the speed. */
export interface RecoveryDesign {
  /** The plan as the reports describe it. */
  facts: RecoveryPlan
  /** The scenario as it was named. */
  scenario: string
  plan: Plan
  rate: Rate
  trigger: Trigger
  warmUpMicros: Micros
  beforeMicros: Micros
  triggerMicros: Micros
  observeMicros: Micros
  withinMicros: Micros
  /** The options of each run. */
  options: RunOptions
}

/** Throws UserError with every mistake, before anything is sent. */
export async function designRecovery(options: RecoveryOptions): Promise<RecoveryDesign> {
  const { scenario, run } = options
  const engine = engineFor(run)
  const runOptions = trialOptions(options, engineWith(engine, run.engine ?? {}))
  const trigger = triggerOf(options)
  const plan = { ...(await prepare(loaded(scenario), runOptions)), ...NO_EARLY_END }
  const mistakes: Mistake[] = []
  const times = timesOf(options, plan.speed, mistakes)
  const rate = steadyRate(plan, mistakes)
  mistakes.push(...unfitting(options, engine, trigger))
  if (mistakes.length > 0) throw new UserError(mistakes)
  const network =
    engine === 'virtual' ? describeNetwork((await openSimulation(plan, runOptions)).network) : null
  const { warmUpMicros, deadlineMicros, budget } = plan
  return {
    scenario,
    plan,
    rate,
    trigger,
    warmUpMicros,
    ...times,
    options: runOptions,
    facts: {
      ...placeFacts(runOptions, plan.http.headers),
      engine,
      network,
      scenario: plan.name,
      speed: plan.speed,
      wantedPerSecond: (rate.count / rate.perMicros) * MICROS_PER_SECOND,
      trigger: { kind: trigger.kind, words: trigger.words },
      warmUpMs: warmUpMicros / MICROS_PER_MS,
      beforeMs: times.beforeMicros / MICROS_PER_MS,
      triggerMs: times.triggerMicros / MICROS_PER_MS,
      observeMs: times.observeMicros / MICROS_PER_MS,
      withinMs: times.withinMicros / MICROS_PER_MS,
      deadlineMs: deadlineMicros / MICROS_PER_MS,
      budget: { requests: budget.requests, kickoffs: budget.kickoffs },
      client: clientWords(plan.retry),
      ...seriesOf(options, plan, engine === 'virtual'),
      withinAsked: options.within !== undefined,
    },
  }
}

type RecoveryTimes = Pick<
  RecoveryDesign,
  'beforeMicros' | 'triggerMicros' | 'observeMicros' | 'withinMicros'
>

function timesOf(options: RecoveryOptions, speed: number, mistakes: Mistake[]): RecoveryTimes {
  const duration = (source: string, text: string, least: Micros): Micros => {
    const given = { source, text, range: 'up to 24h' }
    return Math.round(durationFrom(given, [least, DAY], mistakes) / speed)
  }
  return {
    beforeMicros: duration('--before', options.before ?? '2m', MICROS_PER_SECOND),
    triggerMicros: duration('--for', options.for ?? '30s', MICROS_PER_MS),
    observeMicros: duration('--observe', options.observe ?? '5m', MICROS_PER_SECOND),
    withinMicros: duration('--within', options.within ?? '2m', 0),
  }
}

/** Many trials cost nothing in virtual time; over sockets each takes its real time. */
function seriesOf(
  { seeds, control, bisect }: RecoveryOptions,
  { seed }: Plan,
  virtual: boolean,
): Pick<RecoveryPlan, 'seeds' | 'control' | 'bisect'> {
  const length = seeds ?? (virtual ? VIRTUAL_SEEDS : 1)
  return {
    seeds: Array.from({ length }, (_, i) => seed + i),
    control: control ?? virtual,
    bisect: bisect ?? virtual,
  }
}

/**
 * Service decides here, over all trials: no threshold of the scenario may end one early, and a crew
 * that looks dead is what the test observes.
 */
export const NO_EARLY_END = { thresholds: [], circuit: null } as const satisfies Partial<Plan>

function steadyRate({ name, arrivals }: Plan, mistakes: Mistake[]): Rate {
  const segments = arrivals.kind === 'open' ? arrivals.segments : []
  const [first, ...others] = segments
  if (first !== undefined && others.length === 0 && isConstant(first)) return first.from
  const problem = 'expected an open load with one constant rate: { rate: "2/s", for: "10m" }'
  mistakes.push({ source: name, path: 'arrivals', problem })
  return { count: 0, perMicros: 1 }
}

function unfitting(
  options: RecoveryOptions,
  engine: 'node' | 'virtual',
  trigger: Trigger,
): Mistake[] {
  const { seeds = 1, run } = options
  const mistakes: Mistake[] = flagsOfOthers(engine, run.engine ?? {})
  mistakes.push(...notWhole('--seeds', seeds, 1, MOST_SEEDS))
  if (engine === 'virtual' && trigger.kind === 'command') {
    const problem = 'only allowed with --engine node: nothing outside can affect virtual time'
    mistakes.push({ source: '--trigger-command', problem })
  }
  const place = onePlace(run)
  const isElsewhere = place.kind === 'target' && !isLoopback(place.target.hostname)
  if (isElsewhere && makesSeveral(options)) mistakes.push(SINGLE_TRIAL)
  return mistakes
}

function makesSeveral({ seeds = 1, control, bisect }: RecoveryOptions): boolean {
  return seeds > 1 || control === true || bisect === true
}

const SINGLE_TRIAL: Mistake = {
  source: '--seeds',
  problem: 'a deployment is tested with a single trial: the budget covers one run',
}

/** Throws UserError for several trials at a deployment: what is on loopback is asked what it is. */
export async function demandSingleTrial(options: RecoveryOptions): Promise<void> {
  const place = onePlace(options.run)
  if (place.kind === 'profile' || !makesSeveral(options)) return
  if (await isPaid(place.target, options.run.env ?? processEnv)) throw new UserError(SINGLE_TRIAL)
}

/**
 * The arrivals of one run: steady from the warm-up to the end of the observation, except for a
 * spike.
 */
export function heldArrivals(
  design: RecoveryDesign,
  sizeMicros: Micros,
  factor: number,
): Plan['arrivals'] {
  const { plan, rate, warmUpMicros, beforeMicros, observeMicros } = design
  const at = (times: number, forMicros: Micros): RateSegment => {
    const each = { ...rate, count: rate.count * times }
    return { from: each, to: each, forMicros }
  }
  const process =
    plan.arrivals.kind === 'open' ? plan.arrivals.process : { kind: 'poisson' as const }
  const segments = [
    at(1, warmUpMicros + beforeMicros),
    at(factor, sizeMicros),
    at(1, observeMicros),
  ]
  return { kind: 'open', segments, process }
}

/** A budget that allows this many retries at any time bounds nothing. */
const NO_BUDGET = 10_000

/**
 * Describes the retries of a plan, for example `up to 3 retries a kickoff, time-outs too; 200 ms
 * doubled to 2.00 s, full jitter; retry budget 10.0 % of first attempts and 10 more in any 10.0 s`.
 */
function clientWords({
  kickoffRetries,
  unknownKickoffs,
  backoff: { initialMicros, factor, maxMicros, jitter },
  budget,
}: RetryPolicy): string {
  if (kickoffRetries === 0) return 'no retry of a kickoff'
  const causes = unknownKickoffs === 'repeat' ? ', time-outs and server errors too' : ''
  const growth =
    factor === 1 || initialMicros === maxMicros
      ? `every ${formatDuration(initialMicros)}`
      : `after ${formatDuration(initialMicros)}, times ${factor} up to ${formatDuration(maxMicros)}`
  const spread = jitter === 'none' ? 'no jitter' : `${jitter} jitter`
  return (
    `up to ${plural(kickoffRetries, 'retry', 'retries')} a kickoff${causes}; ${growth}, ${spread}; ` +
    budgetWords(budget)
  )
}

function budgetWords({ ratio, minimum, windowMicros }: RetryPolicy['budget']): string {
  if (minimum >= NO_BUDGET) return 'no retry budget'
  return (
    `retry budget ${formatShare(ratio)} of first attempts and ` +
    `${plural(minimum, 'more', 'more')} in any ${formatDuration(windowMicros)}`
  )
}
