/**
 * The journal of a run folder, completed from k6's console files: after a kill of crewload their
 * last lines are not in the journal yet.
 */
import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { JournalLine } from '../../execution/record/journal-lines.ts'
import { JOURNAL_FILE } from '../folder/folder.ts'
import { linePlaceOf } from '../../journal/line-census.ts'
import { readJournal } from '../../journal/reader.ts'
import { CONSOLE_FILE } from './arguments.ts'

export interface WholeJournal {
  /** The folder's own journal when nothing is missing from it, otherwise a copy. */
  path: string
  /** Lines that the folder's own journal lacks, and the console files that contain them. */
  added: number
  files: readonly string[]
  /** Removes the copy. */
  close(): Promise<void>
}

/**
 * Changes nothing in the folder, because the run may still continue. Uses a few bytes of memory per
 * line when there are console files. Rejects when reading fails.
 */
export async function openWholeJournal(folder: string): Promise<WholeJournal> {
  const own = join(folder, JOURNAL_FILE)
  const nothing = { path: own, added: 0, files: [], close: async () => {} }
  const consoles = (await readdir(folder)).filter((name) => CONSOLE_FILE.test(name)).sort()
  if (consoles.length === 0) return nothing
  const path = join(folder, `.${randomBytes(4).toString('hex')}-${JOURNAL_FILE}`)
  const close = async (): Promise<void> => rm(path, { force: true })
  const known = new Set<string>()
  const files = new Set<string>()
  let added = 0
  async function* lines(): AsyncGenerator<string> {
    const journal = readJournal(own)
    for await (const line of journal) {
      known.add(keyOf(line))
      yield `${JSON.stringify(line)}\n`
    }
    for (let i = 0; i < journal.skipped; i++) yield UNREADABLE
    for (const name of consoles) {
      for await (const line of readJournal(join(folder, name))) {
        if (known.has(keyOf(line))) continue
        added++
        files.add(name)
        yield `${JSON.stringify(line)}\n`
      }
    }
  }
  try {
    await pipeline(lines(), createWriteStream(path))
  } catch (error) {
    await close()
    throw error
  }
  if (added > 0) return { path, added, files: [...files], close }
  await close()
  return nothing
}

/** Replaces a line of the journal that cannot be read, so that it is counted again. */
const UNREADABLE = '{"type":"unreadable"}\n'

/** The key is the same for a line of k6's console and for its copy in the journal. */
function keyOf(line: JournalLine): string {
  const place = linePlaceOf(line)
  return place === null ? JSON.stringify(line) : `${place.kind} ${place.number}`
}
