/** Makes the document of a gate from its runs, with its verdict: the decision, and why. */
import type { TrialReason } from '../../../frame/findings.ts'
import { findingsBy, reasonOf } from '../../../frame/findings.ts'
import type { ComparedSides, Obstacle } from '../../comparable.ts'
import { doubts, obstacleOf, obstacles } from '../../comparable.ts'
import { changesBetween, metricsOf } from '../../compare.ts'
import type { StudyFacts, StudyEnd } from '../../../frame/envelope.ts'
import type { GateDocument, GateTerms, Pair, RefusedRun, Bound, GateVerdict } from '../document.ts'
import { FINDINGS, REASONS } from '../document.ts'
import type { Decided } from './decide.ts'
import { MOST_RUNS } from '../options.ts'
import { decide, termsAt } from './decide.ts'
import { listed } from '../../../../base/text.ts'
import { unreachable } from '../../../../base/assert.ts'
import { plural } from '../../../../base/numbers.ts'
import { FEWEST_RUNS } from '../../options.ts'
import type { ChangeOutcome, Changes, ShapesCompared } from '../../shapes.ts'
import {
  changeWords,
  failedBase,
  likeliest,
  percent,
  percentOf,
  reachVerdict,
  undecidedOf,
  undecidedReason,
  unmeasuredWords,
  wouldNoticeShare,
} from '../../verdict.ts'
import { lostWords } from '../plan/outline.ts'

/** The runs that a gate has made and read so far. */
export interface Made {
  base: ComparedSides['base'][number][]
  new: ComparedSides['new'][number][]
  pairs: Pair[]
  refused: RefusedRun[]
}

interface GateAsked {
  judged: readonly string[]
  terms: GateTerms
  facts: StudyFacts
  place: Pick<GateDocument, 'target' | 'profile' | 'scenario' | 'seed' | 'commit'>
  invalid: readonly TrialReason[]
}

/** Returns what the look after `runs` runs per side decides; null if no look is planned there. */
export function lookAt(
  runs: number,
  made: Made,
  asked: Pick<GateAsked, 'judged' | 'terms'>,
): Decided['decision'] {
  const isLook = asked.terms.looks.some(({ at }) => at === runs)
  return isLook && obstacles(made).length === 0 ? decidedBy(made, asked).decision : null
}

/**
 * `baseline` is null without a stored one; its `written` says how many runs became the new one.
 * `gatesBefore`: if there was none to compare with, the number of gates in its history; null if
 * there was one.
 */
export function gateDocument(
  made: Made,
  asked: GateAsked,
  { baseline, gatesBefore }: { baseline: GateDocument['baseline']; gatesBefore: number | null },
): GateDocument {
  const { terms, facts, place, judged } = asked
  const hadNone = gatesBefore !== null
  const level = levelOf(made, terms)
  const decided = decidedBy(made, asked)
  const changes = changesBetween(made, judged, termsAt(level, terms))
  const { ended } = facts
  const own = { changes, ended, invalid: [...asked.invalid] }
  const reached = hadNone
    ? baselineVerdict(
        own,
        baseline !== null && baseline.written > 0 ? baseline.folder : null,
        gatesBefore,
      )
    : gateVerdict({ ...own, ...decided, obstacles: obstacles(made), level, terms })
  return {
    schema: 'crewload/gate/1',
    study: 'gate',
    ...facts,
    ...place,
    findings: [
      ...findingsBy(
        FINDINGS,
        [
          ['run-refused', ({ refused }) => refused.map(refusedWords)],
          ['metrics-unmeasured', (runs) => (hadNone ? unmeasuredBy(runs.new, judged) : null)],
        ],
        made,
      ),
      ...doubts(made, ['profiles']),
    ],
    ...reached,
    ...changes,
    terms,
    bounds: hadNone ? [] : decided.bounds,
    pairs: made.pairs,
    refused: made.refused,
    baseline,
  }
}

/**
 * Warns about judged metrics that no run of the new baseline measured, so that later gates could
 * not judge them.
 */
function unmeasuredBy(runs: Made['new'], judged: readonly string[]): string | null {
  const names = judged.filter((name) =>
    runs.every(({ result }) => (result.metrics[name]?.value ?? null) === null),
  )
  if (names.length === 0 || runs.length === 0) return null
  return `no run measured ${listed(names)}, so that gates could not judge them`
}

function refusedWords({ run, why }: RefusedRun): string {
  return `${run} is not compared: ${why}`
}

function decidedBy(made: Made, { judged, terms }: Pick<GateAsked, 'judged' | 'terms'>): Decided {
  const level = levelOf(made, terms)
  return decide(metricsOf(made.base), metricsOf(made.new), judged, { level, terms })
}

/**
 * The level of this look. Between two planned looks it is that of the next one, which is then made
 * early.
 */
function levelOf({ new: next, refused }: Made, { looks }: GateTerms): number {
  const attempted = next.length + refused.filter(({ side }) => side === 'new').length
  return (looks.find(({ at }) => at >= attempted) ?? looks.at(-1)!).level
}

interface JudgedMetric extends Pick<Decided, 'bounds'> {
  decision: Decided['decision']
  changes: Changes
  obstacles: readonly Obstacle[]
  /** The level of the last look. */
  level: number
  terms: GateTerms
  ended: StudyEnd
  /** Why a target was lost, or a run cannot be trusted. */
  invalid: readonly TrialReason[]
}

type GateReached = Pick<GateDocument, 'decision' | 'verdict'>

function gateVerdict(judged: JudgedMetric): GateReached {
  const { changes, obstacles, level, terms } = judged
  const few = fewWords(changes, judged.ended)
  const all = few === null ? obstacles : [obstacleOf(few), ...obstacles]
  const safe = safeWords(judged)
  const runs = [changes.base.length, changes.new.length] as const
  const found = reachVerdict({
    metrics: changes.metrics,
    obstacles: all,
    terms: termsAt(level, terms),
    runs,
    unlike: null,
    caveat: judged.decision === 'pass' ? `; ${safe}` : '',
  })
  // The sentence already says that there are too few runs, so no reasons are added.
  if (few !== null) return inconclusive({ ...found, reasons: [], stated: null }, judged)
  if (found.outcome === 'not-comparable') return inconclusive(found, judged)
  switch (judged.decision) {
    case 'fail':
      return { decision: 'fail', verdict: found }
    case 'pass':
      // A proven improvement comes first, in the words of the comparison.
      return found.outcome === 'improvement'
        ? { decision: 'pass', verdict: found }
        : { decision: 'pass', verdict: { ...found, sentence: `${runsWords(changes)}, ${safe}.` } }
    case null:
      return inconclusive({ ...found, sentence: openSentence(judged), stated: null }, judged)
    default:
      return unreachable(judged.decision)
  }
}

/**
 * The verdict without a baseline; `folder` is where the runs were written as one, null if they
 * could not be.
 */
function baselineVerdict(
  { changes, ended, invalid }: Pick<JudgedMetric, 'changes' | 'ended' | 'invalid'>,
  folder: string | null,
  gatesBefore: number,
): GateReached {
  const runs = plural(changes.new.length, 'run')
  if (folder !== null) {
    const sentence =
      'Nothing was compared: there was no baseline in ' +
      `${folder}${lostWords({ gates: gatesBefore })}, and ${runs} were written as the baseline.`
    const reasons = lostReasons(gatesBefore)
    return {
      decision: 'baseline',
      verdict: { outcome: 'baseline', sentence, reasons, stated: null },
    }
  }
  const sentence =
    ended === 'complete' && changes.new.length >= FEWEST_RUNS
      ? 'Nothing was compared: there is no baseline, and it could not be written.'
      : `Nothing was compared: there is no baseline, and ${runs} are too few for one.`
  const reasons = [...endReasons(ended), ...invalid]
  const verdict = { outcome: 'not-comparable' as const, sentence, reasons, stated: null }
  return { decision: 'inconclusive', verdict }
}

/** The history shows that there was a baseline. */
function lostReasons(gates: number): GateVerdict['reasons'] {
  if (gates === 0) return []
  const message = `the history has ${plural(gates, 'gate')}, but their baseline is gone`
  return [reasonOf(REASONS, 'baseline-lost', message)]
}

function inconclusive(
  found: GateVerdict & { outcome: ChangeOutcome },
  { bounds, terms, ended, invalid, changes }: JudgedMetric,
): GateReached {
  const isOpen = found.outcome !== 'not-comparable'
  const open = bounds.filter(({ excluded }) => !excluded)
  const told = new Set<string>(undecidedOf(changes.metrics).map(({ undecided }) => undecided))
  const reasons = [
    ...endReasons(ended),
    ...invalid,
    ...found.reasons.filter(({ code }) => !told.has(code)),
    ...(isOpen ? open.map((bound) => openReason(bound, terms, changes)) : []),
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

function safeWords({ changes, terms }: Pick<JudgedMetric, 'changes' | 'terms'>): string {
  const shares = percentOf('share', terms.marginDifference)
  const margin = `${percent(terms.margin)} or more (shares: ${shares})`
  return `no judged metric is worse by ${margin}${failedBase(changes)}`
}

/** Leads with what most likely changed; a time that nobody would notice comes last. */
function openSentence({ bounds, changes, terms, ended }: JudgedMetric): string {
  const over = `${runsWords(changes)}, ${ended === 'complete' ? '' : 'the gate was cut, '}`
  const open = bounds.filter(({ excluded }) => !excluded)
  const judged = changes.metrics.filter((metric) => metric.judged)
  const likely = likeliest(judged, terms)
  if (likely !== undefined) {
    const more = open.find(({ name }) => name === likely.name)?.moreRuns ?? null
    const needed = neededWords(more, changes)
    return `${over}nothing is proven; the likeliest change: ${changeWords(likely)}; ${needed}.`
  }
  const untold = open.filter(({ worst }) => worst === null)
  if (untold.length > 0) {
    const why = untold.map((bound) => openReason(bound, terms, changes).message).join('; ')
    return `${over}nothing is proven, and ${why}.`
  }
  const noticed = open.filter(({ name }) => isMarginNoticed(name, judged, terms))
  if (noticed.length === 0) {
    const names = listed(open.map(({ name }) => name))
    return (
      `${over}only ${names} is open, and nobody would notice ${percent(terms.margin)} of ` +
      'it: leave it out with --metrics, or make the runs longer.'
    )
  }
  const more = most(noticed)
  const worst = noticed.find(({ moreRuns }) => moreRuns === more) ?? noticed[0]!
  return (
    `${over}nothing is proven, and a regression of ${worst.name} by ${marginWords(worst, terms)} ` +
    `is not excluded: ${neededWords(more, changes)}.`
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
  const runs = Math.max(1, more)
  return `about ${runs} more ${runs === 1 ? 'run' : 'runs'} per side${longer} would decide it`
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
  return percentOf(unit, unit === 'share' ? marginDifference : margin)
}

function openReason(
  bound: Bound,
  terms: GateTerms,
  changes: Changes,
): GateVerdict['reasons'][number] {
  const { name, unit, worst, moreRuns } = bound
  if (unit === null) return reasonOf(REASONS, 'unmeasured', unmeasuredWords(name))
  if (worst === null) {
    const metric = undecidedOf(changes.metrics).find((each) => each.name === name)
    const why = metric === undefined ? null : undecidedReason(metric)
    const message = `${name} cannot be tested: a run is 0, or too few runs differ`
    return why ?? reasonOf(REASONS, 'untested', message)
  }
  const margin = `${marginWords(bound, terms)} is the margin`
  const message = `${name}: a regression of up to ${percentOf(unit, worst)} is possible, ${margin}`
  const isUseless = moreRuns === null || isTooMany(moreRuns, changes)
  const runs = isUseless ? null : changes.new.length + Math.max(1, moreRuns)
  return reasonOf(REASONS, 'undecided', message, runs)
}

function endReasons(ended: StudyEnd): GateVerdict['reasons'] {
  if (ended === 'complete' || ended === 'target') return []
  return [reasonOf(REASONS, ended, ENDED[ended])]
}

const ENDED = {
  interrupted: 'the gate was stopped before its last run',
  budget: 'the rest of the budget is too small for the next run',
} as const
