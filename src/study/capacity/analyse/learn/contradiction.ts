/** Finds where the times that a crew reports contradict the number of workers that is inferred. */
import { meanOf } from '../../../../result/statistics/moments.ts'
import type { LoadSeen, Seen } from './seen.ts'

/** Two times of one execution that cannot both be true. */
export interface Contradiction {
  /** The mean time at a worker that the inferred number of workers implies. */
  inferredMicros: number
  /** The mean time of the tasks, as the crew reports them. */
  reportedMicros: number
}

/** Tasks that take this much longer than the time at a worker are no work of that worker alone. */
const LONGER = 1.25
/** Tasks whose times exceed the stay of a single client by more run side by side. */
const SIDE_BY_SIDE = 1.1
const FEWEST = 20

/**
 * Compares the times of tasks with inferred starts. What an execution waits for a worker is no part
 * of a task; a quota, a lock or a processor that executions share makes tasks longer, which looks
 * like few workers when only ends are seen. Null where nothing contradicts.
 */
export function contradictionOf(shown: readonly LoadSeen[]): Contradiction | null {
  const executions = shown.flatMap((load) => load.executions)
  const times = executions.flatMap((each) => timesOf(each) ?? [])
  const single = shown.flatMap(({ load, executions: alone }) =>
    load.kind === 'closed' && load.clients === 1
      ? alone.flatMap((each) => timesOf(each) ?? [])
      : [],
  )
  if (times.length < FEWEST || single.some(({ tasks, stay }) => tasks > SIDE_BY_SIDE * stay)) {
    return null
  }
  const inferredMicros = meanOf(times.map(({ worker }) => worker))
  const reportedMicros = meanOf(times.map(({ tasks, stay }) => Math.min(tasks, stay)))
  return reportedMicros > LONGER * inferredMicros ? { inferredMicros, reportedMicros } : null
}

/** Null where the crew reports no tasks. */
function timesOf({
  accepted,
  started,
  ended,
  tasks = [],
}: Seen): { worker: number; tasks: number; stay: number } | null {
  if (accepted === null || started === null || ended === null || tasks.length === 0) return null
  const sum = tasks.reduce((total, { micros }) => total + micros, 0)
  return { worker: ended - started, tasks: sum, stay: ended - accepted }
}
