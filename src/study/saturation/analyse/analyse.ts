/**
 * Makes the document of a saturation from the visits of a ladder: rungs, verdict, ceiling, knee,
 * the load that it can serve, findings.
 */
import { unreachable } from '../../../base/assert.ts'
import { formatCount, formatValue, plural } from '../../../base/numbers.ts'
import { formatMetric } from '../../../result/metrics/words.ts'
import type {
  SaturationDocument,
  SaturationFeed,
  SaturationReason,
  SaturationRung,
  SaturationVisit,
  VisitDoubt,
  LadderEnd,
  SaturationPlan,
  SaturationVerdict,
} from '../document.ts'
import { FINDINGS } from '../document.ts'
import type { StudyFacts } from '../../frame/envelope.ts'
import type { FindingRule } from '../../frame/findings.ts'
import { findingsBy } from '../../frame/findings.ts'
import { isGeneratorBound, rungsOf, withoutUnit } from './visit.ts'
import { shapeOf } from './shape.ts'
import type { Shape } from './shape.ts'
import { ENDPOINTS, MOST_REPEATS } from '../document.ts'

/** The observations of a saturation, before any conclusion. */
export interface SaturationFacts extends Omit<StudyFacts, 'ended'> {
  plan: SaturationPlan
  ended: LadderEnd
  /** In the order in which they were made. */
  visits: readonly SaturationVisit[]
  seed: number
  target: string
  profile: string | null
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
  const shape = shapeOf(rungs, visits)
  const passes = Math.max(0, ...visits.map(({ pass }) => pass))
  return {
    schema: 'crewload/saturation/3',
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

function collapsed({ shape }: SaturationSeen): string | null {
  if (shape === null || shape.collapse === null) return null
  const { ceiling, collapse } = shape
  const share = (collapse.throughput.value ?? 0) / (ceiling.throughput.value ?? 1)
  return (
    `Throughput collapses to ${formatValue(share, 'share')} of the ceiling with ` +
    `${plural(collapse.connections, 'connection')}. Limit the connections in front of it to ` +
    `${formatCount(ceiling.connections)}.`
  )
}

function failing({ shape }: SaturationSeen): string | null {
  if (shape === null || shape.errorsFrom === null) return null
  const { connections, errors, errorClasses } = shape.errorsFrom
  return (
    `From ${plural(connections, 'connection')} on, requests fail: ${formatMetric(errors)}, most ` +
    `of them ${errorClasses[0]?.class ?? ''}.`
  )
}

/** No visit says how far another one of the same rung would be from it. */
function visitedOnce({ shape, passes }: SaturationSeen): string | null {
  if (shape === null || passes !== 1) return null
  return 'Each rung was visited once: the intervals do not cover what another visit would measure.'
}

/** The share of requests above which handshakes are part of what every client pays. */
const REOPENED_SHARE = 0.01

function reopened({ rungs }: SaturationSeen): string | null {
  const requests = rungs.reduce((sum, rung) => sum + rung.requests, 0)
  const reconnects = rungs.reduce((sum, rung) => sum + rung.reconnects, 0)
  if (requests === 0 || reconnects / requests <= REOPENED_SHARE) return null
  const share = formatValue(reconnects / requests, 'share')
  return `${share} of the requests had to reopen their connection: keep-alive would raise the ceiling.`
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
  const rate = formatMetric(withoutUnit(shape.ceiling.throughput))
  const served = `${ENDPOINTS[ladder.plan.endpoint]} serves ${how}${rate} answers per second`
  return {
    outcome: reasons.length === 0 ? 'measured' : 'inconclusive',
    atLeast,
    reasons,
    sentence: `${served}; ${kneeWords(shape)}.`,
  }
}

/**
 * Half the width of the ceiling's interval relative to it: above this, neighbouring rungs cannot be
 * distinguished.
 */
const PRECISION_BOUND = 0.2

function precisionReason({ plan }: Ladder, { ceiling }: Shape): SaturationReason | null {
  const { value, low, high } = ceiling.throughput
  if (value === null || low === null || high === null) return null
  // The lower end stops at zero; the upper one shows the whole width.
  const half = (high - value) / value
  if (half <= PRECISION_BOUND) return null
  const [found, bound] = [half, PRECISION_BOUND].map((share) =>
    formatValue(share, 'share', { step: 0.01 }),
  )
  return {
    code: 'precision',
    message: `the ceiling is known only within ${found}, bound ${bound}`,
    remedy: `${moreVisits(plan)}, on a quiet machine`,
  }
}

function kneeWords(shape: Shape): string {
  const { bound, widest, plateau, errorsFrom, collapse } = shape
  const at = plural(widest, 'connection')
  const beyond =
    collapse === null
      ? 'more of them answers only wait longer'
      : `${formatCount(collapse.connections)} throughput collapses`
  switch (bound) {
    case 'flat':
      return `${reachWords(shape)}, and with ${beyond}`
    case 'errors':
      return `${reachWords(shape)}, and with ${formatCount(errorsFrom?.connections ?? 0)} requests fail`
    case 'rising':
      return `with ${at}, the most tried, it was still rising`
    case 'unclear':
      return `whether it was still rising with ${at}, the most tried, is unknown`
    case 'noisy':
      return reachWords(shape)
    case 'single':
      return `the effect of more than ${at} is unknown`
    case 'generator':
      return (
        `with ${plural(plateau.find(isGeneratorBound)?.connections ?? widest, 'connection')} ` +
        'this process, not the target, was the limit'
      )
    case 'doubt':
      return `what happens above ${at} could not be measured`
    default:
      return unreachable(bound)
  }
}

/** `8 connections reach it`, or `it takes from 8 to 16 connections`, `8 connections or more`. */
function reachWords({ knee }: Shape): string {
  const { from = 0, to = null } = knee ?? {}
  if (to === null) return `it takes ${plural(from, 'connection')} or more`
  if (from !== to) return `it takes from ${formatCount(from)} to ${plural(to, 'connection')}`
  return `${plural(to, 'connection')} ${to === 1 ? 'reaches' : 'reach'} it`
}

function boundReason(ladder: Ladder, { bound, widest }: Shape): SaturationReason | null {
  const last = `the last rung, ${plural(ladder.rungs.at(-1)?.connections ?? 0, 'connection')},`
  switch (bound) {
    case 'flat':
    case 'errors':
      return null
    case 'generator':
      return {
        code: 'generator',
        message: 'this process was saturated before the target was',
        remedy: 'run crewload on a separate machine, or take the ceiling as a lower bound',
      }
    case 'doubt': {
      const doubted = ladder.rungs.find(({ connections }) => connections > widest)
      const [doubt] = doubted?.doubts ?? []
      const above = `no rung above ${plural(widest, 'connection')} can be trusted`
      return {
        code: 'doubt',
        message: `${above}: ${doubt?.message ?? ''}`,
        remedy: doubt === undefined ? '' : remedyOf(doubt, ladder),
      }
    }
    case 'rising':
      return openReason('open', `${last} was the best`, ladder)
    case 'unclear':
      return openReason(bound, `${last} was the best, but not clearly above the others`, ladder)
    case 'noisy':
      return {
        code: 'noisy',
        message: 'visits of one rung differ too much to say which rung reaches the ceiling first',
        remedy: `${moreVisits(ladder.plan)}, on a quiet machine`,
      }
    case 'single':
      return openReason('open', `${last} is the only one that counts`, ladder)
    default:
      return unreachable(bound)
  }
}

function openReason(code: 'open' | 'unclear', message: string, ladder: Ladder): SaturationReason {
  const { ended, rungs, plan } = ladder
  // What ended a later pass did not end the ladder.
  const end = rungs.length === plan.ladder.length ? 'complete' : ended
  const remedy = remedyOfEnd(end, ladder) ?? climbOn(code, ladder)
  return { code, message: `${message}${STOPPED[end]}`, remedy }
}

const STOPPED: Record<LadderEnd, string> = {
  complete: '',
  errors: '',
  budget: ', and the budget had no room for the next',
  interrupted: ', and it was interrupted there',
  target: ', and the fake crew of this run ended there',
}

/** Null where the ladder ended by itself. */
function remedyOfEnd(end: LadderEnd, ladder: Ladder): string | null {
  if (end === 'complete' || end === 'errors') return null
  return end === 'budget' ? moreBudget(ladder) : 'repeat, and let it finish'
}

/** Two doublings further; where the rungs could not be distinguished, with more visits too. */
function climbOn(code: 'open' | 'unclear', { plan, rungs }: Ladder): string {
  const further = `continue the ladder: --connections ${4 * (rungs.at(-1)?.connections ?? 1)}`
  return code === 'open' ? further : `${further} --repeats ${twiceAsMany(plan)}`
}

/** Four times as long, when there are as many visits as there can be. */
function moreVisits({ repeats, rungMs }: SaturationPlan): string {
  return repeats < MOST_REPEATS
    ? `repeat with more visits: --repeats ${twiceAsMany({ repeats })}`
    : `repeat with longer visits: --duration ${(4 * rungMs) / 1_000}s`
}

/** At least three: the t-interval between two is too wide to tell rungs apart. */
function twiceAsMany({ repeats }: Pick<SaturationPlan, 'repeats'>): number {
  return Math.min(MOST_REPEATS, Math.max(3, 2 * repeats))
}

/** The flag of the limit that ended the ladder: for a kickoff, the stricter of the two limits. */
function moreBudget({ plan, ...spent }: Ladder): string {
  const { requests, kickoffs } = plan.budget
  const before = spent.requests - spent.kickoffs
  const byKickoffs =
    plan.endpoint === 'kickoff' &&
    kickoffs !== null &&
    (requests === null || kickoffs <= requests - before)
  return `repeat with a larger ${byKickoffs ? '--max-kickoffs' : '--max-requests'}`
}

/**
 * The verdict of a ladder without a rung that counts. One that was interrupted before it gave a
 * number is not wrong.
 */
function unmeasured(ladder: Ladder): SaturationVerdict {
  const { plan, rungs, ended } = ladder
  const isEmpty = rungs.length === 0
  const why = isEmpty ? `no visit finished${UNFINISHED[ended]}` : 'no rung can be trusted'
  const remedy = remedyOfEnd(ended, ladder) ?? 'repeat, and let it finish'
  return {
    outcome: isEmpty && ended === 'interrupted' ? 'inconclusive' : 'invalid',
    atLeast: false,
    reasons: isEmpty ? [{ code: ended, message: why, remedy }] : distrusted(ladder),
    sentence: `The ceiling of ${ENDPOINTS[plan.endpoint]} could not be measured: ${why}.`,
  }
}

const UNFINISHED: Record<LadderEnd, string> = {
  complete: '',
  errors: '',
  budget: ': the budget is too small for one',
  interrupted: ' before the interruption',
  target: ': the fake crew of this run ended unexpectedly',
}

function distrusted(ladder: Ladder): SaturationReason[] {
  return ladder.rungs.flatMap(({ connections, doubts }) =>
    doubts
      .filter(({ code }) => code !== 'generator')
      .map((doubt) => ({
        code: doubt.code,
        message: `${plural(connections, 'connection')}: ${doubt.message}`,
        remedy: remedyOf(doubt, ladder),
      })),
  )
}

function remedyOf({ code }: VisitDoubt, ladder: Ladder): string {
  if (code === 'short') return `${moreBudget(ladder)}, or fewer rungs (--connections)`
  return REMEDIES[code]
}

const REMEDIES: Record<Exclude<VisitDoubt['code'], 'short'>, string> = {
  few: 'repeat with longer visits (--duration), or a larger budget',
  little: 'repeat; if it persists, the target closes connections without notice',
  errors:
    "see the errors: the target's limiter (429) is below this ladder, or the target is broken",
  generator: 'run crewload on a separate machine',
  stolen: 'repeat when this host is quiet, or on a machine with cores of its own',
}
