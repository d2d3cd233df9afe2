/**
 * `histograms.hlog` of a run, in the log format 1.3 with tags of HdrHistogram: each of its
 * histograms as one interval over the whole run.
 */
import type { ResultDocument } from '../../document.ts'
import { MICROS_PER_MS } from '../../../base/units.ts'
import { Histogram } from './histogram.ts'

const MS_PER_SECOND = 1_000

export function histogramLog({ run, histograms }: ResultDocument): string {
  const startedAtSeconds = (Date.parse(run.startedAt) / MS_PER_SECOND).toFixed(3)
  const lines = [
    '#[Logged by crewload; values in microseconds, Interval_Max in milliseconds]',
    '#[Histogram log format version 1.3]',
    `#[StartTime: ${startedAtSeconds} (seconds since epoch), ${run.startedAt}]`,
    '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
    ...Object.entries(histograms).map(([name, base64]) =>
      intervalLine(name, base64, run.durationMs / MS_PER_SECOND),
    ),
  ]
  return `${lines.join('\n')}\n`
}

/** A tag ends at the first comma and must not contain a space. */
function intervalLine(name: string, base64: string, lengthSeconds: number): string {
  const histogram = Histogram.decode(base64)
  const maxMs = (histogram.max ?? 0) / MICROS_PER_MS
  histogram.destroy()
  const numbers = [0, lengthSeconds, maxMs].map((value) => value.toFixed(3))
  return [`Tag=${name.replaceAll(/[\s,]+/g, '_')}`, ...numbers, base64].join(',')
}
