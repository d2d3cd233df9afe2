/** What of a run decides how its thresholds are judged, beside what was measured. */

export interface Circumstances {
  /**
   * The number of executions needed if the load of the crew is known and high; null if unknown, or
   * no more are needed.
   */
  neededAtLoad: number | null
  /** The schedule varies the load by plan. */
  isVaried: boolean
  /** Arrivals that were not sent, and might all have turned out good. */
  dropped: number
  /** Arrivals whose deadline passed while a person was asked. */
  paused: number
  /**
   * Arrivals planned for each that was sent: 1 for a run that was not cut, infinite if a crash left
   * the number unknown.
   */
  planned: number
}
