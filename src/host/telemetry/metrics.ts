/**
 * The metrics that a run exports while it goes (those of its result are in
 * `src/scenario/thresholds/metrics`): one list, from which the Prometheus registry, the
 * OpenTelemetry instruments, the named metrics of k6, the table in the docs and the Grafana
 * dashboard are made.
 */
import { MICROS_PER_SECOND } from '../../base/units.ts'

/**
 * `s`: seconds, which are passed as integer microseconds and converted when they are exported; a
 * word in braces names what is counted (an annotation of UCUM); `1` has no unit.
 */
type TelemetryUnit = 's' | '1' | '{arrival}' | '{check}' | '{execution}' | '{request}'

/**
 * Every label has few values, whatever a target answers: names come from the scenario and from this
 * program, and status codes are folded by `statusLabel`.
 */
export const LABELS = {
  'http.request.method': 'GET or POST',
  'http.response.status_code':
    'of the answer, where one came; a code that is not registered counts as the x00 of its class',
  'error.type': 'the class of the failure, or a status code of 400 or more; absent on success',
  'server.address': 'host of the target',
  'server.port': 'port of the target',
  'url.template': '`/kickoff` or `/status/{kickoff_id}`',
  outcome: 'the outcome of the execution, such as `completed` or `lost`',
  operation: '`kickoff` or `status`',
  answer: 'a status code, or the class of the failure',
  check: 'the name of the check in the scenario',
  result: '`passed`, `failed` or `error` (the check itself threw)',
  rule: 'the name of the rule in the contract',
  scenario: 'the name of the scenario',
  engine: '`node` or `k6`',
  version: 'the version of crewload',
} as const
export type LabelName = keyof typeof LABELS
export type Labels = Readonly<Partial<Record<LabelName, string | number>>>

/** Bounds of the classic buckets of a histogram, seconds. */
type BucketBounds = readonly number[]

/**
 * The bounds that OpenTelemetry's semantic conventions advise for HTTP, and two more up to the
 * usual time-outs.
 */
const REQUEST_BOUNDS: BucketBounds = [
  0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30, 60,
]
/**
 * The bounds range from a crew in time-lapse to one that works for two hours, and are closest
 * together where most crews are.
 */
const EXECUTION_BOUNDS: BucketBounds = [
  0.1, 0.5, 1, 2.5, 5, 10, 20, 30, 45, 60, 90, 120, 180, 240, 300, 450, 600, 900, 1_200, 1_800,
  3_600, 7_200,
]
const LATENESS_BOUNDS: BucketBounds = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5,
]

interface Common {
  unit: TelemetryUnit
  help: string
  labels: readonly LabelName[]
  /** Whether k6 receives it as a named metric; `instead` says what k6 has in its place. */
  k6: { sent: true } | { sent: false; instead: string }
}

/**
 * `histogram`: a distribution; `counter`: only grows; `gauge`: goes up and down, and is reported by
 * its changes.
 */
export type TelemetryMetric =
  | (Common & { type: 'counter' | 'gauge' })
  | (Common & { type: 'histogram'; unit: 's'; bounds: BucketBounds })

const SENT = { sent: true } as const
const ONLY_HERE = { sent: false, instead: 'none' } as const

export const TELEMETRY = {
  'http.client.request.duration': {
    type: 'histogram',
    unit: 's',
    help:
      'Service time of each request, from its first byte to the last byte of the answer or to the ' +
      'failure. If no byte was sent, it counts from the release. Warm-up and confirmations included.',
    labels: [
      'http.request.method',
      'http.response.status_code',
      'error.type',
      'server.address',
      'server.port',
      'url.template',
    ],
    bounds: REQUEST_BOUNDS,
    k6: { sent: false, instead: '`http_req_duration`, a metric of k6 itself' },
  },
  'crewload.kickoff.response.duration': {
    type: 'histogram',
    unit: 's',
    help: 'Time from the intended kickoff to its acceptance, retries included.',
    labels: [],
    bounds: REQUEST_BOUNDS,
    k6: SENT,
  },
  'crewload.status.response.duration': {
    type: 'histogram',
    unit: 's',
    help: 'Time from the intended poll to the last byte of its answer, if that is a readable 2xx.',
    labels: [],
    bounds: REQUEST_BOUNDS,
    k6: SENT,
  },
  'crewload.execution.duration': {
    type: 'histogram',
    unit: 's',
    help: 'Time from the intended start to the known end, if a poll saw the end.',
    labels: ['outcome'],
    bounds: EXECUTION_BOUNDS,
    k6: SENT,
  },
  'crewload.detection.delay': {
    type: 'histogram',
    unit: 's',
    help:
      'Upper bound of the detection delay: from the last poll that saw no end to the poll that ' +
      'saw it.',
    labels: ['outcome'],
    bounds: REQUEST_BOUNDS,
    k6: SENT,
  },
  'crewload.lateness': {
    type: 'histogram',
    unit: 's',
    help: 'Lateness of the generator itself: from the intended time of a request to its release.',
    labels: [],
    bounds: LATENESS_BOUNDS,
    k6: ONLY_HERE,
  },
  'crewload.outcomes': {
    type: 'counter',
    unit: '{arrival}',
    help: 'Arrivals whose outcome is known.',
    labels: ['outcome'],
    k6: SENT,
  },
  'crewload.requests': {
    type: 'counter',
    unit: '{request}',
    help: 'Kickoffs and polls of ended executions, by how they were answered.',
    labels: ['operation', 'answer'],
    k6: SENT,
  },
  'crewload.polls.wasted': {
    type: 'counter',
    unit: '{request}',
    help: 'Polls of ended executions whose answer saw no change.',
    labels: [],
    k6: SENT,
  },
  'crewload.checks': {
    type: 'counter',
    unit: '{check}',
    help: 'Checks of the scenario on results.',
    labels: ['check', 'result'],
    k6: { sent: false, instead: '`checks`, a rate of k6 itself, by `check`' },
  },
  'crewload.violations': {
    type: 'counter',
    unit: '{execution}',
    help: 'Executions in which a rule of the contract was broken.',
    labels: ['rule'],
    k6: SENT,
  },
  'crewload.executions.started': {
    type: 'counter',
    unit: '{execution}',
    help: 'Executions whose kickoff was sent, warm-up included.',
    labels: [],
    k6: ONLY_HERE,
  },
  'crewload.executions.in_flight': {
    type: 'gauge',
    unit: '{execution}',
    help: 'Executions that were accepted and have not ended, warm-up included.',
    labels: [],
    k6: ONLY_HERE,
  },
  'crewload.run.info': {
    type: 'gauge',
    unit: '1',
    help: 'Always 1; its labels name the run.',
    labels: ['scenario', 'engine', 'version'],
    k6: ONLY_HERE,
  },
} as const satisfies Record<string, TelemetryMetric>

export type TelemetryName = keyof typeof TELEMETRY

export const TELEMETRY_METRICS: readonly (readonly [TelemetryName, TelemetryMetric])[] =
  Object.entries(TELEMETRY) as [TelemetryName, TelemetryMetric][]

/**
 * Adds to a metric: an observation to a histogram (integer microseconds), an increment to a counter
 * or a change, which may be negative, to a gauge.
 */
export type AddSample<Name extends TelemetryName = TelemetryName> = (
  metric: Name,
  value: number,
  labels: Labels,
) => void

export type Add = (value: number, labels: Labels) => void

/** `adderOf` makes what adds to one metric; times reach it in seconds. */
export function addSamples(
  adderOf: (name: TelemetryName, metric: TelemetryMetric) => Add,
): AddSample {
  const adders = new Map(
    TELEMETRY_METRICS.map(([name, metric]): [TelemetryName, Add] => {
      const add = adderOf(name, metric)
      const inSeconds: Add = (micros, labels) => add(micros / MICROS_PER_SECOND, labels)
      return [name, metric.unit === 's' ? inSeconds : add]
    }),
  )
  return (name, value, labels) => adders.get(name)!(value, labels)
}

/**
 * Translates as OpenTelemetry does for Prometheus: `_` for every other character, the unit in
 * words, and `_total` for a counter.
 */
export function prometheusName(name: TelemetryName, { unit, type }: TelemetryMetric): string {
  const suffixes = [unit === 's' ? '_seconds' : '', type === 'counter' ? '_total' : '']
  return `${underscored(name)}${suffixes.join('')}`
}

/** The name as a label of Prometheus: `http_request_method`. */
export function prometheusLabel(label: string): string {
  return underscored(label)
}

/** k6 takes letters, digits and `_`, and its outputs add the units themselves. */
export function k6Name(name: TelemetryName): string {
  return underscored(name)
}

function underscored(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_]/g, '_')
}
