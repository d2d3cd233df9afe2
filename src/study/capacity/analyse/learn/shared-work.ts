/**
 * Finds what no number of workers explains: work that takes longer while the crew is full, because
 * executions share something.
 */
import { slowTasksOf } from './besides-queue.ts'
import type { Learned } from './learn.ts'
import { paceOf } from './pace.ts'

/** A smaller change of the time of an execution moves no capacity that anybody plans by. */
const LEAST_CHANGE = 0.05

/** Whether executions, or any of their tasks, surely take longer while every worker is busy. */
export function isSlowerFull(learned: Learned): boolean {
  if (slowTasksOf(learned).some(({ idleMicros, fullMicros }) => isMore(fullMicros, idleMicros))) {
    return true
  }
  const pace = paceOf(learned)
  return pace !== null && isMore(1, pace(0))
}

function isMore(full: number, idle: number): boolean {
  return full > (1 + LEAST_CHANGE) * idle
}
