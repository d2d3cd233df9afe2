/** The interface through which the metrics of a run are exported while it runs. */
import type { AddSample } from '../../base/telemetry/metrics.ts'
import type { JournalLine } from '../../execution/record/journal-lines.ts'

export interface MetricsExporter {
  /** Must be cheap, and must not throw. */
  add: AddSample
  /** Receives whole lines, for an exporter that reports more than samples. Must not throw. */
  saw?: (line: JournalLine) => void
  /**
   * Sends what is left and releases all resources, within a few seconds whatever the receiver does.
   * Returns a sentence about each loss.
   */
  close(): Promise<string[]>
}
