/** The fake crew's own metrics in the Prometheus text format, version 0.0.4. */
import { MICROS_PER_SECOND } from '../../src/units.ts'
import type { Phase } from './executions.ts'
import type { Traffic } from './traffic.ts'

interface Family {
  name: string
  type: 'counter' | 'gauge' | 'summary'
  help: string
  samples: { suffix?: string; labels?: Record<string, string | number>; value: number }[]
}

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** `phases` counts executions; queued ones wait for a worker, running ones hold one. `refusedByLimit`: of a crew with limits. */
export function metricsText(
  traffic: Traffic,
  phases: Readonly<Record<Phase, number>>,
  refusedByLimit?: ReadonlyMap<string, number>,
): string {
  const families: Family[] = [requests(traffic), inFlight(traffic), latency(traffic)]
  families.push(executions(phases), queue(phases.queued), workers(phases.running))
  if (refusedByLimit !== undefined) families.push(refused(refusedByLimit))
  return families.map(format).join('')
}

function requests(traffic: Traffic): Family {
  return {
    name: 'fake_crew_requests_total',
    type: 'counter',
    help: 'Requests by operation and status.',
    samples: traffic
      .counts()
      .map(({ operation, status, count }) => ({ labels: { operation, status }, value: count })),
  }
}

function inFlight(traffic: Traffic): Family {
  return {
    name: 'fake_crew_requests_in_flight',
    type: 'gauge',
    help: 'Requests whose answer is not out yet.',
    samples: [{ value: traffic.inFlight }],
  }
}

function latency(traffic: Traffic): Family {
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

function executions(phases: Readonly<Record<Phase, number>>): Family {
  return {
    name: 'fake_crew_executions',
    type: 'gauge',
    help: 'Executions by what has become of them.',
    samples: Object.entries(phases).map(([state, value]) => ({ labels: { state }, value })),
  }
}

function queue(value: number): Family {
  return {
    name: 'fake_crew_queue_length',
    type: 'gauge',
    help: 'Executions that wait for a worker or for the crew to wake.',
    samples: [{ value }],
  }
}

function workers(value: number): Family {
  return {
    name: 'fake_crew_busy_workers',
    type: 'gauge',
    help: 'Workers with an execution, stuck ones included.',
    samples: [{ value }],
  }
}

function refused(byLimit: ReadonlyMap<string, number>): Family {
  return {
    name: 'fake_crew_refused_total',
    type: 'counter',
    help: 'Requests refused by a limit.',
    samples: Array.from(byLimit, ([limit, value]) => ({ labels: { limit }, value })),
  }
}

function format({ name, type, help, samples }: Family): string {
  const lines = samples.map(({ suffix = '', labels = {}, value }) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text}"`)
    return `${name}${suffix}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`
  })
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}
