/** What a study of polling will do: where it learns how long executions take, and what is asked. */
import { isConstant } from '../../../scenario/arrivals/intensity.ts'
import { storedRuns } from '../../frame/conduct/past-runs.ts'
import type { Mistake } from '../../../base/mistakes.ts'
import { addedTo, UserError } from '../../../base/mistakes.ts'
import { flagsGiven } from '../../../base/options/table.ts'
import { MICROS_PER_SECOND } from '../../../base/units.ts'
import { forecastOf } from '../../../run/plan/forecast.ts'
import { prepare } from '../../../run/plan/prepare.ts'
import { loaded } from '../../../run/scenario/load.ts'
import { DIALECT, engineWith, PLAN } from '../../../run/options.ts'
import type { RunOptions } from '../../../run/options.ts'
import type { StoredRun } from '../../../run/folder/stored.ts'
import { onePlace } from '../../../run/target/chosen-place.ts'
import type { Plan } from '../../../scenario/plan.ts'
import { trialOptions, studyCircuit } from '../../frame/conduct/conducting.ts'
import { lapsedGoal, limitsFound, goalOf } from './goal.ts'
import { DEFAULT_SCENARIO, EXECUTIONS } from '../options.ts'
import type { PollingOptions, PollingPlan } from '../options.ts'
import type { PollingGoal } from '../document.ts'

export interface PollingDesign {
  facts: PollingPlan
  /** What is asked at real speed: recorded runs tell theirs when they are read. */
  goal: PollingGoal
  /** The runs that are read, in the order given, without their journals. */
  runs: readonly StoredRun[]
  /** The run that is made; null where runs are read. */
  trial: { scenario: string; plan: Plan; changes: Partial<Plan>; options: RunOptions } | null
}

/** Throws UserError with every mistake, before anything is sent. */
export async function designPolling(options: PollingOptions): Promise<PollingDesign> {
  const mistakes: Mistake[] = []
  const { run = {} } = options
  const limits = await limitsOf(options, mistakes)
  const goal = goalOf(options, limits, mistakes)
  const kind = kindOf(options, mistakes)
  mistakes.push(...unfitting(options, kind))
  const stored = await storedRuns(options.runs ?? [], mistakes, options)
  const trial = kind === 'runs' ? null : await trialOf(options, kind).catch(addedTo(mistakes))
  if (mistakes.length > 0) throw new UserError(mistakes)
  const facts =
    trial === null ? null : forecastOf({ ...trial.plan, ...trial.changes }, trial.options)
  const asked = lapsedGoal(goal, run.speed ?? 1)
  return {
    facts: { kind, runs: options.runs ?? [], facts, goal: asked },
    goal,
    runs: stored,
    trial,
  }
}

async function limitsOf(
  { limits, maxPolls }: PollingOptions,
  mistakes: Mistake[],
): Promise<PollingGoal['quota']> {
  if (limits === undefined) return null
  if (maxPolls === undefined) return limitsFound(limits).catch(addedTo(mistakes))
  const problem = 'cannot be combined with --max-polls: each of them is the quota'
  mistakes.push({ source: '--limits', found: limits, problem })
  return null
}

function kindOf(options: PollingOptions, mistakes: Mistake[]): PollingPlan['kind'] {
  const { runs = [], run = {} } = options
  const { profile, target } = run
  if (runs.length === 0) {
    if (profile === undefined && target === undefined) {
      const problem =
        'say what to learn from: folders of runs, --profile NAME for virtual time, ' +
        'or --target URL for a crew'
      mistakes.push({ source: 'polling', problem })
      return 'runs'
    }
    return onePlace(run).kind === 'profile' ? 'virtual' : 'target'
  }
  for (const [source, given] of [
    ['--profile', profile],
    ['--target', target],
  ] as const) {
    if (given === undefined) continue
    const problem = 'cannot be combined with run folders: learn from one source'
    mistakes.push({ source, found: given, problem })
  }
  return 'runs'
}

function unfitting(options: PollingOptions, kind: PollingPlan['kind']): Mistake[] {
  const { executions, scenario, run = {} } = options
  const table = { dialect: DIALECT, ...PLAN }
  const mistakes = kind === 'runs' ? flagsGiven(table, run, NO_RUN) : []
  const add = (source: string, problem: string): void => {
    mistakes.push({ source, problem })
  }
  if (kind === 'runs' && scenario !== undefined) {
    add('--scenario', 'goes with --profile or --target: a run that was made had its own')
  }
  if (kind !== 'virtual' && executions !== undefined) {
    add('--executions', 'goes with --profile: at a target, the scenario and --max-kickoffs decide')
  }
  if (kind !== 'virtual' && run.engine?.network !== undefined) {
    add('--network', 'goes with --profile: it is what virtual time simulates')
  }
  if (executions !== undefined && !isAllowed(Number(executions))) {
    const problem = `expected a whole number from ${EXECUTIONS.least} to ${EXECUTIONS.most}`
    mistakes.push({ source: '--executions', found: JSON.stringify(executions), problem })
  }
  return mistakes
}

function isAllowed(executions: number): boolean {
  const { least, most } = EXECUTIONS
  return Number.isSafeInteger(executions) && executions >= least && executions <= most
}

async function trialOf(
  options: PollingOptions,
  kind: 'virtual' | 'target',
): Promise<NonNullable<PollingDesign['trial']>> {
  const { scenario = DEFAULT_SCENARIO, executions = EXECUTIONS.otherwise, run = {} } = options
  const isVirtual = kind === 'virtual'
  const engine = engineWith(isVirtual ? 'virtual' : 'node', run.engine ?? {})
  const runOptions = trialOptions(options, engine)
  const plan = await prepare(loaded(scenario), runOptions)
  const changes = isVirtual
    ? { circuit: null, arrivals: lengthened(plan, Number(executions)) }
    : { circuit: studyCircuit(plan.circuit) }
  // Here the delays decide, and not what the scenario promises.
  const free = { thresholds: [], confirmShare: 0 }
  return { scenario, plan, changes: { ...free, ...changes }, options: runOptions }
}

/**
 * One constant rate, held until about so many arrivals came after the warm-up; any other load stays
 * as it is.
 */
function lengthened({ arrivals, warmUpMicros }: Plan, executions: number): Plan['arrivals'] {
  const [first, ...others] = arrivals.kind === 'open' ? arrivals.segments : []
  if (arrivals.kind !== 'open' || first === undefined || others.length > 0) return arrivals
  if (first.from.count === 0 || !isConstant(first)) return arrivals
  const eachMicros = first.from.perMicros / first.from.count
  const forMicros = Math.ceil(warmUpMicros + executions * eachMicros + MICROS_PER_SECOND)
  return { ...arrivals, segments: [{ ...first, forMicros }] }
}

/** Of a flag of a run, where run folders are read. */
export const NO_RUN = 'goes with --profile or --target: run folders are read, and nothing is sent'
