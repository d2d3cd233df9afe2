/**
 * Makes the document of a saturation from the visits of a ladder: rungs, verdict, ceiling, knee,
 * the load that it can serve, findings.
 */
import { unreachable } from '../../../base/assert.ts'
import { formatCount, formatValue, plural } from '../../../base/numbers.ts'
import { formatMetric } from '../../../result/metrics/sentences.ts'
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
import { ENDPOINTS, FINDINGS, REASONS } from '../document.ts'
import type { StudyFacts } from '../../frame/envelope.ts'
import type { FindingRule } from '../../frame/findings.ts'
import { findingsBy, reasonOf } from '../../frame/findings.ts'
import { isGeneratorBound, rungsOf, withoutUnit } from './visit.ts'
import { shapeOf } from './shape.ts'
import type { Shape } from './shape.ts'

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
  return `${share} of the requests had to reopen their connection`
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

function precisionReason(ladder: Ladder, { ceiling }: Shape): SaturationReason | null {
  const { value, low, high } = ceiling.throughput
  if (value === null || low === null || high === null) return null
  // The lower end stops at zero; the upper one shows the whole width.
  const half = (high - value) / value
  if (half <= PRECISION_BOUND) return null
  const [found, bound] = [half, PRECISION_BOUND].map((share) =>
    formatValue(share, 'share', { step: 0.01 }),
  )
  const message = `the ceiling is known only within ${found}, bound ${bound}`
  return reasonOf(REASONS, 'precision', message, ladder)
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
  const open = (code: 'open' | 'unclear', message: string): SaturationReason =>
    reasonOf(REASONS, code, `${message}${stopWords(ladder)}`, ladder)
  switch (bound) {
    case 'flat':
    case 'errors':
      return null
    case 'generator':
      return reasonOf(REASONS, bound, 'this process was saturated before the target was')
    case 'doubt': {
      const doubts = ladder.rungs.find(({ connections }) => connections > widest)?.doubts ?? []
      const [doubt] = doubts.map((each) => reasonOf(REASONS, each.code, each.message, ladder))
      const above = `no rung above ${plural(widest, 'connection')} can be trusted`
      return reasonOf(REASONS, bound, `${above}: ${doubt?.message ?? ''}`, doubt?.remedy ?? '')
    }
    case 'rising':
      return open('open', `${last} was the best`)
    case 'unclear':
      return open(bound, `${last} was the best, but not clearly above the others`)
    case 'noisy': {
      const message =
        'visits of one rung differ too much to say which one reaches the ceiling first'
      return reasonOf(REASONS, bound, message, ladder)
    }
    case 'single':
      return open('open', `${last} is the only one that counts`)
    default:
      return unreachable(bound)
  }
}

/** What ended a later pass did not end the ladder. */
function stopWords({ ended, rungs, plan }: Ladder): string {
  return rungs.length === plan.ladder.length ? '' : STOPPED[ended]
}

const STOPPED: Record<LadderEnd, string> = {
  complete: '',
  errors: '',
  budget: ', and the budget had no room for the next',
  interrupted: ', and it was interrupted there',
  target: ', and the fake crew of this run ended there',
}

/**
 * The verdict of a ladder without a rung that counts. One that was interrupted before it gave a
 * number is not wrong.
 */
function unmeasured(ladder: Ladder): SaturationVerdict {
  const { plan, rungs, ended } = ladder
  const isEmpty = rungs.length === 0
  const why = isEmpty ? `no visit finished${UNFINISHED[ended]}` : 'no rung can be trusted'
  return {
    outcome: isEmpty && ended === 'interrupted' ? 'inconclusive' : 'invalid',
    atLeast: false,
    reasons: isEmpty ? [reasonOf(REASONS, ended, why, ladder)] : distrusted(ladder),
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
      .map(({ code, message }) =>
        reasonOf(REASONS, code, `${plural(connections, 'connection')}: ${message}`, ladder),
      ),
  )
}
