/** Where the metrics of a run go while it runs. */
import type { AddSample } from '../../base/telemetry/metrics.ts'

export interface Outlet {
  /** Cheap, and never throws. */
  add: AddSample
  /**
   * Sends what is left and frees everything, within a few seconds whoever listens. Returns what was
   * lost on the way, one sentence each.
   */
  close(): Promise<string[]>
}
