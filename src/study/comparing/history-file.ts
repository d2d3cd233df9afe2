/** The file of a history of gates. */
import { appendFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readText } from '../../journal/file/document.ts'
import { UserError } from '../../base/mistakes.ts'
import { lockFolder } from '../../run/folder/lock.ts'
import { makeFolder } from '../../run/folder/make.ts'
import type { History, HistoryLine } from './history.ts'
import { HISTORY_FILE, parseHistory } from './history.ts'

/** Others write for some milliseconds. */
const PATIENCE_MS = 10_000

/** Appends the line of a gate. Rejects if the file cannot be read or written. */
export async function appendHistory(file: string, line: HistoryLine): Promise<void> {
  const folder = dirname(file)
  await makeFolder(folder)
  const lock = await lockFolder(folder, { as: 'writer', patienceMs: PATIENCE_MS })
  try {
    const before = (await readText(file)) ?? ''
    const after = withLine(before, line)
    if (after !== before) await appendFile(file, after.slice(before.length))
  } finally {
    await lock.release()
  }
}

/** The text of the file with the line. Rejects if the file cannot be read. */
export async function historyWith(file: string, line: HistoryLine): Promise<string> {
  return withLine((await readText(file)) ?? '', line)
}

/** Unchanged if the gate is already there. */
function withLine(before: string, line: HistoryLine): string {
  if (parseHistory(before).gates.some(({ id }) => id === line.id)) return before
  const cut = before !== '' && !before.endsWith('\n')
  return `${before}${cut ? '\n' : ''}${JSON.stringify(line)}\n`
}

/** Reads a history; `path` is the file, or the folder that contains it. Throws UserError. */
export async function readHistory(path: string): Promise<History> {
  try {
    const isFolder = (await stat(path)).isDirectory()
    const file = isFolder ? join(path, HISTORY_FILE) : path
    const text = await readText(file)
    if (text === null) throw new Error(`${file} does not exist`)
    return parseHistory(text)
  } catch (error) {
    if (error instanceof UserError) throw error
    const why = (error as Error).message
    const problem =
      `no history of gates can be read there (${why}): ` +
      'crewload gate writes one beside its baseline'
    throw new UserError({ source: path, path: '', problem })
  }
}
