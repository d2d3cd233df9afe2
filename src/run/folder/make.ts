/** Creates folders with those above them. */
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Creates the folder, and the missing ones above it; an existing one is left as it is. Rejects with
 * the error of the file system. `mkdir` with `recursive` (Node 20 to 24) tries for ever below a
 * folder that takes no children, for example `/proc/x` or a working folder that was removed.
 */
export async function makeFolder(path: string): Promise<void> {
  const above = dirname(path)
  const failure = await failureOf(path)
  if (failure?.code === 'ENOENT' && above !== path) {
    await makeFolder(above)
    const again = await failureOf(path)
    if (again !== null) throw again
  } else if (failure !== null) {
    throw failure
  }
}

/** Null for a folder that is there now. */
async function failureOf(path: string): Promise<NodeJS.ErrnoException | null> {
  try {
    await mkdir(path)
    return null
  } catch (error) {
    const failure = error as NodeJS.ErrnoException
    const isThere = failure.code === 'EEXIST' && (await stat(path)).isDirectory()
    return isThere ? null : failure
  }
}
