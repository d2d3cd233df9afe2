/** Plans a gate: which runs it makes of which side, when it looks, and what it requires. */
import { env } from 'node:process'
import type { Mistake } from '../../../../base/mistakes.ts'
import { UserError, notWhole } from '../../../../base/mistakes.ts'
import { plural } from '../../../../base/numbers.ts'
import { looksOf } from '../../../../result/statistics/comparing/levels.ts'
import { findK6 } from '../../../../run/k6/binary.ts'
import { engineWith, flagsOfOthers } from '../../../../run/options.ts'
import type { Engine, RunOptions } from '../../../../run/options.ts'
import { plannedArrivals, forecastOf } from '../../../../run/plan/forecast.ts'
import { demandCarriable, prepare } from '../../../../run/plan/prepare.ts'
import { loaded } from '../../../../run/scenario/load.ts'
import { engineFor, placeFacts } from '../../../../run/target/chosen-place.ts'
import type { PlanDocument } from '../../../../scenario/plan.schema.ts'
import { canonicalJson, describePlan } from '../../../../scenario/plan-data.ts'
import type { Plan } from '../../../../scenario/plan.ts'
import { FEWEST_RUNS, MOST_RUNS, judgedMetrics, shareOptionOf, termsOf } from '../../options.ts'
import type { StoredResult } from '../../comparable.ts'
import { worseWhen } from '../../metrics.ts'
import type { GateTerms } from '../sentences.ts'
import { readHistory, readBaseline } from '../../gate-files.ts'
import type { GateOptions } from '../options.ts'
import { DEFAULT_RUNS } from '../options.ts'
import { trialOptions } from '../../../frame/conduct/conducting.ts'
import type { GatePlan } from './outline.ts'
import { seedOf, seenBy, totalOf } from './outline.ts'
import { groupedBy } from '../../../../base/collections/counts.ts'

export interface GateDesign {
  plan: GatePlan
  scenario: string
  /** The plan of each run, except for its seed. */
  run: Plan
  engine: Engine
  /** How the runs of each side are made; null where those of the baseline are stored. */
  options: { base: RunOptions | null; new: RunOptions }
  stored: readonly StoredResult[]
}

/**
 * The margin as a multiple of the smallest change that counts: excluding that change itself would
 * take many more runs.
 */
const MARGIN_FACTOR = 2

/**
 * `begun`: the runs of the baseline with which a gate was begun that is resumed; null if it is not
 * known. Throws UserError with every mistake, before anything is sent.
 */
export async function designGate(
  options: GateOptions,
  begun: readonly StoredResult[] | null = null,
): Promise<GateDesign> {
  const mistakes: Mistake[] = [...unfitting(options), ...foreignFlags(options)]
  const terms = gateTerms(options, mistakes)
  const { baseline } = options
  const kept = baseline === undefined ? [] : (begun ?? (await readBaseline(baseline, mistakes)))
  const judged = judgedMetrics(options, kept, mistakes)
  mistakes.push(...withoutWorse(judged))
  if (mistakes.length > 0) throw new UserError(mistakes)
  const engine = engineWith(engineFor(options.run), options.run.engine ?? {})
  if (engine.kind === 'k6') await findK6(options.run.env ?? env)
  const sides = { base: baseOptions(options, engine), new: trialOptions(options, engine) }
  const run = await prepare(loaded(options.scenario), sides.new)
  if (sides.base !== null) await demandCarriable(run, sides.base)
  const stored = fitting(kept, { run, engine, options })
  const facts = forecastOf(run, sides.new)
  const base = await baseOf(options, sides.base, stored)
  // A run in virtual time does not depend on when it is made.
  const isApart = base.kind === 'stored' && engine.kind !== 'virtual'
  const { scenario, updateBaseline = null } = options
  const ownTerms = isApart ? { ...terms, carryOver: true } : terms
  const starts = { base: options.baselineStart ?? null, new: options.start ?? null }
  const total = totalOf(facts, {
    runs: base.kind === 'turns' ? 2 * terms.runs : terms.runs,
    arrivals: arrivalsPerRun(run, terms.runs),
  })
  const sees = base.kind === 'none' ? [] : seenBy(stored, judged, ownTerms)
  const shown = { base, judged, terms: ownTerms, total, sees }
  const plan = { facts, ...shown, updateBaseline, starts }
  return { plan, scenario, run, engine, options: sides, stored }
}

/** Only a place decides which engine it is by default. */
function foreignFlags({ run }: GateOptions): Mistake[] {
  const { profile, engine = {} } = run
  return flagsOfOthers(engine.kind ?? (profile === undefined ? 'node' : 'virtual'), engine)
}

function arrivalsPerRun(run: Plan, runs: number): number | null {
  let sum = 0
  for (let number = 1; number <= runs; number++) {
    const arrivals = plannedArrivals({ ...run, seed: seedOf(run.seed, number) })
    if (arrivals === null) return null
    sum += arrivals
  }
  return sum / runs
}

function gateTerms(options: GateOptions, mistakes: Mistake[]): GateTerms {
  const terms = termsOf(options, mistakes)
  const { smallestChange, smallestDifference, level } = terms
  const margin =
    shareOptionOf('--margin', options.margin, mistakes) ?? MARGIN_FACTOR * smallestChange
  if (margin < smallestChange) {
    const problem = 'must be at least --min-change: a change that does not count cannot be excluded'
    mistakes.push({ source: '--margin', problem })
  }
  const { runs = DEFAULT_RUNS } = options
  mistakes.push(...notWhole('--runs', runs, FEWEST_RUNS, MOST_RUNS))
  const marginDifference = MARGIN_FACTOR * smallestDifference
  return { ...terms, margin, marginDifference, runs, looks: looksOf(runs, FEWEST_RUNS, level) }
}

function sameWay(flag: string): string {
  return `only allowed with ${flag}: both sides are run in the same way`
}

/** What does not go together. */
function unfitting(options: GateOptions): Mistake[] {
  const { baseline, baselineTarget, baselineProfile, updateBaseline, run } = options
  const { start, baselineStart } = options
  const { target, profile } = run
  const sources = [baseline, baselineTarget ?? baselineStart, baselineProfile]
  const startsBase = baselineStart !== undefined
  const isShared = target !== undefined && isOneTarget(target, baselineTarget)
  const rules: [source: string, isBroken: boolean, problem: string][] = [
    ['--baseline', sources.filter((each) => each !== undefined).length !== 1, ONE_BASELINE],
    [
      '--update-baseline',
      updateBaseline !== undefined && baseline === undefined,
      'only allowed with --baseline DIR: nothing else is written',
    ],
    [
      '--baseline-target',
      baselineTarget !== undefined && target === undefined,
      sameWay('--target'),
    ],
    [
      '--baseline-profile',
      baselineProfile !== undefined && profile === undefined,
      sameWay('--profile'),
    ],
    ['--start', start?.trim() === '', 'expected a command'],
    ['--baseline-start', baselineStart?.trim() === '', 'expected a command'],
    [
      '--start',
      start !== undefined && target === undefined,
      'needs --target: the URL at which the started candidate answers',
    ],
    ['--baseline-start', startsBase && target === undefined, sameWay('--target')],
    [
      '--baseline-start',
      startsBase && start === undefined && isShared,
      'needs --start, or a --baseline-target other than --target',
    ],
  ]
  return rules
    .filter(([, isBroken]) => isBroken)
    .map(([source, , problem]) => ({ source, problem }))
}

const ONE_BASELINE =
  'give one baseline. --baseline DIR has its runs (written if there are none). To run ' +
  'alternately: --baseline-target URL, --baseline-start COMMAND or --baseline-profile NAME'

/** Whether both sides use one target, so that only one of them can run at a time. */
function isOneTarget(target: string, baselineTarget = target): boolean {
  return baselineTarget === target
}

function withoutWorse(judged: readonly string[]): Mistake[] {
  return judged
    .filter((name) => worseWhen(name) === null)
    .map((name) => {
      const problem = `${name} cannot be judged: neither direction is worse`
      return { source: '--metrics', problem }
    })
}

function baseOptions(options: GateOptions, engine: Engine): RunOptions | null {
  const { baselineProfile: profile, baselineStart } = options
  const target = options.baselineTarget ?? (baselineStart && options.run.target)
  const { target: _t, profile: _p, tokenSource: _s, ...others } = trialOptions(options, engine)
  if (target !== undefined) return { ...others, ...tokensOfBase(options), target }
  return profile === undefined ? null : { ...others, profile }
}

/** The tokens of the baseline: a deployment mostly has its own. */
function tokensOfBase({
  baselineTokens,
  run,
}: GateOptions): Pick<RunOptions, 'tokens' | 'tokenSource'> {
  const { env, tokens, tokenSource } = run
  const named = (env?.['CREWLOAD_BASELINE_TOKEN'] ?? '').split(/\s+/).filter((each) => each !== '')
  const own = baselineTokens ?? (named.length > 0 ? named : undefined)
  if (own !== undefined) return { tokens: own }
  return {
    ...(tokens === undefined ? {} : { tokens }),
    ...(tokenSource === undefined ? {} : { tokenSource }),
  }
}

async function baseOf(
  { baseline: folder = '', history }: GateOptions,
  turns: RunOptions | null,
  stored: readonly StoredResult[],
): Promise<GatePlan['base']> {
  if (turns !== null) return { kind: 'turns', ...placeFacts(turns) }
  if (stored.length === 0) {
    const before = await readHistory(history ?? folder).catch(() => null)
    return { kind: 'none', folder, gates: before?.gates.length ?? 0 }
  }
  return { kind: 'stored', folder, runs: stored.length }
}

/** The keys in which plans may differ although their times are comparable. */
const FREE = new Set<keyof PlanDocument>([
  'seed',
  'budget',
  'thresholds',
  'undecided',
  'description',
])

interface WantedRuns {
  run: Plan
  engine: Engine
  options: GateOptions
}

/**
 * Returns the stored runs if they have the same load as this gate. If not, they are replaced if
 * that was asked for, and then none are returned; otherwise it throws UserError with every
 * difference.
 */
function fitting(
  stored: readonly StoredResult[],
  { run, engine, options }: WantedRuns,
): readonly StoredResult[] {
  const { updateBaseline, baseline } = options
  const plan = describePlan(run)
  const mistakes = otherLoads(stored, plan, engine)
  const valid = stored.filter(({ result }) => result.verdict.valid).length
  if (mistakes.length === 0 && stored.length > 0 && valid < FEWEST_RUNS) {
    const problem = `contains too few valid runs (${valid}): ${FEWEST_RUNS} or more are needed`
    mistakes.push({ source: '--baseline', found: baseline ?? '', problem })
  }
  if (mistakes.length === 0) return stored
  if (updateBaseline === 'always') return []
  const problem = 'contains runs that cannot be compared; --update-baseline=always replaces them'
  throw new UserError([...mistakes, { source: '--baseline', found: baseline ?? '', problem }])
}

/** Reports each difference once, because a baseline mostly differs in all of its runs alike. */
function otherLoads(
  stored: readonly StoredResult[],
  plan: PlanDocument,
  engine: Engine,
): Mistake[] {
  const different = stored.flatMap(({ folder, result }) => {
    const differ = differences(result.plan, plan)
    const all = result.run.engine === engine.kind ? differ : [...differ, 'engine']
    return all.length === 0 ? [] : { folder, differ: all }
  })
  return groupedBy(different, ({ differ }) => canonicalJson(differ)).map(([, group]) => {
    const { folder, differ } = group[0]!
    const more = group.length === 1 ? '' : `, as ${plural(group.length - 1, 'other run')}`
    const problem = `was measured under a different load (${differ.join(', ')})${more}: the times cannot be compared`
    return { source: folder, problem }
  })
}

/** The keys of a plan whose values differ. */
function differences(before: PlanDocument, now: PlanDocument): string[] {
  return (Object.keys({ ...before, ...now }) as (keyof PlanDocument)[])
    .filter((key) => !FREE.has(key))
    .filter((key) => canonicalJson(before[key]) !== canonicalJson(now[key]))
}
