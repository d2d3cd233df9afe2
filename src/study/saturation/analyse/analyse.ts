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
    findings: [
      ...(shape === null ? [] : shapeFindings(shape)),
      ...(shape === null ? [] : visitedOnce(facts)),
      ...reopened(rungs),
      ...facts.findings,
    ],
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

function shapeFindings({ ceiling, collapse, errorsFrom }: Shape): Finding[] {
  const findings: Finding[] = []
  if (collapse !== null) {
    const share = (collapse.throughput.value ?? 0) / (ceiling.throughput.value ?? 1)
    findings.push({
      severity: 'problem',
      message:
        'Throughput collapses under load: with ' +
        `${plural(collapse.connections, 'connection')}, only ` +
        `${formatValue(share, 'share')} of the ceiling is left. Limit the connections ` +
        `in front of it to ${formatCount(ceiling.connections)}.`,
    })
  }
  if (errorsFrom !== null) {
    const [first] = errorsFrom.errorClasses
    findings.push({
      severity: 'warning',
      message:
        `From ${plural(errorsFrom.connections, 'connection')} on, requests fail: ` +
        `${formatMetric(errorsFrom.errors)}, most of them ${first?.class ?? ''}.`,
    })
  }
  return findings
}

/** No visit says how far another one of the same rung would be from it. */
function visitedOnce({ visits }: SaturationFacts): Finding[] {
  const most = Math.max(...visits.map(({ pass }) => pass))
  if (most !== 1) return []
  const message =
    'Each rung was visited once: the intervals cover this one visit, and not what another would ' +
    'measure.'
  return [{ severity: 'warning', message }]
}

/** The share of requests above which handshakes are part of what every client pays. */
const REOPENED_SHARE = 0.01

function reopened(rungs: readonly SaturationRung[]): Finding[] {
  const requests = rungs.reduce((sum, rung) => sum + rung.requests, 0)
  const reconnects = rungs.reduce((sum, rung) => sum + rung.reconnects, 0)
  if (requests === 0 || reconnects / requests <= REOPENED_SHARE) return []
  const share = formatValue(reconnects / requests, 'share')
  return [
    {
      severity: 'warning',
      message:
        `${share} of the requests found their connection closed and had to open a new ` +
        'one: with keep-alive the ceiling would be higher.',
    },
  ]
}
