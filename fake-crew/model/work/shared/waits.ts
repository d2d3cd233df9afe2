/** What was added to the work of a task. */
export interface TaskWaits {
  /** Its calls waited for a quota. */
  quotaMs: number
  /** It had only a part of the shared processor. */
  slowedMs: number
}
