/** What a gate says: its findings, the reasons of its verdict, and the decision’s sentences. */
import { z } from 'zod'
import { formatRoundShare, plural } from '../../../base/numbers.ts'
import { capital, inSentences, listed } from '../../../base/text.ts'
import type { ReasonOf } from '../../../result/sentence-tables.ts'
import { finding, reason, reasonOf } from '../../../result/sentence-tables.ts'
import { quantity, verdict } from '../../../result/document.ts'
import type { StudyEnd } from '../../frame/envelope.ts'
import { count } from '../../frame/envelope.ts'
import { likeliest, undecidedOf, wouldNoticeShare } from '../named-metrics.ts'
import { FEWEST_RUNS, MOST_RUNS } from '../options.ts'
import {
  CHANGE_REASONS,
  MEASURED,
  RUN_FINDINGS,
  SIDE,
  because,
  becauseWords,
  changeWords,
  changed,
  percentOf,
  undecidedReason,
} from '../sentences.ts'
import type { Changes, ShapesCompared } from '../shapes.ts'
import { changes } from '../shapes.ts'

export const bound = z.object({
  name: z.string(),
  unit: quantity.shape.unit.nullable().describe('Null if a side did not measure it'),
  worst: z
    .number()
    .nullable()
    .describe(
      'A regression of this size or more is excluded at the level of the look, one-sided. A ' +
        'share of the base, or a difference of shares; null if nothing is known',
    ),
  excluded: z.boolean().describe('Whether that is below the margin'),
  moreRuns: count
    .nullable()
    .describe(
      'Approximate number of further runs per side that would decide it; null if none are ' +
        'needed, or it is unknown',
    ),
})

export const terms = z.object({
  ...changes.terms.omit({ equivalent: true }).shape,
  margin: z.number().describe('The regression that PASS excludes: a share of the base'),
  marginDifference: z.number().describe('For shares'),
  runs: count.describe('Planned runs per side'),
  looks: z
    .array(z.object({ at: count.describe('Runs per side'), level: z.number() }))
    .describe('When to decide, and at which level; the levels add up to `level`'),
})

export type Bound = z.infer<typeof bound>
export type GateTerms = z.infer<typeof terms>

export const refused = z.object({
  side: SIDE,
  run: z.string().describe('The name of the run, as in the list of runs'),
  outcome: verdict.shape.outcome,
  because,
})

export const FINDINGS = {
  ...RUN_FINDINGS,
  'run-refused': finding(
    'warning',
    refused.shape,
    ({ run, outcome, ...first }) =>
      `${run} is not compared: ${outcome.toUpperCase()}, ${becauseWords(first)}`,
  ),
  'metrics-unmeasured': finding(
    'warning',
    { metrics: z.array(z.string()) },
    ({ metrics }) => `no gate could judge ${listed(metrics)}, which no run measured`,
    'make the runs longer, or name other metrics with --metrics',
  ),
}

export const REASONS = {
  ...CHANGE_REASONS,
  'baseline-lost': reason(
    { gates: count },
    ({ gates }) => `the history has ${plural(gates, 'gate')}, but their baseline is gone`,
    'restore it, and keep it where nothing evicts it: a repository, or an artefact',
  ),
  untested: reason(
    { metric: z.string() },
    ({ metric }) => `${metric} cannot be tested: a run is 0, or too few runs differ`,
    MEASURED,
  ),
  undecided: reason(
    {
      metric: z.string(),
      unit: quantity.shape.unit,
      worst: z.number().describe('The largest regression still possible'),
      margin: z.number(),
      runs: count.nullable().describe('Per side, to decide it; null if no gate can make as many'),
    },
    ({ metric, unit, worst, margin }) =>
      `${metric}: a regression of up to ${percentOf(unit, worst)} is possible, ` +
      `${percentOf(unit, margin)} is the margin`,
    ({ runs }) => (runs === null ? 'make the runs longer' : `take --runs ${runs}, or longer runs`),
  ),
  interrupted: reason(
    {},
    () => 'the gate was stopped before its last run',
    'make the missing runs with crewload resume',
  ),
  budget: reason(
    {},
    () => 'the rest of the budget is too small for the next run',
    'raise --max-kickoffs, which covers all runs together',
  ),
}

/** Empty if the history has no gate before: then there was no baseline yet. */
export function lostWords({ gates }: { gates: number }): string {
  if (gates === 0) return ''
  return `; its history has ${plural(gates, 'gate')}, so a baseline was removed, or lost from a cache`
}

/** Where the runs were written as the baseline; `gates`: those of its history. */
export function baselineSentence(folder: string, gates: number, runs: number): string {
  return (
    `Nothing was compared: there was no baseline in ${folder}${lostWords({ gates })}, and ` +
    `${plural(runs, 'run was', 'runs were')} written as the baseline.`
  )
}

/** Without a baseline, where none was written. */
export function uncomparedSentence(ended: StudyEnd, runs: number): string {
  return ended === 'complete' && runs >= FEWEST_RUNS
    ? 'Nothing was compared: there is no baseline, and it could not be written.'
    : `Nothing was compared: there is no baseline, and ${plural(runs, 'run is', 'runs are')} too few for one.`
}

/** Null if there are enough runs. */
export function fewSentence({ base, new: next }: Changes, ended: StudyEnd): string | null {
  const isNew = next.length < FEWEST_RUNS
  const count = isNew ? next.length : base.length
  if (count >= FEWEST_RUNS) return null
  const runs = count === 0 ? 'no run' : `only ${plural(count, 'run')}`
  return capital(
    `${CUT[ended]}${runs} of the ${isNew ? 'candidate' : 'baseline'} can be compared, and ` +
      `${FEWEST_RUNS} are needed.`,
  )
}

const CUT: Record<StudyEnd, string> = {
  complete: '',
  interrupted: 'the gate was stopped: ',
  budget: 'the budget is spent: ',
  target: 'the target was lost: ',
}

export function runsWords({ base, new: next }: Changes): string {
  return `Over ${base.length} and ${plural(next.length, 'run')}`
}

/** `caveat`: the clause that limits it, or empty. */
export function safeWords(terms: GateTerms, caveat: string): string {
  const shares = percentOf('share', terms.marginDifference)
  const margin = `${formatRoundShare(terms.margin)} or more (shares: ${shares})`
  return `no judged metric is worse by ${margin}${caveat}`
}

interface OpenGate {
  bounds: readonly Bound[]
  changes: Changes
  terms: GateTerms
  ended: StudyEnd
}

/** Leads with what most likely changed; a time that nobody would notice comes last. */
export function openSentence({ bounds, changes, terms, ended }: OpenGate): string {
  const over = `${runsWords(changes)}, ${ended === 'complete' ? '' : 'the gate was cut, '}`
  const open = bounds.filter(({ excluded }) => !excluded)
  const judged = changes.metrics.filter((metric) => metric.judged)
  const likely = likeliest(judged, terms)
  if (likely !== undefined) {
    const more = open.find(({ name }) => name === likely.name)?.moreRuns ?? null
    const needed = neededWords(more, changes)
    const change = changeWords(changed(likely))
    return `${inSentences(`${over}nothing is proven`, `the likeliest change: ${change}`, needed)}.`
  }
  const uncompared = open.filter(({ worst }) => worst === null)
  if (uncompared.length > 0) {
    const why =
      uncompared.length === 1
        ? openReason(uncompared[0]!, terms, changes).message
        : `${listed(uncompared.map(({ name }) => name))} could not be compared`
    return `${over}nothing is proven, and ${why}.`
  }
  const noticed = open.filter(({ name }) => isMarginNoticed(name, judged, terms))
  if (noticed.length === 0) {
    const names = listed(open.map(({ name }) => name))
    return (
      `${over}only ${names} is open, and nobody would notice ` +
      `${formatRoundShare(terms.margin)} of it. Leave it out with --metrics, or make the runs longer.`
    )
  }
  const more = most(noticed)
  const worst = noticed.find(({ moreRuns }) => moreRuns === more) ?? noticed[0]!
  const margin = percentOf(worst.unit, marginOf(worst, terms))
  return (
    `${over}nothing is proven, and a regression of ${worst.name} by ${margin} ` +
    `is not excluded. ${capital(neededWords(more, changes))}.`
  )
}

function isMarginNoticed(
  name: string,
  judged: readonly ShapesCompared[],
  { margin }: GateTerms,
): boolean {
  const metric = judged.find((each) => each.name === name)
  return metric === undefined || wouldNoticeShare(metric, margin, judged)
}

function neededWords(more: number | null, changes: Changes): string {
  if (more === null) return 'longer runs or a quieter machine would help more than further runs'
  const longer = isTooMany(more, changes) ? ', or longer ones,' : ''
  return `about ${plural(Math.max(1, more), 'more run')} per side${longer} would decide it`
}

/** Whether one gate cannot make that many runs. */
function isTooMany(more: number, { new: next }: Pick<Changes, 'new'>): boolean {
  return next.length + more > MOST_RUNS
}

/**
 * The approximate number of further runs that would settle all metrics; null if no number would.
 */
function most(bounds: readonly Bound[]): number | null {
  const each = bounds.map(({ moreRuns }) => moreRuns)
  const known = each.filter((count) => count !== null)
  return known.length === 0 ? null : Math.max(1, ...known)
}

function marginOf({ unit }: Bound, { margin, marginDifference }: GateTerms): number {
  return unit === 'share' ? marginDifference : margin
}

/** Why a judged metric is open. */
export function openReason(
  bound: Bound,
  terms: GateTerms,
  changes: Changes,
): ReasonOf<typeof REASONS> {
  const { name: metric, unit, worst, moreRuns } = bound
  if (unit === null) return reasonOf(REASONS, 'unmeasured', { metric })
  if (worst === null) {
    const own = undecidedOf(changes.metrics).find(({ name }) => name === metric)
    const why = own === undefined ? null : undecidedReason(own)
    return why ?? reasonOf(REASONS, 'untested', { metric })
  }
  const isUseless = moreRuns === null || isTooMany(moreRuns, changes)
  const runs = isUseless ? null : changes.new.length + Math.max(1, moreRuns)
  const margin = marginOf(bound, terms)
  return reasonOf(REASONS, 'undecided', { metric, unit, worst, margin, runs })
}
