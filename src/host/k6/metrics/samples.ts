/** What the record of an execution contributes to the named metrics of k6. */
import {
  isAnswer,
  longestDelay,
  sawTheEnd,
  watchedMicros,
} from '../../../execution/record/readings.ts'
import type { ExecutionRecord, RequestColumns } from '../../../execution/record/record.ts'
import { isUnsent } from '../../../execution/record/unsent.ts'
import type { Micros } from '../../../base/units.ts'
import { MICROS_PER_MS } from '../../../base/units.ts'
import type { K6MetricName } from './names.ts'

type Tags = Readonly<Record<string, string>>

/** Adds one sample: milliseconds to a trend, a number to a counter, 1 or 0 to a rate. */
export type AddSample = (metric: K6MetricName, value: number, tags: Tags) => void

/**
 * Returns a function that takes each record when its execution ends. Arrivals of the warm-up
 * contribute nothing, as in the result of the run.
 */
export function executionMetrics(add: AddSample): (record: ExecutionRecord) => void {
  return (record) => {
    if (record.warmUp) return
    const { outcome, tags, checks } = record
    const withOutcome = { ...tags, outcome }
    add('crewload_outcomes', 1, withOutcome)
    addServed(add, record)
    for (const [name, passed] of Object.entries(checks)) {
      if (typeof passed === 'boolean') add('checks', Number(passed), { ...tags, check: name })
    }
    addRequests(add, record.kickoff, { ...tags, operation: 'kickoff' })
    addRequests(add, record.polls, { ...tags, operation: 'status' })
    const addTime = (metric: K6MetricName, micros: Micros, own: Tags): void =>
      add(metric, micros / MICROS_PER_MS, own)
    if (record.acceptedMicros !== null) {
      const waitedMicros = record.acceptedMicros - record.intendedMicros
      addTime('crewload_kickoff_response_time', waitedMicros, { ...tags, operation: 'kickoff' })
    }
    if (sawTheEnd(record)) addTime('crewload_execution_time', watchedMicros(record), withOutcome)
    const delayMicros = longestDelay(record)
    if (delayMicros !== null) addTime('crewload_detection_delay', delayMicros, withOutcome)
    addPolls(record, (micros) =>
      addTime('crewload_status_response_time', micros, { ...tags, operation: 'status' }),
    )
  }
}

/** What was not sent was not measured, and what became of aborted executions is unknown. */
function addServed(add: AddSample, { outcome, tags }: ExecutionRecord): void {
  if (isUnsent(outcome) || outcome === 'aborted') return
  const ended = outcome === 'completed' || outcome === 'failed'
  add('crewload_unserved', ended ? 0 : 1, tags)
  if (ended) add('crewload_failed', outcome === 'failed' ? 1 : 0, tags)
}

function addRequests(add: AddSample, { answer }: RequestColumns, tags: Tags): void {
  for (const each of answer) add('crewload_requests', 1, { ...tags, answer: String(each) })
}

/** Response times of usable answers. */
function addPolls({ polls }: ExecutionRecord, take: (micros: Micros) => void): void {
  for (const [i, answer] of polls.answer.entries()) {
    if (!isAnswer(answer) || typeof answer === 'string' || answer < 200 || answer > 299) continue
    take(polls.lateMicros[i]! + polls.waitMicros[i]! + Math.max(0, polls.serviceMicros[i]!))
  }
}
