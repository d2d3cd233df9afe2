/** Plans what a search for capacity will do at most, before anything is sent. */
import { storedRuns } from '../../frame/conduct/past-runs.ts'
import { env } from 'node:process'
import type { Mistake } from '../../../base/mistakes.ts'
import { UserError } from '../../../base/mistakes.ts'
import type { Micros } from '../../../base/units.ts'
import {
  MICROS_PER_MS,
  MICROS_PER_SECOND,
  parseRate,
  parseShare,
  RATE_HELP,
} from '../../../base/units.ts'
import { findK6 } from '../../../run/k6/binary.ts'
import { engineWith, flagsOfOthers } from '../../../run/options.ts'
import type { RunOptions } from '../../../run/options.ts'
import { planOf, prepare } from '../../../run/plan/prepare.ts'
import { loaded } from '../../../run/scenario/load.ts'
import { engineFor, placeFacts } from '../../../run/target/chosen-place.ts'
import type { Plan } from '../../../scenario/plan.ts'
import type { Criterion } from '../analyse/model/criteria.ts'
import type { CapacityPlan } from '../document.ts'
import type { CapacityOptions } from '../options.ts'
import { DEFAULTS } from '../options.ts'
import { trialOptions } from '../../frame/conduct/conducting.ts'
import { RESULT_FILE } from '../../../run/folder/folder.ts'
import type { StoredRun } from '../../../run/folder/stored.ts'
import { atSpeed, parseThreshold } from '../../../scenario/thresholds/thresholds.ts'
import { ANSWERABLE, criterionOf } from '../analyse/model/criteria.ts'

export interface Design {
  facts: CapacityPlan
  /** The scenario, as the user named it. */
  scenario: string
  plan: Plan
  /** Whether the user limited the kickoffs; if not, the default limit applies. */
  isLimited: boolean
  criteria: readonly Criterion[]
  maxDurationMicros: Micros | null
  /** The number of simulated executions at each rate. */
  simulated: number
  options: RunOptions
}

const DAY_MICROS = 24 * 3_600 * MICROS_PER_SECOND

/** The default budgets; virtual time costs nothing, and may use more. */
const DEFAULT_KICKOFFS = { virtual: 20_000, node: 5_000, k6: 5_000 }
/** Nobody waits for virtual time. A real crew of a few workers needs hours for its kickoffs. */
const DEFAULT_DURATION = { virtual: null, none: null, node: DAY_MICROS, k6: DAY_MICROS }
const WITHIN = { least: 0.005, most: 0.5 }
const FEWEST_KICKOFFS = 100
const SIMULATED = 1_000_000

/** Throws UserError with every mistake, before anything is sent. */
export async function designCapacity(options: CapacityOptions): Promise<Design> {
  const mistakes: Mistake[] = []
  const { from = [], run } = options
  const { costPerKickoff: cost } = run
  const engine = engineOf(options)
  const stored = await storedRuns(from, mistakes, options)
  mistakes.push(...stored.flatMap((each) => notEvidence(each, run.speed) ?? []))
  const criteria = criteriaOf(options, mistakes)
  const asked = askedOf(options, engine, mistakes)
  const sent = engineWith(engine === 'none' ? 'node' : engine, run.engine ?? {})
  const runOptions = trialOptions(options, sent)
  const plan = await planned(options.scenario, runOptions, mistakes, engine)
  const { speed, budget } = plan
  if (engine === 'k6') await findK6(run.env ?? env)
  const kickoffs = kickoffsOf(plan, engine)
  const maxDurationMicros = budget.wallMicros ?? DEFAULT_DURATION[engine]
  return {
    scenario: options.scenario,
    plan: { ...plan, budget: { ...budget, kickoffs } },
    isLimited: budget.kickoffs !== null,
    criteria,
    maxDurationMicros,
    simulated: options.simulated ?? SIMULATED,
    options: runOptions,
    facts: {
      ...(engine === 'none' ? RUNS_ALONE : placeFacts(runOptions, plan.http.headers)),
      engine,
      from: [...from],
      scenario: plan.name,
      seed: plan.seed,
      speed,
      slo: criteria.map(({ text }) => text),
      ...asked,
      deadlineMs: plan.deadlineMicros / MICROS_PER_MS,
      budget: { requests: engine === 'none' ? 0 : budget.requests, kickoffs },
      maxDurationMs: maxDurationMicros === null ? null : maxDurationMicros / MICROS_PER_MS,
      cost: cost === undefined ? null : cost * kickoffs,
    },
  }
}

const RUNS_ALONE = { place: null }

/** Throws UserError if there are too few. */
function kickoffsOf({ budget }: Plan, engine: CapacityPlan['engine']): number {
  if (engine === 'none') return 0
  const kickoffs = budget.kickoffs ?? DEFAULT_KICKOFFS[engine]
  if (kickoffs >= FEWEST_KICKOFFS) return kickoffs
  const problem = `expected ${FEWEST_KICKOFFS} or more: fewer show nothing about a crew’s capacity`
  throw new UserError({ source: '--max-kickoffs', found: `${kickoffs}`, problem })
}

/** Mistakes of the scenario are reported together with those that were found before. */
async function planned(
  scenario: string,
  options: RunOptions,
  mistakes: readonly Mistake[],
  engine: CapacityPlan['engine'],
): Promise<Plan> {
  try {
    const from = loaded(scenario)
    const plan = await (engine === 'none' ? planOf(await from, options) : prepare(from, options))
    if (mistakes.length > 0) throw new UserError(mistakes)
    return plan
  } catch (error) {
    if (!(error instanceof UserError) || error.mistakes === mistakes) throw error
    const others = error.mistakes.filter((mistake) => !mistakes.includes(mistake))
    throw new UserError([...mistakes, ...others])
  }
}

/** A study of past runs alone needs no engine. */
function engineOf({ from = [], run }: CapacityOptions): CapacityPlan['engine'] {
  const { target, profile } = run
  if (from.length > 0 && target === undefined && profile === undefined) return 'none'
  return engineFor(run)
}

type AskedCapacity = Pick<CapacityPlan, 'within' | 'expectedPerHour' | 'maxInFlight'>

function askedOf(
  options: CapacityOptions,
  engine: CapacityPlan['engine'],
  mistakes: Mistake[],
): AskedCapacity {
  const { within = DEFAULTS.within, expect, maxInFlight = DEFAULTS.maxInFlight, run } = options
  const { engine: asked = {}, speed = 1 } = run
  const add = (source: string, found: unknown, problem: string): void => {
    mistakes.push({ source, found: String(found), problem })
  }
  const share = parseShare(within)
  if (share === undefined || share < WITHIN.least || share > WITHIN.most) {
    add('--within', within, 'expected a share from 0.5% to 50%')
  }
  const rate = expect === undefined ? null : parseRate(expect)
  if (rate === undefined || rate?.count === 0) add('--expect', expect, `expected ${RATE_HELP}`)
  if (engine === 'none' && asked.kind !== undefined) {
    add(
      '--engine',
      asked.kind,
      'expected --target or --profile with it: without them nothing is sent',
    )
  }
  mistakes.push(...flagsOfOthers(engine === 'none' ? null : engine, asked))
  const hour = 3_600 * MICROS_PER_SECOND
  return {
    within: share ?? WITHIN.least,
    expectedPerHour: rate == null ? null : (speed * rate.count * hour) / rate.perMicros,
    maxInFlight,
  }
}

const NO_RESULT =
  `has no ${RESULT_FILE}. "crewload resume" continues a run that was cut, and "crewload report ` +
  'render" writes the result of any other again'

/** Why a run cannot be evidence; its executions are not read. */
function notEvidence({ folder, result }: StoredRun, studySpeed = 1): Mistake | null {
  const refused = (problem: string): Mistake => ({ source: folder, problem })
  if (result === null) return refused(NO_RESULT)
  const { speed } = result.run
  if (speed !== studySpeed) return refused(`is not evidence: ${speedWords(speed)}`)
  if (result.verdict.outcome !== 'invalid') return null
  return refused('is not evidence: its verdict is INVALID, so its figures cannot be trusted')
}

/** Times are read as measured, so runs and study have one speed. */
function speedWords(speed: number): string {
  return `it ran at speed ${speed}, and this study does not: give --speed ${speed}`
}

/** The promises to users: `execution.p95 < 120s, outcome.unserved < 2%`. */
const SOURCE = '--slo'

/** Adds every mistake to `mistakes`. A time-lapse divides their times. */
export function criteriaOf(
  { slo, run: { speed = 1 } }: Pick<CapacityOptions, 'slo' | 'run'>,
  mistakes: Mistake[],
): Criterion[] {
  const parts = slo.split(',').map((part) => part.trim())
  return parts.flatMap((part) => {
    const [, metric, comparison] = /^([^\s<>]+)\s*([<>].*)$/.exec(part) ?? []
    if (metric === undefined || comparison === undefined) {
      const problem = 'expected promises like "execution.p95 < 120s, outcome.unserved < 2%"'
      mistakes.push({ source: SOURCE, found: `"${part}"`, problem })
      return []
    }
    const threshold = parseThreshold(metric, comparison)
    if ('problem' in threshold) {
      const { problem, nearest } = threshold
      const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`
      mistakes.push({ source: SOURCE, path: metric, found: part, problem: `${problem}${hint}` })
      return []
    }
    const criterion = criterionOf(atSpeed(threshold, speed))
    if (criterion !== null) return criterion
    const problem = isUpsideDown(metric, comparison)
      ? 'sets a lower bound on a metric that should be small: write < instead of >'
      : `is unknown before the load is applied; expected one of ${ANSWERABLE}`
    mistakes.push({ source: SOURCE, path: metric, found: part, problem })
    return []
  })
}

/** Whether it would be a promise if its bound were an upper one. */
function isUpsideDown(metric: string, comparison: string): boolean {
  if (!comparison.startsWith('>')) return false
  const turned = parseThreshold(metric, comparison.replace('>', '<'))
  return !('problem' in turned) && criterionOf(turned) !== null
}
