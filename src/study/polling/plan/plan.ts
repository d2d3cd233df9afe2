/** What a study of polling will do: where it learns how long executions take, and what is asked. */
import { unreachable } from '../../../base/assert.ts'
import type { Mistake } from '../../../base/mistakes.ts'
import { namedTwice, UserError } from '../../../base/mistakes.ts'
import { MICROS_PER_SECOND } from '../../../base/units.ts'
import { runPlanOf } from '../../../run/plan/facts.ts'
import { prepare } from '../../../run/plan/prepare.ts'
import { engineWith } from '../../../run/options.ts'
import type { RunOptions } from '../../../run/options.ts'
import type { StoredRun } from '../../../run/folder/stored.ts'
import { readRun } from '../../../run/folder/stored.ts'
import { onePlace } from '../../../run/target/chosen-place.ts'
import type { Plan, RateSegment } from '../../../scenario/plan.ts'
import { trialOptions } from '../../frame/conduct/run-options.ts'
import { tellUnused } from '../../frame/conduct/unused.ts'
import { studyCircuit } from '../../frame/target-loss.ts'
import type { LimitsFound } from './limits-found.ts'
import { limitsFound } from './limits-found.ts'
import { mistakesOfARun } from './of-a-run.ts'
import type { PollingOptions } from '../options.ts'
import type { PollingPlan } from './outline.ts'
import type { Wished } from './wish.ts'
import { wishOf } from './wish.ts'

export interface PollingDesign {
  facts: PollingPlan
  /** What is asked, in the wall time of runs at that speed: recorded ones tell it when read. */
  wishAt: (speed: number) => Wished
  /** The runs that are read, in the order given, without their journals. */
  runs: readonly StoredRun[]
  /** The run that is made; null where runs are read. */
  trial: { scenario: string; plan: Plan; changes: Partial<Plan>; options: RunOptions } | null
}

const DEFAULT_SCENARIO = 'steady'
const DEFAULT_EXECUTIONS = 2_000
const EXECUTIONS = { least: 50, most: 20_000 }

/** Throws UserError with every mistake, before anything is sent. */
export async function designPolling(options: PollingOptions): Promise<PollingDesign> {
  const mistakes: Mistake[] = []
  const { run = {} } = options
  const limits = await limitsOf(options, mistakes)
  const { told } = wishOf(options, run.speed ?? 1, limits, mistakes)
  const wishAt = (speed: number): Wished => wishOf(options, speed, limits, [])
  const kind = kindOf(options, mistakes)
  mistakes.push(...unfitting(options, kind))
  const stored = await storedRuns(options, mistakes)
  const trial = kind === 'runs' ? null : await trialOf(options, kind).catch(addedTo(mistakes))
  if (mistakes.length > 0) throw new UserError(mistakes)
  const runs = options.runs ?? []
  if (kind === 'runs' || trial === null) {
    return { facts: { kind, runs, facts: null, wish: told }, wishAt, runs: stored, trial: null }
  }
  const plan = { ...trial.plan, ...trial.changes }
  const facts = runPlanOf(plan, trial.options)
  return { facts: { kind, runs, facts, wish: told }, wishAt, runs: [], trial }
}

async function storedRuns(
  options: PollingOptions,
  mistakes: Mistake[],
): Promise<readonly StoredRun[]> {
  const { runs } = options
  const stored: (StoredRun | null)[] = []
  for (const run of new Set(runs)) stored.push(await readRun(run).catch(addedTo(mistakes)))
  const read = stored.filter((each) => each !== null)
  for (const run of read) tellUnused(run, options)
  return read
}

function addedTo(mistakes: Mistake[]): (error: unknown) => null {
  return (error) => {
    if (!(error instanceof UserError)) throw error
    mistakes.push(...error.mistakes)
    return null
  }
}

async function limitsOf(
  { limits, maxPolls }: PollingOptions,
  mistakes: Mistake[],
): Promise<LimitsFound | null> {
  if (limits === undefined) return null
  if (maxPolls === undefined) return limitsFound(limits).catch(addedTo(mistakes))
  const problem = 'cannot be combined with --max-polls: each of them is the quota'
  mistakes.push({ source: '--limits', path: '', found: limits, problem })
  return null
}

function kindOf(options: PollingOptions, mistakes: Mistake[]): PollingPlan['kind'] {
  const { runs = [], run = {} } = options
  const { profile, target } = run
  if (runs.length === 0) {
    if (profile === undefined && target === undefined) {
      const problem =
        'say what to learn from: folders of runs, --profile NAME for a run in virtual time, ' +
        'or --target URL for a run of a crew'
      mistakes.push({ source: 'polling', path: '', problem })
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
    mistakes.push({ source, path: '', found: given, problem })
  }
  return 'runs'
}

function unfitting(options: PollingOptions, kind: PollingPlan['kind']): Mistake[] {
  const { executions, scenario, runs = [], run = {} } = options
  const mistakes = [...namedTwice(runs), ...(kind === 'runs' ? mistakesOfARun(run) : [])]
  const add = (source: string, problem: string): void => {
    mistakes.push({ source, path: '', problem })
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
    mistakes.push({ source: '--executions', path: '', found: JSON.stringify(executions), problem })
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
  const { scenario = DEFAULT_SCENARIO, executions = DEFAULT_EXECUTIONS, run = {} } = options
  const engine = engineWith(kind === 'virtual' ? 'virtual' : 'node', run.engine ?? {})
  const runOptions = trialOptions(options, engine)
  const plan = await prepare(scenario, runOptions)
  // Here the delays decide, and not what the scenario promises.
  const free = { thresholds: [], confirmShare: 0 }
  switch (kind) {
    case 'virtual': {
      const changes = { ...free, circuit: null, arrivals: lengthened(plan, Number(executions)) }
      return { scenario, plan, changes, options: runOptions }
    }
    case 'target': {
      const changes = { ...free, circuit: studyCircuit(plan.circuit) }
      return { scenario, plan, changes, options: runOptions }
    }
    default:
      return unreachable(kind)
  }
}

/**
 * One constant rate, held until about so many arrivals came after the warm-up; any other load stays
 * as it is.
 */
function lengthened({ arrivals, warmUpMicros }: Plan, executions: number): Plan['arrivals'] {
  const [first, ...others] = arrivals.kind === 'open' ? arrivals.segments : []
  if (arrivals.kind !== 'open' || first === undefined || others.length > 0) return arrivals
  if (!isConstant(first)) return arrivals
  const eachMicros = first.from.perMicros / first.from.count
  const forMicros = Math.ceil(warmUpMicros + executions * eachMicros + MICROS_PER_SECOND)
  return { ...arrivals, segments: [{ ...first, forMicros }] }
}

function isConstant({ from, to }: RateSegment): boolean {
  return from.count > 0 && from.count * to.perMicros === to.count * from.perMicros
}
