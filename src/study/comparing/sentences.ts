/**
 * What is said of compared runs: findings about them, reasons of a verdict over them, its sentence,
 * and how a change is written.
 */
import { z } from 'zod'
import { unreachable } from '../../base/assert.ts'
import type { Unit } from '../../base/numbers.ts'
import {
  formatInterval,
  formatReach,
  formatRoundShare,
  inNumber,
  plural,
  toDecimals,
  withSign,
} from '../../base/numbers.ts'
import { capital, listed } from '../../base/text.ts'
import type { ReasonOf } from '../../result/sentence-tables.ts'
import { finding, reason, reasonOf } from '../../result/sentence-tables.ts'
import { keptReason, quantity, verdict } from '../../result/document.ts'
import { verdictOf, count } from '../frame/envelope.ts'
import {
  byNotice,
  likeliest,
  sizes,
  undecidedOf,
  unmeasured,
  wouldNoticeShare,
} from './named-metrics.ts'
import type { Change, ChangeOutcome, ShapesCompared, Terms, Undecided } from './shapes.ts'
import { CHANGES, change, typical } from './shapes.ts'

export const SIDE = z.enum(['base', 'new'])
const RUNS_SAME = {
  scenario: 'scenarios',
  engine: 'engines',
  profile: 'profiles',
  node: 'versions of Node',
  instances: 'numbers of instances',
}
/** What should be the same in all compared runs: members of a run in its result. */
export const SAME = Object.keys(RUNS_SAME) as (keyof typeof RUNS_SAME)[]

export const because = keptReason
  .nullable()
  .describe('The first reason of the verdict of a run; null if it has none')

const differing = { what: z.enum(SAME), values: z.array(z.string()) }

/** Findings about runs that are compared. */
export const RUN_FINDINGS = {
  'runs-differ': finding(
    'warning',
    differing,
    differWords,
    'make them the same, unless that is what you compare',
  ),
  'machines-differ': finding(
    'warning',
    { machines: z.array(z.string()) },
    ({ machines }) => `the runs were made on different machines: ${machines.join('; ')}`,
  ),
  'plans-differ': finding('warning', { plans: count }, plansWords),
  'run-cut': finding(
    'warning',
    { folder: z.string() },
    ({ folder }) => `${folder} was stopped before its end`,
  ),
  'runs-failed': finding(
    'warning',
    { side: SIDE, failed: count, runs: count, because },
    ({ side, failed, runs, because: first }) =>
      `${failedWords(failed, runs, side)}${first === null ? '' : `: ${first.message}`}`,
    ({ side }) =>
      side === 'base' ? 'take a better base: a candidate that is no worse may be as bad' : '',
  ),
  'run-copied': finding(
    'warning',
    { side: SIDE, runs: count, seeds: count },
    ({ side, runs, seeds }) =>
      `${plural(runs, `${side} run`)} in virtual time with ${plural(seeds, 'seed')} show nothing about chance`,
    'use --seed',
  ),
}

export type RunsDiffer = z.infer<z.ZodObject<typeof differing>>

/** How runs differ beside their seeds. */
export function differWords({ what, values }: RunsDiffer): string {
  return `the runs have different ${RUNS_SAME[what]} (${listed(values)})`
}

export function plansWords({ plans }: { plans: number }): string {
  return `the scenario is not the same in all runs: it has ${plans} different plans`
}

/** Counts failed runs: `3 of the 8 base runs failed by their own verdict`. */
export function failedWords(failed: number, all: number, side: string): string {
  if (all === 1) return `the ${side} run failed by its own verdict`
  const which = failed === all ? `all ${all}` : `${failed} of the ${all}`
  return `${which} ${side} runs failed by their own verdict`
}

/** Why nothing can be concluded. */
const obstacle = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('invalid-runs'),
    folders: z.array(z.string()),
    outcome: verdict.shape.outcome,
    because,
  }),
  z.object({ kind: z.literal('speeds'), speeds: z.array(z.number()) }),
])

export type Obstacle = z.infer<typeof obstacle>
type InvalidRuns = Extract<Obstacle, { kind: 'invalid-runs' }>

function obstacleWords(found: Obstacle): string {
  switch (found.kind) {
    case 'invalid-runs': {
      const are = inNumber(found.folders.length, 'is', 'are')
      const why = becauseWords(found)
      return `${listed(found.folders)} ${are} ${found.outcome.toUpperCase()}: ${why}`
    }
    case 'speeds': {
      const speeds = listed(found.speeds.map(String))
      return `the runs have different speeds (${speeds}): their times cannot be compared`
    }
    default:
      return unreachable(found)
  }
}

/** Why the measurement of a run cannot be trusted. */
export function becauseWords(run: Pick<InvalidRuns, 'because'>): string {
  return run.because?.message ?? 'its measurement cannot be trusted'
}

/** It begins with a capital letter, unless with the name of a folder. */
function obstacleSentence(found: Obstacle): string {
  const words = obstacleWords(found)
  return `${found.kind === 'invalid-runs' ? words : capital(words)}.`
}

const ofMetric = { metric: z.string() }
const changedFacts = { ...ofMetric, unit: quantity.shape.unit, change, from: typical, to: typical }

type Changed = z.infer<z.ZodObject<typeof changedFacts>>

/** The facts of a change. */
export function changed({ name: metric, unit, change: own, ...sides }: ShapesCompared): Changed {
  return { metric, unit, change: own, from: sides.base.typical, to: sides.new.typical }
}

const NOTHING_MEASURED = 'no judged metric was measured by runs of both sides'
export const MEASURED = 'make the runs longer, or leave it out with --metrics'

export const CHANGE_REASONS = {
  'not-comparable': reason({ obstacle }, (facts) => obstacleWords(facts.obstacle), ''),
  'nothing-measured': reason(
    {},
    () => NOTHING_MEASURED,
    'make the runs longer, or name others with --metrics',
  ),
  worse: reason(changedFacts, changeWords, ''),
  better: reason(changedFacts, changeWords, ''),
  other: reason(changedFacts, changeWords, ''),
  unmeasured: reason(
    ofMetric,
    ({ metric }) => `${metric} was not measured by runs of both sides`,
    MEASURED,
  ),
  missing: reason(
    { ...ofMetric, baseRuns: count, newRuns: count },
    ({ metric, baseRuns, newRuns }) =>
      `${metric} has a value in ${plural(baseRuns, 'base run')}, but in only ${plural(newRuns, 'new run')}`,
    MEASURED,
  ),
  units: reason(
    ofMetric,
    ({ metric }) => `${metric} has different units in these runs`,
    'make all runs with one version of crewload',
  ),
  'one-run': reason(
    {},
    () => 'a single run does not show how much runs differ by chance',
    'compare at least 3 runs per side; 5 to 8 find a change of 10 %',
  ),
  never: reason(
    { ...ofMetric, onBothSides: z.boolean().describe('In most runs of either side') },
    ({ metric, onBothSides }) =>
      onBothSides
        ? `${metric} is never on both sides, so that it cannot get worse`
        : `${metric} is never in more of the new runs than of the base runs, which is not proven`,
    'look at the runs that have it, or make more runs',
  ),
  'too-few': reason(
    { ...changedFacts, moreRuns: count.nullable() },
    (facts) => `${changeWords(facts)}, unproven by so few runs`,
    ({ moreRuns }) =>
      `make ${moreRuns === null ? 'more runs' : plural(Math.max(1, moreRuns), 'more run')} per side`,
  ),
}

export type ChangeReason = ReasonOf<typeof CHANGE_REASONS>

/** Why a judged metric was not decided; null if a sentence about all of them says it. */
export function undecidedReason(
  metric: ShapesCompared & { undecided: Undecided },
): ChangeReason | null {
  const { name, undecided, base, new: next, moreRuns } = metric
  switch (undecided) {
    case 'unmeasured':
    case 'units':
      return reasonOf(CHANGE_REASONS, undecided, { metric: name })
    case 'missing': {
      const runs = { baseRuns: base.runs, newRuns: next.runs }
      return reasonOf(CHANGE_REASONS, undecided, { metric: name, ...runs })
    }
    case 'never': {
      const onBothSides = base.median === 'never' && next.median === 'never'
      return reasonOf(CHANGE_REASONS, undecided, { metric: name, onBothSides })
    }
    case 'too-few':
      return reasonOf(CHANGE_REASONS, undecided, { ...changed(metric), moreRuns })
    case 'one-run':
      return null
    default:
      return unreachable(undecided)
  }
}

/** What a verdict over compared runs says beside its sentence. */
export const STATED = {
  stated: z
    .enum(['not-comparable', 'worse', 'better'])
    .nullable()
    .describe('The code of the reason that the sentence states: the first with it; null for none'),
}

export const changeVerdict = verdictOf(CHANGES, CHANGE_REASONS).extend(STATED)
export type ChangeVerdict = z.infer<typeof changeVerdict> & { outcome: ChangeOutcome }

/** What the sentence of a verdict is made of, beside the metrics. */
export interface RunsSaid {
  obstacles: readonly Obstacle[]
  terms: Terms
  /** The number of runs of each side. */
  runs: readonly [base: number, next: number]
  /** How the runs differ beside what was changed: `the runs have different plans`; null if not. */
  unlike: string | null
  /** The clause that limits a good verdict, added to its sentence; see `failedBase`. */
  caveat: string
}

const BY_CHANCE = ': how much runs differ by chance is unknown'

/** The answer of a comparison. */
export function verdictSentence(
  outcome: ChangeOutcome,
  judged: readonly ShapesCompared[],
  { obstacles, terms, runs, unlike, caveat }: RunsSaid,
): string {
  const [base, next] = runs
  const runsWords = `${base} and ${plural(next, 'run')}`
  switch (outcome) {
    case 'not-comparable':
      return obstacles[0] === undefined
        ? `${capital(NOTHING_MEASURED)}.`
        : obstacleSentence(obstacles[0])
    case 'regression':
      return `Over ${runsWords}, ${strongest(judged, outcome)}.`
    case 'improvement':
      return `Over ${runsWords}, ${strongest(judged, outcome)}${caveat}.`
    case 'equal':
      return (
        `Every judged metric is the same within ${formatRoundShare(terms.equivalent ?? 0)}, over ` +
        `${runsWords}${caveat}.`
      )
    case 'none-proven':
      return base < 2 || next < 2
        ? `A single run on a side proves nothing${unlike === null ? BY_CHANCE : `, and ${unlike}`}.`
        : `Nothing is proven over ${runsWords}${unmeasuredClause(judged)}${open(judged, terms)}${caveat}.`
    default:
      return unreachable(outcome)
  }
}

/** The most significant of the proven changes that somebody would notice, or else of the others. */
function strongest(
  judged: readonly ShapesCompared[],
  outcome: 'regression' | 'improvement',
): string {
  const direction = outcome === 'regression' ? 'worse' : 'better'
  const [first, ...others] = byNotice(
    judged.filter((metric) => metric.significant && metric.direction === direction),
    judged,
  )
  if (first === undefined) return ''
  const more = others.map(({ name }) => name).join(', ')
  return `${changeWords(changed(first))}${more === '' ? '' : `. So did ${more}`}`
}

function unmeasuredClause(judged: readonly ShapesCompared[]): string {
  const names = unmeasured(judged)
  return names.length === 0 ? '' : `, without ${listed(names)}`
}

/** Says what stays open: the likeliest change, or which one could not have been detected. */
function open(judged: readonly ShapesCompared[], terms: Terms): string {
  const likely = likeliest(judged, terms)
  if (likely !== undefined) return `. The likeliest change: ${changeWords(changed(likely))}`
  const apart = undecidedOf(judged).find(
    ({ undecided }) => undecided === 'too-few' || undecided === 'never',
  )
  return apart === undefined ? unseen(judged) : `. ${undecidedReason(apart)?.message}`
}

/** For the judged time that is known least precisely, of those whose change would be noticed. */
function unseen(judged: readonly ShapesCompared[]): string {
  const [known] = judged
    .filter((metric) => {
      const { unit, detectable } = metric
      return unit === 'ms' && detectable !== null && wouldNoticeShare(metric, detectable, judged)
    })
    .toSorted((a, b) => b.detectable! - a.detectable!)
  if (known === undefined) return ''
  const change = `A change of ${known.name} below about ${formatRoundShare(known.detectable!)}`
  return `. ${change} would probably not be detected`
}

/** Formats a change: `execution.p95 rose by 15.2 % (9.1 to 21.6 %), from 10.4 s to 12.0 s`. */
export function changeWords({ metric, unit, change: own, from, to }: Changed): string {
  const ends = `from ${formatReach(from ?? 0, unit)} to ${formatReach(to ?? 0, unit)}`
  return own === null ? `${metric} went ${ends}` : `${metric} ${moved(own)}, ${ends}`
}

function moved(change: Change): string {
  const [value, low, high] = sizes(change)
  const unit = 'ratio' in change ? '%' : 'percentage points'
  const size = `${value < 0 ? 'fell' : 'rose'} by ${rounded(Math.abs(value))} ${unit}`
  if (low === null || high === null) return size
  const absolute = value < 0 ? { low: -high, high: -low } : { low, high }
  return `${size} (${formatInterval(absolute, rounded)})`
}

/** Rounds to three digits, at most two of them decimals, without trailing zeros. */
export function rounded(size: number): string {
  return String(roundedSize(size))
}

function roundedSize(size: number): number {
  const digits = Math.abs(size) >= 100 ? 0 : Math.abs(size) >= 10 ? 1 : 2
  return toDecimals(size, digits)
}

/** The size of a change of a metric: `15.2 %`, of a share `1.5 percentage points`. */
export function percentOf(unit: Unit | null, size: number): string {
  return unit === 'share' ? `${rounded(100 * size)} percentage points` : `${rounded(100 * size)} %`
}

/** The smallest change that counts: `5 % (shares: 1 percentage point)`. */
export function smallestChangeWords({
  smallestChange,
  smallestDifference,
}: Pick<Terms, 'smallestChange' | 'smallestDifference'>): string {
  const ofShares = `${rounded(100 * smallestDifference)} percentage point`
  return `${formatRoundShare(smallestChange)} (shares: ${ofShares})`
}

/** In % or percentage points: `+15.2`, `0`, `−3.1`. */
export function signed(size: number): string {
  return withSign(roundedSize(size), String)
}

/** As `signed`, without the plus. */
export function signedBelow(size: number): string {
  return size > 0 ? rounded(size) : signed(size)
}
