/** Makes the document of a gate from its runs, with its verdict: the decision, and why. */
import type { TrialReason } from '../../../frame/trial/reasons.ts'
import type { StudyFacts, StudyEnd } from '../../../frame/envelope.ts'
import type { ReasonOf } from '../../../../result/sentence-tables.ts'
import { findingsBy, reasonOf } from '../../../../result/sentence-tables.ts'
import { unreachable } from '../../../../base/assert.ts'
import type { ComparedSides } from '../../comparable.ts'
import { doubts, obstacles } from '../../comparable.ts'
import { changesBetween, metricsOf } from '../../compare.ts'
import { undecidedOf } from '../../named-metrics.ts'
import type { Obstacle } from '../../sentences.ts'
import type { ChangeOutcome, Changes } from '../../shapes.ts'
import { failedBase, reachChangeVerdict } from '../../verdict.ts'
import type { GateDocument, Pair, RefusedRun, GateVerdict } from '../document.ts'
import type { GateTerms } from '../sentences.ts'
import {
  FINDINGS,
  REASONS,
  baselineSentence,
  fewSentence,
  openReason,
  openSentence,
  runsWords,
  safeWords,
  uncomparedSentence,
} from '../sentences.ts'
import type { Decided } from './decide.ts'
import { decide, termsAt } from './decide.ts'

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
  about: Pick<GateDocument, 'place' | 'scenario' | 'seed' | 'commit'>
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
  const { terms, facts, about, judged } = asked
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
    ...about,
    findings: [
      ...findingsBy(
        FINDINGS,
        [
          ['run-refused', ({ refused }) => refused],
          ['metrics-unmeasured', (runs) => (hadNone ? unmeasuredBy(runs.new, judged) : null)],
        ],
        made,
      ),
      ...doubts(made, ['profile']),
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
function unmeasuredBy(runs: Made['new'], judged: readonly string[]): { metrics: string[] } | null {
  const metrics = judged.filter((name) =>
    runs.every(({ result }) => (result.metrics[name]?.value ?? null) === null),
  )
  return metrics.length === 0 || runs.length === 0 ? null : { metrics }
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
  const { changes, obstacles, level, terms, ended } = judged
  const few = fewSentence(changes, ended)
  if (few !== null) {
    const verdict = { outcome: 'not-comparable' as const, sentence: few, reasons: [], stated: null }
    return inconclusive(verdict, judged)
  }
  const safe = safeWords(terms, failedBase(changes))
  const runs = [changes.base.length, changes.new.length] as const
  const found = reachChangeVerdict({
    metrics: changes.metrics,
    obstacles,
    terms: termsAt(level, terms),
    runs,
    unlike: null,
    caveat: judged.decision === 'pass' ? `; ${safe}` : '',
  })
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
  const runs = changes.new.length
  if (folder !== null) {
    const sentence = baselineSentence(folder, gatesBefore, runs)
    const reasons = lostReasons(gatesBefore)
    return {
      decision: 'baseline',
      verdict: { outcome: 'baseline', sentence, reasons, stated: null },
    }
  }
  const sentence = uncomparedSentence(ended, runs)
  const reasons = [...endReasons(ended), ...invalid]
  const verdict = { outcome: 'not-comparable' as const, sentence, reasons, stated: null }
  return { decision: 'inconclusive', verdict }
}

/** The history shows that there was a baseline. */
function lostReasons(gates: number): ReasonOf<typeof REASONS>[] {
  return gates === 0 ? [] : [reasonOf(REASONS, 'baseline-lost', { gates })]
}

function inconclusive(
  found: GateVerdict & { outcome: ChangeOutcome },
  { bounds, terms, ended, invalid, changes }: JudgedMetric,
): GateReached {
  const isOpen = found.outcome !== 'not-comparable'
  const open = bounds.filter(({ excluded }) => !excluded)
  const named = new Set<string>(undecidedOf(changes.metrics).map(({ undecided }) => undecided))
  const reasons = [
    ...endReasons(ended),
    ...invalid,
    ...found.reasons.filter(({ code }) => !named.has(code)),
    ...(isOpen ? open.map((bound) => openReason(bound, terms, changes)) : []),
  ]
  return { decision: 'inconclusive', verdict: { ...found, reasons } }
}

function endReasons(ended: StudyEnd): ReasonOf<typeof REASONS>[] {
  if (ended === 'complete' || ended === 'target') return []
  return [reasonOf(REASONS, ended, {})]
}
