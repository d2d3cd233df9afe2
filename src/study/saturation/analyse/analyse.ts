/**
 * Makes the document of a saturation from the visits of a ladder: rungs, verdict, ceiling, knee,
 * the load that it can serve, findings.
 */
import { unreachable } from '../../../base/assert.ts'
import type { Finding, Reason } from '../../../result/document.ts'
import { formatCount, formatMetric, formatValue, plural } from '../../../result/metrics/format.ts'
import type {
  SaturationDocument,
  SaturationFeed,
  SaturationRung,
  SaturationVisit,
} from '../document.ts'
import type { StudyFacts } from '../../frame/envelope.ts'
import type { FindingRule } from '../../frame/findings.ts'
import { findingsBy } from '../../frame/findings.ts'
import { rungsOf } from './rung.ts'
import { shapeOf } from './shape.ts'
import type { Shape } from './shape.ts'
import type { Ladder } from './verdict.ts'
import { judged, unmeasured } from './verdict.ts'

/** The observations of a saturation, before any conclusion. */
export interface SaturationFacts extends Omit<StudyFacts, keyof Ladder>, Omit<Ladder, 'rungs'> {
  /** In the order in which they were made. */
  visits: readonly SaturationVisit[]
  seed: number
  target: string
  profile: string | null
  /** Reasons that were observed besides the rungs: doubts about the ceiling, and other findings. */
  reasons: readonly Reason[]
  findings: readonly Finding[]
}

export function saturationDocument(facts: SaturationFacts): SaturationDocument {
  const { tool, id, startedAt, durationMs, target, profile, command } = facts
  const rungs = rungsOf(facts.visits)
  const ladder = { ...facts, rungs }
  const shape = shapeOf(rungs, facts.visits)
  const passes = Math.max(0, ...facts.visits.map(({ pass }) => pass))
  return {
    schema: 'crewload/saturation/3',
    study: 'saturation',
    tool,
    id,
    verdict: shape === null ? unmeasured(ladder) : judged(ladder, shape, facts.reasons),
    target,
    profile,
    scenario: null,
    seed: facts.seed,
    startedAt,
    durationMs,
    requests: facts.requests,
    kickoffs: facts.kickoffs,
    budget: facts.plan.budget,
    plan: facts.plan,
    ended: facts.ended,
    ceiling: shape?.ceiling ?? null,
    knee: shape?.knee ?? null,
    feeds: shape === null ? [] : feedsOf(facts, shape),
    rungs,
    trials: [...facts.visits],
    findings: [...findingsBy(RULES, { shape, rungs, passes }), ...facts.findings],
    command,
  }
}

function feedsOf({ plan }: SaturationFacts, { ceiling }: Shape): SaturationFeed[] {
  const perSecond = ceiling.throughput.value ?? 0
  switch (plan.endpoint) {
    case 'inputs':
      return []
    case 'kickoff':
      return [{ kind: 'kickoffs', perHour: perSecond * 3_600 }]
    case 'status':
      return plan.pollingMs.map((intervalMs) => ({
        kind: 'polling',
        intervalMs,
        inFlight: (perSecond * intervalMs) / 1_000,
      }))
    default:
      return unreachable(plan.endpoint)
  }
}

interface SaturationSeen {
  shape: Shape | null
  rungs: readonly SaturationRung[]
  /** The most visits of one rung. */
  passes: number
}

const RULES: readonly FindingRule<SaturationSeen>[] = [
  ['problem', collapsed],
  ['warning', failing],
  ['warning', visitedOnce],
  ['warning', reopened],
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
