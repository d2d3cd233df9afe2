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

/** Its own modules alone may need more than so many at once. */
const SCARCE_FILES = 256

/** What to tell of an error that comes from this limit; null for any other. */
export function openFilesProblem(error: unknown): string | null {
  const limit = openFilesLimit()
  const code = openFilesCode(error, limit)
  if (code === null) return null
  const many = limit === null ? 'as many files as it may' : `the ${limit} files that it may open`
  return `this process has ${many} at once (${code}): raise the limit with "ulimit -n ${COMFORTABLE_FILES}", and try again`
}

/**
 * While modules are loaded, Node takes a `package.json` that it cannot open for one that is not
 * there.
 */
function openFilesCode(error: unknown, limit: number | null): string | null {
  const { code } = (error ?? {}) as NodeJS.ErrnoException
  if (code === 'EMFILE' || code === 'ENFILE') return code
  const isScarce = limit !== null && limit < SCARCE_FILES
  return code === 'ERR_MODULE_NOT_FOUND' && isScarce ? 'EMFILE' : null
}
