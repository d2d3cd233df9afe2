/** The fake crew's own metrics in the Prometheus text format, version 0.0.4. */
import { MICROS_PER_SECOND } from '../../../src/base/units.ts'
import type { CountedPhase } from '../work/phase-counts.ts'
import type { FaultKindName } from '../faults/kinds/list.ts'
import type { RequestTraffic } from './traffic.ts'

interface PrometheusFamily {
  /** After `fake_crew_`. */
  name: string
  type: 'counter' | 'gauge' | 'summary'
  help: string
  samples: { suffix?: string; labels?: Record<string, string | number>; value: number }[]
}

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export interface MeasuredCrew {
  traffic: RequestTraffic
  /**
   * Executions: queued ones wait for a worker, running ones hold one. Null if it has none of its
   * own.
   */
  phases: Readonly<Record<CountedPhase, number>> | null
  /** Requests by the limit that refused them; undefined without limits. */
  refused: ReadonlyMap<string, number> | undefined
  /** The oldest records that were dropped because there were too many, by list. */
  dropped: Readonly<Record<string, number>>
  /** Answers changed, and restarts, by kind of fault; empty if there never was a fault. */
  touched: ReadonlyMap<FaultKindName, number>
}

export function metricsText({ traffic, phases, refused, touched, dropped }: MeasuredCrew): string {
  const families: PrometheusFamily[] = [
    {
      name: 'requests_total',
      type: 'counter',
      help: 'Requests by operation and status.',
      samples: traffic
        .counts()
        .map(({ operation, status, count }) => ({ labels: { operation, status }, value: count })),
    },
    {
      name: 'requests_in_flight',
      type: 'gauge',
      help: 'Requests whose answer has not been sent yet.',
      samples: [{ value: traffic.inFlight }],
    },
    {
      name: 'request_seconds',
      type: 'summary',
      help: 'Time from request to answer by operation.',
      samples: traffic.times().flatMap(({ operation, count, sumMicros }) => [
        { suffix: '_sum', labels: { operation }, value: sumMicros / MICROS_PER_SECOND },
        { suffix: '_count', labels: { operation }, value: count },
      ]),
    },
    ...(phases === null ? [] : executions(phases)),
    ...(refused === undefined
      ? []
      : [counted('refused_total', 'Requests refused by a limit.', 'limit', refused)]),
    ...(touched.size === 0
      ? []
      : [counted('faults_total', 'Answers changed by faults, and restarts.', 'kind', touched)]),
    counted(
      'marks_dropped_total',
      'The oldest records of each list, which were dropped.',
      'list',
      Object.entries(dropped),
    ),
  ]
  return families.map(format).join('')
}

function executions(phases: Readonly<Record<CountedPhase, number>>): PrometheusFamily[] {
  return [
    {
      ...counted(
        'executions',
        'Executions by their current state.',
        'state',
        Object.entries(phases),
      ),
      type: 'gauge',
    },
    {
      name: 'queue_length',
      type: 'gauge',
      help: 'Executions that wait for a worker or for the crew to wake.',
      samples: [{ value: phases.queued }],
    },
    {
      name: 'busy_workers',
      type: 'gauge',
      help: 'Workers with an execution, including stuck ones.',
      samples: [{ value: phases.running }],
    },
  ]
}

function counted(
  name: string,
  help: string,
  label: string,
  counts: Iterable<readonly [string, number]>,
): PrometheusFamily {
  const samples = Array.from(counts, ([text, value]) => ({ labels: { [label]: text }, value }))
  return { name, type: 'counter', help, samples }
}

function format({ name: own, type, help, samples }: PrometheusFamily): string {
  const name = `fake_crew_${own}`
  const lines = samples.map(({ suffix = '', labels = {}, value }) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text}"`)
    return `${name}${suffix}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`
  })
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}
