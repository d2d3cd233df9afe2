/**
 * Makes the document of a saturation from the visits of a ladder: rungs, verdict, ceiling, knee,
 * the load that it can serve, findings.
 */
import type { CrewPlace } from '../../../execution/record/crew-place.ts'
import { unreachable } from '../../../base/assert.ts'
import type { FindingRule } from '../../../result/sentence-tables.ts'
import { findingsBy, reasonOf } from '../../../result/sentence-tables.ts'
import type {
  SaturationDocument,
  SaturationFeed,
  SaturationReason,
  SaturationRung,
  SaturationVisit,
  LadderEnd,
  SaturationPlan,
  SaturationVerdict,
} from '../document.ts'
import { ENDPOINTS } from '../document.ts'
import type { LastRung } from '../sentences.ts'
import {
  FINDINGS,
  REASONS,
  distrustedBy,
  unmeasuredSentence,
  verdictSentence,
} from '../sentences.ts'
import type { StudyFacts } from '../../frame/envelope.ts'
import { isGeneratorBound, rungsOf, withoutUnit } from './visit.ts'
import { ladderShapeOf } from './shape.ts'
import type { Shape } from './shape.ts'

/** The observations of a saturation, before any conclusion. */
export interface SaturationFacts extends Omit<StudyFacts, 'ended'> {
  plan: SaturationPlan
  ended: LadderEnd
  /** In the order in which they were made. */
  visits: readonly SaturationVisit[]
  seed: number
  place: CrewPlace
  /** Reasons that were observed besides the rungs: doubts about the ceiling, and other findings. */
  reasons: readonly SaturationReason[]
  findings: SaturationDocument['findings']
}

/** `rungs`: in rising order of connections. */
interface Ladder extends SaturationFacts {
  rungs: SaturationRung[]
}

export function saturationDocument(all: SaturationFacts): SaturationDocument {
  const { visits, reasons: _, findings, ...facts } = all
  const rungs = rungsOf(visits)
  const shape = ladderShapeOf(rungs, visits)
  const passes = Math.max(0, ...visits.map(({ pass }) => pass))
  return {
    schema: 'crewload/saturation/1',
    study: 'saturation',
    ...facts,
    scenario: null,
    verdict: shape === null ? unmeasured({ ...all, rungs }) : judged({ ...all, rungs }, shape),
    ceiling: shape?.ceiling ?? null,
    knee: shape?.knee ?? null,
    feeds: shape === null ? [] : feedsOf(facts.plan, shape),
    rungs,
    trials: [...visits],
    findings: [...findingsBy(FINDINGS, RULES, { shape, rungs, passes }), ...findings],
  }
}

function feedsOf({ endpoint, pollingMs }: SaturationPlan, { ceiling }: Shape): SaturationFeed[] {
  const perSecond = ceiling.throughput.value ?? 0
  switch (endpoint) {
    case 'inputs':
      return []
    case 'kickoff':
      return [{ kind: 'kickoffs', perHour: perSecond * 3_600 }]
    case 'status':
      return pollingMs.map((intervalMs) => ({
        kind: 'polling',
        intervalMs,
        inFlight: (perSecond * intervalMs) / 1_000,
      }))
    default:
      return unreachable(endpoint)
  }
}

interface SaturationSeen {
  shape: Shape | null
  rungs: readonly SaturationRung[]
  /** The most visits of one rung. */
  passes: number
}

const RULES: readonly FindingRule<typeof FINDINGS, SaturationSeen>[] = [
  ['throughput-collapses', collapsed],
  ['requests-fail', failing],
  ['visited-once', visitedOnce],
  ['connections-reopened', reopened],
]

function collapsed({ shape }: SaturationSeen) {
  if (shape === null || shape.collapse === null) return null
  const { ceiling, collapse } = shape
  const share = (collapse.throughput.value ?? 0) / (ceiling.throughput.value ?? 1)
  return { share, connections: collapse.connections, ceilingAt: ceiling.connections }
}

function failing({ shape }: SaturationSeen) {
  if (shape === null || shape.errorsFrom === null) return null
  const { connections, errors, errorClasses } = shape.errorsFrom
  return { connections, errors, mostly: errorClasses[0]?.class ?? '' }
}

/** No visit says how far another one of the same rung would be from it. */
function visitedOnce({ shape, passes }: SaturationSeen) {
  return shape === null || passes !== 1 ? null : {}
}

/** The share of requests above which handshakes are part of what every client pays. */
const REOPENED_SHARE = 0.01

function reopened({ rungs }: SaturationSeen) {
  const requests = rungs.reduce((sum, rung) => sum + rung.requests, 0)
  const reconnects = rungs.reduce((sum, rung) => sum + rung.reconnects, 0)
  const share = requests === 0 ? 0 : reconnects / requests
  return share <= REOPENED_SHARE ? null : { share }
}

/**
 * How reliable the ceiling is, and what to do when that is not enough. Observations besides the
 * rungs make it doubtful as well.
 */
function judged(ladder: Ladder, shape: Shape): SaturationVerdict {
  const bound = boundReason(ladder, shape)
  const precision = precisionReason(ladder, shape)
  const reasons = [...ladder.reasons, bound, precision].filter((reason) => reason !== null)
  const atLeast = bound !== null && shape.bound !== 'unclear' && shape.bound !== 'noisy'
  const how = atLeast ? 'at least ' : reasons.length > 0 ? 'about ' : ''
  const saturatedAt = shape.plateau.find(isGeneratorBound)?.connections ?? shape.widest
  const rate = withoutUnit(shape.ceiling.throughput)
  return {
    outcome: reasons.length === 0 ? 'measured' : 'inconclusive',
    atLeast,
    reasons,
    sentence: verdictSentence(ENDPOINTS[ladder.plan.endpoint], rate, how, {
      ...shape,
      saturatedAt,
    }),
  }
}

/**
 * Half the width of the ceiling's interval relative to it: above this, neighbouring rungs cannot be
 * distinguished.
 */
const PRECISION_BOUND = 0.2

function precisionReason(ladder: Ladder, { ceiling }: Shape): SaturationReason | null {
  const { value, low, high } = ceiling.throughput
  if (value === null || low === null || high === null) return null
  // The lower end stops at zero; the upper one shows the whole width.
  const half = (high - value) / value
  if (half <= PRECISION_BOUND) return null
  const facts = { share: half, bound: PRECISION_BOUND, ...visitsOf(ladder) }
  return reasonOf(REASONS, 'precision', facts)
}

function boundReason(ladder: Ladder, { bound, widest }: Shape): SaturationReason | null {
  const last = lastRung(ladder)
  switch (bound) {
    case 'flat':
    case 'errors':
      return null
    case 'generator':
      return reasonOf(REASONS, bound, {})
    case 'doubt': {
      const found = ladder.rungs.find(({ connections }) => connections > widest)?.doubts[0]
      const { limit } = last
      return reasonOf(REASONS, bound, { connections: widest, doubt: found ?? null, limit })
    }
    case 'rising':
      return reasonOf(REASONS, 'open', { ...last, shows: 'best' })
    case 'unclear':
      return reasonOf(REASONS, bound, last)
    case 'noisy':
      return reasonOf(REASONS, bound, visitsOf(ladder))
    case 'single':
      return reasonOf(REASONS, 'open', { ...last, shows: 'alone' })
    default:
      return unreachable(bound)
  }
}

function visitsOf({ plan: { repeats, rungMs } }: Ladder): { repeats: number; rungMs: number } {
  return { repeats, rungMs }
}

/** What ended a later pass did not end the ladder. */
function lastRung(ladder: Ladder): LastRung {
  const { ended, rungs, plan } = ladder
  const isWhole = rungs.length === plan.ladder.length || ended === 'complete' || ended === 'errors'
  return {
    connections: rungs.at(-1)?.connections ?? 0,
    cut: isWhole ? null : ended,
    limit: limitOf(ladder),
    repeats: plan.repeats,
  }
}

/** The limit that ended the ladder: for a kickoff, the stricter of the two limits. */
function limitOf({ plan, ...spent }: Ladder): LastRung['limit'] {
  const { requests, kickoffs } = plan.budget
  const before = spent.requests - spent.kickoffs
  const isOfKickoffs =
    plan.endpoint === 'kickoff' &&
    kickoffs !== null &&
    (requests === null || kickoffs <= requests - before)
  return isOfKickoffs ? 'kickoffs' : 'requests'
}

/**
 * The verdict of a ladder without a rung that counts. One that was interrupted before it gave a
 * number is not wrong.
 */
function unmeasured(ladder: Ladder): SaturationVerdict {
  const { plan, rungs, ended } = ladder
  const empty = rungs.length === 0 ? unfinished(ladder) : null
  const why = empty?.message ?? 'no rung can be trusted'
  return {
    outcome: empty !== null && ended === 'interrupted' ? 'inconclusive' : 'invalid',
    atLeast: false,
    reasons: [...(empty === null ? distrusted(ladder) : [empty]), ...ladder.reasons],
    sentence: unmeasuredSentence(ENDPOINTS[plan.endpoint], why),
  }
}

/** Errors end a ladder only after a visit. */
function unfinished(ladder: Ladder): SaturationReason {
  const { ended } = ladder
  if (ended === 'budget') return reasonOf(REASONS, ended, { limit: limitOf(ladder) })
  return reasonOf(REASONS, ended === 'errors' ? 'complete' : ended, {})
}

function distrusted(ladder: Ladder): SaturationReason[] {
  const limit = limitOf(ladder)
  return ladder.rungs.flatMap(({ connections, doubts }) =>
    doubts.flatMap((doubt) =>
      doubt.code === 'generator' ? [] : [distrustedBy(doubt, { connections, limit })],
    ),
  )
}
