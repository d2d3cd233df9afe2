/** How many files and sockets this process may have open at once. */
import { report as processReport } from 'node:process'

/** Enough for what a usual run opens; the remedy of every complaint about fewer. */
export const COMFORTABLE_FILES = 4_096

/** The soft limit; null where there is none, or where it cannot be told. */
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

/** What to tell of an error that comes from this limit; null for any other. */
export function openFilesProblem(error: unknown): string | null {
  const { code } = (error ?? {}) as NodeJS.ErrnoException
  if (code !== 'EMFILE' && code !== 'ENFILE') return null
  const limit = openFilesLimit()
  const many = limit === null ? 'as many files as it may' : `the ${limit} files that it may open`
  return `this process has ${many} at once (${code}): raise the limit with "ulimit -n ${COMFORTABLE_FILES}", and try again`
}
