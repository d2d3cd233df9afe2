/**
 * The one door to files of a folder of a run, a study or a baseline: whatever is in their place
 * (nothing, a folder, a named pipe, a device) is named by its path, and nothing waits or grows for
 * ever.
 */
import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { open } from 'node:fs/promises'
import { UserError } from '../../base/mistakes.ts'

/** `NONBLOCK`: a named pipe without a writer would be waited for. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY
const ABSENT: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR'])

/**
 * Opens a regular file, or what a link to one leads to; null when there is nothing of that name.
 * Throws a UserError that names `path` for anything else.
 */
export async function openRegular(path: string): Promise<FileHandle | null> {
  let file: FileHandle
  try {
    file = await open(path, FLAGS)
  } catch (error) {
    if (ABSENT.has((error as NodeJS.ErrnoException).code)) return null
    throw unreadable(path, error)
  }
  try {
    const found = await file.stat()
    if (found.isFile()) return file
    const kind = found.isDirectory() ? 'a folder' : 'a named pipe, a socket or a device'
    throw fileMistake(path, `is ${kind}; expected a regular file`)
  } catch (error) {
    await file.close()
    throw error
  }
}

/** As `openRegular`, and throws a UserError when there is nothing. */
export async function openExisting(path: string): Promise<FileHandle> {
  const file = await openRegular(path)
  if (file === null) throw fileMistake(path, 'does not exist')
  return file
}

/** A UserError is returned as it is. */
export function unreadable(path: string, error: unknown): UserError {
  if (error instanceof UserError) return error
  const { message } = error as Error
  return fileMistake(path, `cannot be read: ${message}`, error)
}

function fileMistake(path: string, problem: string, cause?: unknown): UserError {
  return new UserError({ source: path, problem }, { cause })
}
