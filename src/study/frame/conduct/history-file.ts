/** The file of a history of gates. */
import { appendFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readText } from '../../../journal/file/document.ts'
import { UserError } from '../../../base/mistakes.ts'
import { makeFolder } from '../../../run/folder/make.ts'
import type { History, HistoryLine } from '../comparing/history.ts'
import { HISTORY_FILE, parseHistory } from '../comparing/history.ts'

/** Appends the line of a gate. Rejects if the file cannot be written. */
export async function appendHistory(file: string, line: HistoryLine): Promise<void> {
  await makeFolder(dirname(file))
  const before = (await readText(file)) ?? ''
  const cut = before !== '' && !before.endsWith('\n')
  await appendFile(file, `${cut ? '\n' : ''}${JSON.stringify(line)}\n`)
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
