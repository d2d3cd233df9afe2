/** Checks whether two sides can be compared at all, and what else could explain a difference. */
import type { ResultDocument } from '../../result/document.ts'
import { plural } from '../../base/numbers.ts'
import { capital, listed } from '../../base/text.ts'
import type { FindingOf, FindingRule } from '../frame/findings.ts'
import { findingsBy } from '../frame/findings.ts'
import { RUN_FINDINGS } from './shapes.ts'
import { groupedBy } from '../../base/collections/counts.ts'

/** A run as a comparison reads it. */
export interface StoredResult {
  /** The folder, as the user named it. */
  folder: string
  result: ComparedResult
}

/** The part of a result that a comparison reads; the rest would take much memory per run. */
export type ComparedResult = Pick<
  ResultDocument,
  | 'schema'
  | 'crewload'
  | 'run'
  | 'plan'
  | 'verdict'
  | 'arrivals'
  | 'metrics'
  | 'distributions'
  | 'tags'
>

export function comparedPart(result: ComparedResult): ComparedResult {
  const { schema, crewload, run, plan, verdict, arrivals, metrics, distributions, tags } = result
  return { schema, crewload, run, plan, verdict, arrivals, metrics, distributions, tags }
}

export interface ComparedSides {
  base: readonly StoredResult[]
  new: readonly StoredResult[]
}

/** Why nothing can be concluded. */
export interface Obstacle {
  message: string
  /** It begins with a capital letter, unless with the name of a folder. */
  sentence: string
}

export function obstacleOf(message: string): Obstacle {
  return { message, sentence: `${capital(message)}.` }
}

/** Empty if something can be concluded. */
export function obstacles(sides: ComparedSides): Obstacle[] {
  const speeds = [...new Set(all(sides).map(({ result }) => result.run.speed))]
  const different = `the runs have different speeds (${listed(speeds.map(String))})`
  return [
    ...invalidRuns(all(sides)),
    ...(speeds.length > 1 ? [obstacleOf(`${different}: their times cannot be compared`)] : []),
  ]
}

/** Names the runs that are invalid, in one sentence for each reason. */
function invalidRuns(runs: readonly StoredResult[]): Obstacle[] {
  const invalid = runs.filter(({ result }) => !result.verdict.valid)
  const byReason = groupedBy(invalid, ({ result: { verdict } }) => {
    const why = verdict.reasons[0]?.message ?? 'its measurement cannot be trusted'
    return `${verdict.outcome.toUpperCase()}: ${why}`
  })
  return byReason.map(([verdict, group]) => {
    const folders = listed(group.map(({ folder }) => folder))
    const message = `${folders} ${group.length > 1 ? 'are' : 'is'} ${verdict}`
    return { message, sentence: `${message}.` }
  })
}

type Run = ResultDocument['run']

const SAME: readonly (readonly [what: string, read: (run: Run) => string | null])[] = [
  ['scenarios', ({ scenario }) => scenario],
  ['engines', ({ engine }) => engine],
  ['profiles', ({ profile }) => profile],
  ['versions of Node', ({ node }) => node],
  ['numbers of instances', ({ instances }) => String(instances)],
]

interface Doubted {
  sides: ComparedSides
  /** What is compared on purpose. */
  meant: readonly string[]
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
  meant: readonly string[] = [],
): FindingOf<typeof RUN_FINDINGS>[] {
  return findingsBy(RUN_FINDINGS, RULES, { sides, meant })
}

/** How runs differ beside their seeds, first in what they ran; null if they do not. */
export function unlikeness(sides: ComparedSides): string | null {
  return different({ sides, meant: [] })[0] ?? changedPlans(sides)
}

function different({ sides, meant }: Doubted): string[] {
  const runs = all(sides).map(({ result }) => result.run)
  const asked = SAME.filter(([what]) => !meant.includes(what))
  return asked.flatMap(([what, read]) => {
    const values = [...new Set(runs.map((run) => read(run) ?? 'none'))]
    return values.length > 1 ? [`the runs have different ${what} (${listed(values)})`] : []
  })
}

/**
 * Warns if the runs name several machines; runs in virtual time, and merged instances, name none.
 */
function otherMachines(sides: ComparedSides): string | null {
  const machines = [...new Set(all(sides).flatMap(({ result }) => result.run.machine ?? []))]
  return machines.length > 1
    ? `the runs were made on different machines: ${machines.join('; ')}`
    : null
}

/**
 * Names the parts in which plans differ, except for seeds, which must vary for chance to show, and
 * budgets, which only end a run.
 */
function changedPlans(sides: ComparedSides): string | null {
  const results = all(sides).map(({ result }) => result)
  const isOneScenario = new Set(results.map(({ run }) => run.scenario)).size === 1
  const plans = new Set(
    results.map(({ plan }) => JSON.stringify({ ...plan, seed: null, budget: null })),
  ).size
  return isOneScenario && plans > 1
    ? `the scenario is not the same in all runs: it has ${plans} different plans`
    : null
}

function cutRuns(sides: ComparedSides): string[] {
  const cut = all(sides).filter(({ result }) => result.run.stopped !== null)
  return cut.map(({ folder }) => `${folder} was stopped before its end`)
}

/**
 * Warns about runs that failed. Their measurements are good, but they do not show how the crew
 * should behave.
 */
function failedRuns(sides: ComparedSides): string[] {
  return named(sides).flatMap(([name, side]) => {
    const failed = side.filter(({ result }) => hasFailed(result.verdict))
    const [first] = failed.flatMap(({ result }) => result.verdict.reasons)
    if (failed.length === 0) return []
    const why = first === undefined ? '' : `: ${first.message}`
    const meaning =
      name === 'base'
        ? '; a candidate that is equally bad is not worse, and that proves nothing good'
        : ''
    return [`${failedWords(failed.length, side.length, name)}${why}${meaning}`]
  })
}

/** Counts failed runs: `3 of the 8 base runs failed by their own verdict`. */
export function failedWords(failed: number, all: number, side: string): string {
  if (all === 1) return `the ${side} run failed by its own verdict`
  const which = failed === all ? `all ${all}` : `${failed} of the ${all}`
  return `${which} ${side} runs failed by their own verdict`
}

/** Whether a run failed by its own promises; one that is merely undecided has not. */
export function hasFailed({ outcome }: Pick<ResultDocument['verdict'], 'outcome'>): boolean {
  return outcome === 'failed' || outcome === 'unreachable'
}

/** Names runs that are copies: in virtual time, one seed gives one run. */
function copies(sides: ComparedSides): string[] {
  return named(sides).flatMap(([name, side]) => {
    const virtual = side.filter(({ result }) => result.run.engine === 'virtual')
    const seeds = new Set(virtual.map(({ result }) => result.run.seed)).size
    return seeds < virtual.length
      ? [
          `the ${plural(virtual.length, `${name} run`)} in virtual time have only ` +
            `${plural(seeds, 'seed')}, and show nothing about chance`,
        ]
      : []
  })
}

/**
 * Warns if one side was measured after the other. A machine that warms up, or a crew that drifts,
 * then changes all runs of a side alike, and no statistic over few runs can tell that from a
 * change. Null if the runs of the sides alternated, or do not depend on when they were made, as in
 * virtual time.
 */
export function apart({ base, new: next }: ComparedSides): string | null {
  const [before, after] = [base, next].map((side) =>
    side
      .filter(({ result }) => result.run.engine !== 'virtual')
      .map(({ result }) => Date.parse(result.run.startedAt)),
  )
  if (before === undefined || after === undefined) return null
  if (before.length === 0 || after.length === 0) return null
  const isApart =
    Math.max(...before) < Math.min(...after) || Math.max(...after) < Math.min(...before)
  if (!isApart) return null
  return 'one side was run after the other, so drift of a machine or a crew looks like a change'
}

function named({
  base,
  new: next,
}: ComparedSides): readonly (readonly [string, ComparedSides['base']])[] {
  return [
    ['base', base],
    ['new', next],
  ]
}

function all({ base, new: next }: ComparedSides): readonly StoredResult[] {
  return [...base, ...next]
}
