/** From the rungs of a ladder to the document of a saturation: verdict, ceiling, knee, what it feeds, findings. */
import { unreachable } from '../../../base/assert.ts'
import type { Finding, Reason } from '../../../analysis/document.ts'
import {
  formatCount,
  formatMetric,
  formatValue,
  plural,
} from '../../../analysis/metrics/format-metric.ts'
import type {
  SaturationDocument,
  SaturationFeed,
  SaturationRun,
  SaturationRung,
} from '../document.ts'
import { isKneeFound, shapeOf } from './knee.ts'
import type { Shape } from './knee.ts'
import { invalid, judged } from './verdict.ts'

export interface SaturationFacts {
  crewload: string
  run: SaturationRun
  rungs: readonly SaturationRung[]
  spent: SaturationDocument['spent']
  /** What the run saw beside the rungs: what makes the ceiling doubtful, and what is worth to know. */
  reasons: readonly Reason[]
  findings: readonly Finding[]
}

export function saturationDocument(facts: SaturationFacts): SaturationDocument {
  const rungs = facts.rungs.toSorted((a, b) => a.connections - b.connections)
  const ladder = { run: facts.run, rungs, spent: facts.spent }
  const shape = shapeOf(rungs)
  return {
    schema: 'crewload/saturation/1',
    crewload: facts.crewload,
    run: facts.run,
    verdict: shape === null ? invalid(ladder) : judged(ladder, shape, facts.reasons),
    ceiling: shape?.ceiling ?? null,
    knee: shape === null || !isKneeFound(shape) ? null : shape.knee,
    feeds: shape === null ? [] : feedsOf(facts, shape),
    rungs,
    spent: facts.spent,
    findings: [
      ...(shape === null ? [] : shapeFindings(shape)),
      ...reopened(rungs),
      ...facts.findings,
    ],
  }
}

function feedsOf({ run }: SaturationFacts, { ceiling }: Shape): SaturationFeed[] {
  const perSecond = ceiling.throughput.value ?? 0
  switch (run.endpoint) {
    case 'inputs':
      return []
    case 'kickoff':
      return [{ kind: 'kickoffs', perHour: perSecond * 3_600 }]
    case 'status':
      return run.pollingMs.map((intervalMs) => ({
        kind: 'polling',
        intervalMs,
        inFlight: (perSecond * intervalMs) / 1_000,
      }))
    default:
      return unreachable(run.endpoint)
  }
}

function shapeFindings({ ceiling, collapse, errorsFrom }: Shape): Finding[] {
  const findings: Finding[] = []
  if (collapse !== null) {
    const share = (collapse.throughput.value ?? 0) / (ceiling.throughput.value ?? 1)
    findings.push({
      severity: 'problem',
      message: `It collapses under load: with ${plural(collapse.connections, 'connection')} only ${formatValue(share, 'share')} of the ceiling are left. Limit the connections in front of it to ${formatCount(ceiling.connections)}.`,
    })
  }
  if (errorsFrom !== null) {
    const [first] = errorsFrom.errorClasses
    findings.push({
      severity: 'warning',
      message: `From ${plural(errorsFrom.connections, 'connection')} on requests go wrong: ${formatMetric(errorsFrom.errors)}, most of them ${first?.class ?? ''}.`,
    })
  }
  return findings
}

/** Of the requests: above it, handshakes are a part of what every client pays. */
const REOPENED_SHARE = 0.01

function reopened(rungs: readonly SaturationRung[]): Finding[] {
  const requests = rungs.reduce((sum, rung) => sum + rung.requests, 0)
  const reconnects = rungs.reduce((sum, rung) => sum + rung.reconnects, 0)
  if (requests === 0 || reconnects / requests <= REOPENED_SHARE) return []
  const share = formatValue(reconnects / requests, 'share')
  return [
    {
      severity: 'warning',
      message: `${share} of the requests found their connection closed and had to open a new one: with keep-alive the ceiling would be higher.`,
    },
  ]
}
