/**
 * What the record of an execution contributes to the named metrics of k6. Apart from their names,
 * which the command line knows before anything that measures is loaded.
 */
import { MICROS_PER_MS } from '../../base/units.ts'
import type { ExecutionRecord } from '../../execution/record/record.ts'
import { isFinal } from '../../scenario/outcomes.ts'
import { isUnsent } from '../../execution/record/unsent.ts'
import { k6Name, TELEMETRY } from '../telemetry/metrics.ts'
import { recordSamples } from '../telemetry/live.ts'

type Tags = Readonly<Record<string, string>>

/** Adds one sample: milliseconds to a trend, a number to a counter, 1 or 0 to a rate. */
export type AddToK6 = (metric: string, value: number, tags: Tags) => void

/**
 * Returns a function that takes each record when its execution ends. Arrivals of the warm-up
 * contribute nothing, as in the result of the run.
 */
export function executionMetrics(add: AddToK6): (record: ExecutionRecord) => void {
  return (record) => {
    if (record.warmUp) return
    const { tags } = record
    addServed(add, record)
    for (const [check, passed] of Object.entries(record.checks)) {
      if (typeof passed === 'boolean') add('checks', Number(passed), { ...tags, check })
    }
    recordSamples(record, (metric, value, labels) => {
      if (!TELEMETRY[metric].k6.sent) return
      const inMs = TELEMETRY[metric].unit === 's'
      // k6 accepts only text as the value of a tag.
      const texts = Object.entries(labels).map(([name, label]) => [name, String(label)])
      const all = { ...tags, ...(Object.fromEntries(texts) as Tags) }
      add(k6Name(metric), inMs ? value / MICROS_PER_MS : value, all)
    })
  }
}

/**
 * What was not sent was not measured, and what became of aborted executions is unknown, as of those
 * that still waited for a person.
 */
function addServed(add: AddToK6, { outcome, tags }: ExecutionRecord): void {
  if (isUnsent(outcome) || outcome === 'aborted' || outcome === 'paused') return
  const ended = isFinal(outcome)
  add('crewload_unserved', ended ? 0 : 1, tags)
  if (ended) add('crewload_failed', outcome === 'failed' ? 1 : 0, tags)
}
