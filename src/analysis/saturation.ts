/** From the rungs of a ladder to the document of a saturation: verdict, ceiling, knee, what it feeds, findings. */
import { unreachable } from '../assert.ts'
import type { Finding, Metric, Reason } from './document.ts'
import { formatCount, formatMetric, formatValue, plural } from './format-metric.ts'
import type {
  SaturatedEndpoint,
  SaturationDocument,
  SaturationFeed,
  SaturationRun,
  SaturationRung,
  SaturationVerdict,
} from './saturation-document.ts'
import { shapeOf } from './saturation-knee.ts'
import type { Shape } from './saturation-knee.ts'

export const ENDPOINTS: Record<SaturatedEndpoint, string> = {
  inputs: 'GET /inputs',
  status: 'GET /status/{id}',
  kickoff: 'POST /kickoff',
}

export interface SaturationFacts {
  crewload: string
  run: SaturationRun
  rungs: readonly SaturationRung[]
  spent: SaturationDocument['spent']
  /** What the run saw beside the rungs. */
  findings: readonly Finding[]
}

export function saturationDocument(facts: SaturationFacts): SaturationDocument {
  const rungs = facts.rungs.toSorted((a, b) => a.connections - b.connections)
  const shape = shapeOf(rungs)
  return {
    schema: 'crewload/saturation/1',
    crewload: facts.crewload,
    run: facts.run,
    verdict: shape === null ? invalid(facts.run, rungs) : judged(facts.run, rungs, shape),
    ceiling: shape?.ceiling ?? null,
    knee: shape?.knee ?? null,
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

function judged(
  run: SaturationRun,
  rungs: readonly SaturationRung[],
  shape: Shape,
): SaturationVerdict {
  const bounds = boundReasons(run, rungs, shape)
  const reasons = [...bounds, ...precisionReasons(shape)]
  const atLeast = bounds.length > 0
  const how = atLeast ? 'at least ' : reasons.length > 0 ? 'about ' : ''
  const carries = `${ENDPOINTS[run.endpoint]} carries ${how}${answers(shape.ceiling.throughput)} a second`
  return {
    outcome: reasons.length === 0 ? 'measured' : 'inconclusive',
    atLeast,
    reasons,
    sentence: `${carries}; ${kneeWords(shape)}.`,
  }
}

/** Half the width of the ceiling's interval, as a share of it: beyond, neighbouring rungs cannot be told apart. */
const PRECISION_BOUND = 0.2

function precisionReasons({ ceiling }: Shape): Reason[] {
  const { value, low, high } = ceiling.throughput
  if (value === null || low === null || high === null) return []
  const half = (high - low) / 2 / value
  if (half <= PRECISION_BOUND) return []
  const found = formatValue(half, 'share')
  return [
    {
      code: 'precision',
      message: `the ceiling is known within ${found} alone, bound ${formatValue(PRECISION_BOUND, 'share')}`,
      remedy: 'climb again with longer rungs (--duration), on a quiet machine',
    },
  ]
}

function answers(throughput: Metric): string {
  return `${formatMetric(throughput).replace(/\/s$/, '')} answers`
}

function kneeWords({ knee, bound, errorsFrom, collapse }: Shape): string {
  const at = plural(knee.connections, 'connection')
  const reach = `${at} ${knee.connections === 1 ? 'reaches' : 'reach'} it, and with`
  switch (bound) {
    case 'flat':
      return collapse === null
        ? `${reach} more of them answers only wait longer`
        : `${reach} ${formatCount(collapse.connections)} it collapses`
    case 'errors':
      return `${reach} ${formatCount(errorsFrom?.connections ?? 0)} answers go wrong`
    case 'open':
      return `with ${at}, the most that were tried, it was still rising`
    case 'generator':
      return `with ${at} this process, not the target, was the limit`
    case 'doubt':
      return `what happens above ${at} could not be measured`
    default:
      return unreachable(bound)
  }
}

function boundReasons(
  run: SaturationRun,
  rungs: readonly SaturationRung[],
  { bound, knee }: Shape,
): Reason[] {
  switch (bound) {
    case 'flat':
    case 'errors':
      return []
    case 'generator':
      return [
        {
          code: 'generator',
          message: 'this process was saturated before the target was',
          remedy: 'give it a machine of its own, or take the ceiling as a lower bound',
        },
      ]
    case 'doubt': {
      const doubted = rungs.find(({ connections }) => connections > knee.connections)
      const why = doubted?.doubts[0]?.message ?? ''
      return [
        {
          code: 'doubt',
          message: `no rung above ${plural(knee.connections, 'connection')} can be trusted: ${why}`,
          remedy: 'climb again with longer rungs: --duration',
        },
      ]
    }
    case 'open':
      return [openReason(run, rungs)]
    default:
      return unreachable(bound)
  }
}

function openReason({ ended, endpoint }: SaturationRun, rungs: readonly SaturationRung[]): Reason {
  const most = rungs.at(-1)?.connections ?? 0
  const message = `the last rung, ${plural(most, 'connection')}, was the best`
  switch (ended) {
    case 'budget':
      return {
        code: 'open',
        message: `${message}, and the budget ended there`,
        remedy: moreBudget(endpoint),
      }
    case 'interrupted':
    case 'target':
      return {
        code: 'open',
        message: `${message}, and ${INTERRUPTIONS[ended]}`,
        remedy: 'climb again to the end',
      }
    case 'complete':
    case 'errors':
      return { code: 'open', message, remedy: `climb on: --connections ${4 * most}` }
    default:
      return unreachable(ended)
  }
}

const INTERRUPTIONS = {
  interrupted: 'it was interrupted there',
  target: 'the fake crew of this run ended by itself there',
} as const

function moreBudget(endpoint: SaturatedEndpoint): string {
  return `climb again with a larger ${endpoint === 'kickoff' ? '--max-kickoffs' : '--max-requests'}`
}

function invalid(run: SaturationRun, rungs: readonly SaturationRung[]): SaturationVerdict {
  const sentence = `The ceiling of ${ENDPOINTS[run.endpoint]} could not be measured: `
  const [first] = rungs
  if (first === undefined) {
    const why = noRung(run)
    return {
      outcome: 'invalid',
      atLeast: false,
      reasons: [why],
      sentence: `${sentence}${why.message}.`,
    }
  }
  const reasons = rungs.flatMap(({ connections, doubts }) =>
    doubts
      .filter(({ code }) => code !== 'generator')
      .map(({ code, message }) => ({
        code,
        message: `${plural(connections, 'connection')}: ${message}`,
        remedy: REMEDIES[code],
      })),
  )
  return {
    outcome: 'invalid',
    atLeast: false,
    reasons,
    sentence: `${sentence}no rung can be trusted.`,
  }
}

function noRung({ ended, endpoint }: SaturationRun): Reason {
  const message = 'no rung came to its end'
  if (ended === 'budget') return { code: 'budget', message, remedy: moreBudget(endpoint) }
  const why =
    ended === 'target' ? 'the fake crew of this run ended by itself' : 'it was interrupted'
  return { code: ended, message: `${message}, ${why}`, remedy: 'climb again to the end' }
}

const REMEDIES: Record<SaturationRung['doubts'][number]['code'], string> = {
  few: 'climb again with longer rungs (--duration), or a larger budget',
  short: 'climb fewer rungs (--connections), or with a larger budget',
  little: 'climb again; if it stays, the target closes connections without a word',
  generator: '',
  errors:
    'look at the errors: a limiter of the target (429) lies below this ladder, or it is broken',
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
