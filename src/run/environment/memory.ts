/** The memory that this process may have. */

const REMEDY = 'give it more, by "ulimit -v" or the memory of its container, and try again'

/** The message for an error of Node or the system for lack of memory; null for any other error. */
export function memoryProblem(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const { code, message } = error as NodeJS.ErrnoException
  const isShort = code === 'ENOMEM' || (error instanceof RangeError && ALLOCATION.test(message))
  return isShort ? `this process could not get the memory it needs (${message}): ${REMEDY}` : null
}

const ALLOCATION = /out of memory|allocation failed/i

/** What is known when a process that was started for a task has ended before its answer. */
export function endedEarly(task: string, message: string): string {
  return (
    `the process that ${task} has ended (${message}): it said why above; if it was short of ` +
    `memory, ${REMEDY}`
  )
}
