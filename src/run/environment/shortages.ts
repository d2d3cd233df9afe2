/** What this process may run out of: memory, and open files. */
import { report as processReport } from 'node:process'

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

/** Enough for what a usual run opens; messages about a lower limit recommend it. */
export const COMFORTABLE_FILES = 4_096

/** The soft limit; null when there is none, or when it is unknown. */
export function openFilesLimit(): number | null {
  try {
    const { userLimits } = processReport.getReport() as {
      userLimits?: { open_files?: { soft: number | string } }
    }
    const soft = userLimits?.open_files?.soft
    return typeof soft === 'number' ? soft : null
  } catch {
    return null
  }
}

/** The package's own modules may need more than this many at once. */
const SCARCE_FILES = 256

/** The message for an error caused by this limit; null for any other error. */
export function openFilesProblem(error: unknown): string | null {
  const limit = openFilesLimit()
  const code = openFilesCode(error, limit)
  if (code === null) return null
  const which = limit === null ? 'its limit of open files' : `its limit of ${limit} open files`
  return (
    `this process has reached ${which} (${code}): ` +
    `raise the limit with "ulimit -n ${COMFORTABLE_FILES}", and try again`
  )
}

/** While loading modules, Node treats a `package.json` that it cannot open as missing. */
function openFilesCode(error: unknown, limit: number | null): string | null {
  const { code } = (error ?? {}) as NodeJS.ErrnoException
  if (code === 'EMFILE' || code === 'ENFILE') return code
  const isScarce = limit !== null && limit < SCARCE_FILES
  return code === 'ERR_MODULE_NOT_FOUND' && isScarce ? 'EMFILE' : null
}
