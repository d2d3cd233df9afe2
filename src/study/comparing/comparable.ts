/** Checks whether two sides can be compared at all, and what else could explain a difference. */
import { profileOf } from '../../execution/record/crew-place.ts'
import type { KeptResult } from '../../result/document.ts'
import type { FactsOf, FindingOf, FindingRule } from '../../result/sentence-tables.ts'
import { findingsBy } from '../../result/sentence-tables.ts'
import type { Obstacle, RunsDiffer } from './sentences.ts'
import { RUN_FINDINGS, SAME, differWords, plansWords } from './sentences.ts'
import { canonicalJson } from '../../scenario/plan-data.ts'
import { groupedBy } from '../../base/collections/counts.ts'

/** A run as a comparison reads it. */
export interface StoredResult {
  /** The folder, as the user named it. */
  folder: string
  result: KeptResult
}

/** The rest would take much memory per run. */
export function keptPart(result: KeptResult): KeptResult {
  const { schema, crewload, run, plan, verdict, arrivals, metrics, distributions, tags } = result
  return { schema, crewload, run, plan, verdict, arrivals, metrics, distributions, tags }
}

export interface ComparedSides {
  base: readonly StoredResult[]
  new: readonly StoredResult[]
}

/** Why nothing can be concluded; empty if something can. */
export function obstacles(sides: ComparedSides): Obstacle[] {
  const speeds = [...new Set(all(sides).map(({ result }) => result.run.speed))]
  return [
    ...invalidRuns(all(sides)),
    ...(speeds.length > 1 ? [{ kind: 'speeds' as const, speeds }] : []),
  ]
}

/** Names the runs that are invalid, by their reasons. */
function invalidRuns(runs: readonly StoredResult[]): Obstacle[] {
  const invalid = runs.filter(({ result }) => !result.verdict.valid)
  const byReason = groupedBy(invalid, ({ result: { verdict } }) =>
    canonicalJson([verdict.outcome, firstReason(verdict)]),
  )
  return byReason.map(([, group]) => {
    const { verdict } = group[0]!.result
    const folders = group.map(({ folder }) => folder)
    const { outcome } = verdict
    return { kind: 'invalid-runs', folders, outcome, because: firstReason(verdict) }
  })
}

export function firstReason({ reasons }: KeptResult['verdict']): RunFailed['because'] {
  return reasons[0] ?? null
}

type RunFailed = FactsOf<(typeof RUN_FINDINGS)['runs-failed']>

interface Doubted {
  sides: ComparedSides
  /** What is compared on purpose. */
  meant: readonly (typeof SAME)[number][]
}

const RULES: readonly FindingRule<typeof RUN_FINDINGS, Doubted>[] = [
  ['runs-differ', different],
  ['machines-differ', ({ sides }) => otherMachines(sides)],
  ['plans-differ', ({ sides }) => changedPlans(sides)],
  ['run-cut', ({ sides }) => cutRuns(sides)],
  ['runs-failed', ({ sides }) => failedRuns(sides)],
  ['run-copied', ({ sides }) => copies(sides)],
]

/** Says what else could explain a difference; `meant` names what is compared on purpose. */
export function doubts(
  sides: ComparedSides,
  meant: Doubted['meant'] = [],
): FindingOf<typeof RUN_FINDINGS>[] {
  return findingsBy(RUN_FINDINGS, RULES, { sides, meant })
}

/** How runs differ beside their seeds, first in what they ran; null if they do not. */
export function unlikeness(sides: ComparedSides): string | null {
  const [first] = different({ sides, meant: [] })
  if (first !== undefined) return differWords(first)
  const plans = changedPlans(sides)
  return plans && plansWords(plans)
}

function different({ sides, meant }: Doubted): RunsDiffer[] {
  const runs = all(sides).map(({ result }) => result.run)
  const asked = SAME.filter((what) => !meant.includes(what))
  return asked.flatMap((what) => {
    const values = [...new Set(runs.map((run) => String(factOf(run, what) ?? 'none')))]
    return values.length > 1 ? [{ what, values }] : []
  })
}

function factOf(run: KeptResult['run'], what: (typeof SAME)[number]): string | number | null {
  return what === 'profile' ? profileOf(run.place) : run[what]
}

/**
 * Warns if the runs name several machines; runs in virtual time, and merged instances, name none.
 */
function otherMachines(sides: ComparedSides): { machines: string[] } | null {
  const machines = [...new Set(all(sides).flatMap(({ result }) => result.run.machine ?? []))]
  return machines.length > 1 ? { machines } : null
}

/**
 * Counts different plans, apart from seeds, which must vary for chance to show, and budgets, which
 * only end a run.
 */
function changedPlans(sides: ComparedSides): { plans: number } | null {
  const results = all(sides).map(({ result }) => result)
  const isOneScenario = new Set(results.map(({ run }) => run.scenario)).size === 1
  const plans = new Set(
    results.map(({ plan }) => canonicalJson({ ...plan, seed: null, budget: null })),
  ).size
  return isOneScenario && plans > 1 ? { plans } : null
}

function cutRuns(sides: ComparedSides): { folder: string }[] {
  const cut = all(sides).filter(({ result }) => result.run.stopped !== null)
  return cut.map(({ folder }) => ({ folder }))
}

/**
 * Warns about runs that failed. Their measurements are good, but they do not show how the crew
 * should behave.
 */
function failedRuns(sides: ComparedSides): RunFailed[] {
  return named(sides).flatMap(([side, runs]) => {
    const verdicts = runs.map(({ result }) => result.verdict).filter(hasFailed)
    if (verdicts.length === 0) return []
    const [because = null] = verdicts.flatMap((verdict) => firstReason(verdict) ?? [])
    return [{ side, failed: verdicts.length, runs: runs.length, because }]
  })
}

/** Whether a run failed by its own promises; one that is merely undecided has not. */
export function hasFailed({ outcome }: Pick<KeptResult['verdict'], 'outcome'>): boolean {
  return outcome === 'failed' || outcome === 'unreachable'
}

/** Finds runs that are copies: in virtual time, one seed gives one run. */
function copies(sides: ComparedSides): FactsOf<(typeof RUN_FINDINGS)['run-copied']>[] {
  return named(sides).flatMap(([side, all]) => {
    const virtual = all.filter(({ result }) => result.run.engine === 'virtual')
    const runs = virtual.length
    const seeds = new Set(virtual.map(({ result }) => result.run.seed)).size
    return seeds < runs ? [{ side, runs, seeds }] : []
  })
}

/**
 * Warns if one side was measured after the other. A machine that warms up, or a crew that drifts,
 * then changes all runs of a side alike, and no statistic over few runs can tell that from a
 * change. Null if the runs of the sides alternated, or do not depend on when they were made, as in
 * virtual time.
 */
export function apart({ base, new: next }: ComparedSides): { first: keyof ComparedSides } | null {
  const [before = [], after = []] = [base, next].map((side) =>
    side
      .filter(({ result }) => result.run.engine !== 'virtual')
      .map(({ result }) => Date.parse(result.run.startedAt)),
  )
  if (before.length === 0 || after.length === 0) return null
  if (Math.max(...before) < Math.min(...after)) return { first: 'base' }
  return Math.max(...after) < Math.min(...before) ? { first: 'new' } : null
}

function named({ base, new: next }: ComparedSides): [keyof ComparedSides, ComparedSides['base']][] {
  return [
    ['base', base],
    ['new', next],
  ]
}

function all({ base, new: next }: ComparedSides): readonly StoredResult[] {
  return [...base, ...next]
}
