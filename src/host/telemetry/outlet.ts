/** Where the metrics of a run go while it runs. */
import type { AddSample } from '../../base/telemetry/metrics.ts'
import type { JournalLine } from '../../execution/record/journal-lines.ts'

export interface Outlet {
  /** Cheap, and never throws. */
  add: AddSample
  /** For who tells more of a line than samples do. Neither may this throw. */
  saw?: (line: JournalLine) => void
  /**
   * Sends what is left and frees everything, within a few seconds whoever listens. Returns what was
   * lost on the way, one sentence each.
   */
  close(): Promise<string[]>
}
