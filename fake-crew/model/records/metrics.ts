/** The fake crew's own metrics in the Prometheus text format, version 0.0.4. */
import { MICROS_PER_SECOND } from '../../../src/base/units.ts'
import type { CountedPhase } from '../work/phase-counts.ts'
import type { FaultKindName } from '../faults/kinds/list.ts'
import type { RequestTraffic } from './traffic.ts'

interface PrometheusFamily {
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
  /** Marks that were dropped because there were too many. */
  dropped: { faultMarks: number; refusals: number }
  /** Answers changed, and restarts, by kind of fault; empty if there never was a fault. */
  touched: ReadonlyMap<FaultKindName, number>
}

export function metricsText({ traffic, phases, refused, touched, dropped }: MeasuredCrew): string {
  const families: PrometheusFamily[] = [requests(traffic), inFlight(traffic), latency(traffic)]
  if (phases !== null) {
    families.push(executions(phases), queue(phases.queued), workers(phases.running))
  }
  if (refused !== undefined) families.push(refusals(refused))
  if (touched.size > 0) families.push(faults(touched))
  families.push(droppedMarks(dropped))
  return families.map(format).join('')
}

function requests(traffic: RequestTraffic): PrometheusFamily {
  return {
    name: 'fake_crew_requests_total',
    type: 'counter',
    help: 'Requests by operation and status.',
    samples: traffic
      .counts()
      .map(({ operation, status, count }) => ({ labels: { operation, status }, value: count })),
  }
}

function inFlight(traffic: RequestTraffic): PrometheusFamily {
  return {
    name: 'fake_crew_requests_in_flight',
    type: 'gauge',
    help: 'Requests whose answer has not been sent yet.',
    samples: [{ value: traffic.inFlight }],
  }
}

function latency(traffic: RequestTraffic): PrometheusFamily {
  return {
    name: 'fake_crew_request_seconds',
    type: 'summary',
    help: 'Time from request to answer by operation.',
    samples: traffic.times().flatMap(({ operation, count, sumMicros }) => [
      { suffix: '_sum', labels: { operation }, value: sumMicros / MICROS_PER_SECOND },
      { suffix: '_count', labels: { operation }, value: count },
    ]),
  }
}

function executions(phases: Readonly<Record<CountedPhase, number>>): PrometheusFamily {
  return {
    name: 'fake_crew_executions',
    type: 'gauge',
    help: 'Executions by their current state.',
    samples: Object.entries(phases).map(([state, value]) => ({ labels: { state }, value })),
  }
}

function queue(value: number): PrometheusFamily {
  return {
    name: 'fake_crew_queue_length',
    type: 'gauge',
    help: 'Executions that wait for a worker or for the crew to wake.',
    samples: [{ value }],
  }
}

function workers(value: number): PrometheusFamily {
  return {
    name: 'fake_crew_busy_workers',
    type: 'gauge',
    help: 'Workers with an execution, including stuck ones.',
    samples: [{ value }],
  }
}

function refusals(byLimit: ReadonlyMap<string, number>): PrometheusFamily {
  return {
    name: 'fake_crew_refused_total',
    type: 'counter',
    help: 'Requests refused by a limit.',
    samples: Array.from(byLimit, ([limit, value]) => ({ labels: { limit }, value })),
  }
}

function faults(byKind: ReadonlyMap<FaultKindName, number>): PrometheusFamily {
  return {
    name: 'fake_crew_faults_total',
    type: 'counter',
    help: 'Answers changed by faults, and restarts.',
    samples: Array.from(byKind, ([kind, value]) => ({ labels: { kind }, value })),
  }
}

function droppedMarks({
  faultMarks,
  refusals: refused,
}: MeasuredCrew['dropped']): PrometheusFamily {
  return {
    name: 'fake_crew_marks_dropped_total',
    type: 'counter',
    help: 'The oldest marks of faults and refusals, which were dropped.',
    samples: [
      { labels: { list: 'faults' }, value: faultMarks },
      { labels: { list: 'refusals' }, value: refused },
    ],
  }
}

function format({ name, type, help, samples }: PrometheusFamily): string {
  const lines = samples.map(({ suffix = '', labels = {}, value }) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text}"`)
    return `${name}${suffix}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`
  })
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}
