/**
 * `histograms.hlog` of a run: each of its histograms as one interval over the whole run, tagged
 * with its name.
 */
import type { ResultDocument } from '../../analysis/document.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import { Histogram } from './histogram.ts'
import { writeHlog } from './hlog-format.ts'

const MS_PER_SECOND = 1_000

export function histogramLog({ run, histograms }: ResultDocument): string {
  const entries = Object.entries(histograms).map(([tag, base64]) => {
    const histogram = Histogram.decode(base64)
    const maxMs = (histogram.max ?? 0) / MICROS_PER_MS
    histogram.destroy()
    return { tag, startSeconds: 0, lengthSeconds: run.durationMs / MS_PER_SECOND, maxMs, base64 }
  })
  return writeHlog(Date.parse(run.startedAt), entries)
}
