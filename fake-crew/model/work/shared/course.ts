/** The course of an execution as steps, from what it was drawn to need. */
import type { Demand } from '../demand.ts'

export type Step =
  /** The worker is occupied, without any task. */
  | { kind: 'setUp'; ms: number }
  /** A call of the language model begins: it needs a part of the quotas. */
  | { kind: 'call'; task: number; number: number }
  /** Work of a task, which shares the processor. */
  | { kind: 'work'; ms: number }
  | { kind: 'ask'; task: number; ms: number; holdsWorker: boolean }
  /** The task is over: done, or failed if the execution then fails. */
  | { kind: 'taskEnd'; task: number }

/**
 * The last task of a stuck execution never completes, so nobody is asked about it. `callsPerTask`
 * is 0 where no quota limits calls; those of a task divide its time evenly.
 */
export function stepsOf(
  { fate, taskEndsMs, setUpMs, asks = [] }: Demand,
  callsPerTask: number,
): Step[] {
  const last = taskEndsMs.length - 1
  return taskEndsMs.flatMap((endMs, task): Step[] => {
    const workMs = Math.max(0, endMs - (taskEndsMs[task - 1] ?? 0) - setUpMs)
    const isStuck = fate === 'stuck' && task === last
    const ask = isStuck ? undefined : asks.find((each) => each.task === task)
    return [
      ...(setUpMs > 0 ? [{ kind: 'setUp', ms: setUpMs } as const] : []),
      ...workSteps(task, workMs, callsPerTask),
      ...(ask === undefined
        ? []
        : [{ kind: 'ask', task, ms: ask.forMs, holdsWorker: ask.holdsWorker } as const]),
      { kind: 'taskEnd', task },
    ]
  })
}

/** Whole milliseconds, which add up to `workMs`. */
function workSteps(task: number, workMs: number, calls: number): Step[] {
  if (calls === 0) return [{ kind: 'work', ms: workMs }]
  const until = (part: number): number => Math.round((workMs * part) / calls)
  return Array.from({ length: calls }, (_, number): Step[] => [
    { kind: 'call', task, number },
    { kind: 'work', ms: until(number + 1) - until(number) },
  ]).flat()
}
