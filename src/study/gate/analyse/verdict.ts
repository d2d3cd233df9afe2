/** Makes the verdict of a gate: its decision, and the sentence that gives the reason. */
import { unreachable } from '../../../base/assert.ts'
import { plural } from '../../../analysis/metrics/format.ts'
import type { ChangeOutcome, Changes } from '../../frame/comparing/shapes.ts'
import {
  failedBase,
  reachVerdict,
  rounded,
  unmeasuredReason,
} from '../../frame/comparing/verdict.ts'
import type { StudyEnd } from '../../frame/envelope.ts'
import { listed } from '../../frame/words.ts'
import type { Bound, GateDocument, GateTerms, GateVerdict } from '../document.ts'
import type { Decided } from './decide.ts'
import { FEWEST_RUNS, MOST_RUNS, termsAt } from './decide.ts'

export interface Judged extends Pick<Decided, 'bounds'> {
  decision: Decided['decision']
  changes: Changes
  obstacles: readonly string[]
  /** The level of the last look. */
  level: number
  terms: GateTerms
  ended: StudyEnd
  /** Why a target was lost, or a run cannot be trusted. */
  invalid: GateVerdict['reasons']
}

type Reached = Pick<GateDocument, 'decision' | 'verdict'>

export function gateVerdict(judged: Judged): Reached {
  const { changes, obstacles, level, terms } = judged
  const few = fewWords(changes, judged.ended)
  const all = few === null ? obstacles : [few, ...obstacles]
  const runs = [changes.base.length, changes.new.length] as const
  const found = reachVerdict({
    metrics: changes.metrics,
    obstacles: all,
    terms: termsAt(level, terms),
    runs,
    caveat: '',
  })
  // The sentence already says that there are too few runs, so no reasons are added.
  if (few !== null) return inconclusive({ ...found, reasons: [] }, judged)
  if (found.outcome === 'not-comparable') return inconclusive(found, judged)
  switch (judged.decision) {
    case 'fail':
      return { decision: 'fail', verdict: found }
    case 'pass':
      return { decision: 'pass', verdict: { ...found, sentence: passSentence(found, judged) } }
    case null:
      return inconclusive({ ...found, sentence: openSentence(judged) }, judged)
    default:
      return unreachable(judged.decision)
  }
}

/**
 * The verdict without a baseline; `folder` is where the runs were written as one, null if they
 * could not be.
 */
export function baselineVerdict(
  { changes, ended, invalid }: Pick<Judged, 'changes' | 'ended' | 'invalid'>,
  folder: string | null,
): Reached {
  const runs = plural(changes.new.length, 'run')
  if (folder !== null) {
    const sentence =
      `Nothing was compared: there was no baseline in ${folder}, and ${runs} were written as ` +
      'the baseline.'
    return { decision: 'baseline', verdict: { outcome: 'baseline', sentence, reasons: [] } }
  }
  const sentence =
    ended === 'complete' && changes.new.length >= FEWEST_RUNS
      ? 'Nothing was compared: there is no baseline, and it could not be written.'
      : `Nothing was compared: there is no baseline, and ${runs} are too few for one.`
  const reasons = [...endReasons(ended), ...invalid]
  return { decision: 'inconclusive', verdict: { outcome: 'not-comparable', sentence, reasons } }
}

function inconclusive(
  found: GateVerdict & { outcome: ChangeOutcome },
  { bounds, terms, ended, invalid, changes }: Judged,
): Reached {
  const isOpen = found.outcome !== 'not-comparable'
  const reasons = [
    ...endReasons(ended),
    ...invalid,
    ...found.reasons.filter(({ code }) => code !== 'unmeasured'),
    ...(isOpen
      ? bounds.filter(({ excluded }) => !excluded).map((bound) => openReason(bound, terms, changes))
      : []),
  ]
  return { decision: 'inconclusive', verdict: { ...found, reasons } }
}

/** Null if there are enough runs. */
function fewWords({ base, new: next }: Changes, ended: StudyEnd): string | null {
  const isNew = next.length < FEWEST_RUNS
  const count = isNew ? next.length : base.length
  if (count >= FEWEST_RUNS) return null
  const runs = count === 0 ? 'no run' : `only ${plural(count, 'run')}`
  return (
    `${CUT[ended]}${runs} of the ${isNew ? 'candidate' : 'baseline'} can be compared, and ` +
    `${FEWEST_RUNS} are needed`
  )
}

const CUT: Record<StudyEnd, string> = {
  complete: '',
  interrupted: 'the gate was stopped: ',
  budget: 'the budget is spent: ',
  target: 'the target was lost: ',
}

function runsWords({ base, new: next }: Changes): string {
  return `Over ${base.length} and ${plural(next.length, 'run')}`
}

function passSentence(found: GateVerdict, { changes, terms }: Judged): string {
  const margin =
    `${rounded(100 * terms.margin)} % or more (shares: ${rounded(100 * terms.marginDifference)} ` +
    'percentage points)'
  const safe = `no judged metric is worse by ${margin}${failedBase(changes)}`
  // A proven improvement comes first, in the words of the comparison.
  if (found.outcome === 'improvement') return `${found.sentence.replace(/\.$/, '')}; ${safe}.`
  return `${runsWords(changes)}, ${safe}.`
}

function openSentence({ bounds, changes, terms, ended }: Judged): string {
  const open = bounds.filter(({ excluded }) => !excluded)
  const cut = ended === 'complete' ? '' : `the gate was cut, `
  const untold = open.filter(({ worst }) => worst === null)
  if (untold.length > 0) {
    const names = listed(untold.map(({ name }) => name))
    return (
      `${runsWords(changes)}, ${cut}nothing is proven, and ${names} cannot be judged: make the ` +
      'runs longer, or name other metrics with --metrics.'
    )
  }
  const worst = open.find(({ moreRuns }) => moreRuns === most(open)) ?? open[0]
  const more = most(open)
  const size = worst === undefined ? '' : marginWords(worst, terms)
  const longer = more !== null && isTooMany(more, changes) ? ', or longer ones,' : ''
  const needed =
    more === null
      ? 'longer runs or a quieter machine would help more than further runs'
      : `about ${more} more runs per side${longer} would decide it`
  return (
    `${runsWords(changes)}, ${cut}nothing is proven, and a regression of ${worst?.name ?? ''} ` +
    `by ${size} is not excluded: ${needed}.`
  )
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

function marginWords({ unit }: Bound, { margin, marginDifference }: GateTerms): string {
  return unit === 'share'
    ? `${rounded(100 * marginDifference)} percentage points`
    : `${rounded(100 * margin)} %`
}

function openReason(
  bound: Bound,
  terms: GateTerms,
  changes: Changes,
): GateVerdict['reasons'][number] {
  const { name, unit, worst, moreRuns } = bound
  if (unit === null) return unmeasuredReason(name)
  if (worst === null) {
    const message = `${name} cannot be tested: a run has no value, or no two runs of a side differ`
    return {
      code: 'untested',
      message,
      remedy: 'make the runs longer, or leave it out with --metrics',
    }
  }
  const size =
    unit === 'share' ? `${rounded(100 * worst)} percentage points` : `${rounded(100 * worst)} %`
  const margin = `${marginWords(bound, terms)} is the margin`
  const message = `${name}: a regression of up to ${size} is possible, ${margin}`
  const remedy =
    moreRuns === null || isTooMany(moreRuns, changes)
      ? 'make the runs longer'
      : `--runs ${changes.new.length + Math.max(1, moreRuns)}, or longer runs`
  return { code: 'undecided', message, remedy }
}

function endReasons(ended: StudyEnd): GateVerdict['reasons'] {
  switch (ended) {
    case 'interrupted':
      return [
        {
          code: 'interrupted',
          message: 'the gate was stopped before its last run',
          remedy: 'crewload resume runs the missing runs',
        },
      ]
    case 'budget':
      return [
        {
          code: 'budget',
          message: 'the rest of the budget is too small for the next run',
          remedy: 'raise --max-kickoffs, which covers all runs together',
        },
      ]
    case 'complete':
    case 'target':
      return []
    default:
      return unreachable(ended)
  }
}
