/** Reads runs for studies: their results, and whether a study could learn from them. */
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import type { KeptResult } from '../../../result/document.ts'
import { keptResult } from '../../../result/document.ts'
import { mixDocument } from '../../../result/mix.ts'
import { addedTo, UserError, formatMistake } from '../../../base/mistakes.ts'
import { checked, readDocument } from '../../../journal/file/document.ts'
import { RESULT_FILE } from '../../../run/folder/folder.ts'
import { RESULT_DAMAGE, runsBelow, journalIn } from '../../../run/folder/stored.ts'
import type { Mistake } from '../../../base/mistakes.ts'
import { readSound } from '../../../journal/audit.ts'
import type { StoredRun } from '../../../run/folder/stored.ts'
import type { StudyOptions } from './conducting.ts'

/**
 * Reads a run folder, or only its `result.json`, as a baseline is kept; of a mix, the part that is
 * named like a folder in its own: `reports/tenants-20261127T161500Z/quiet`. Throws UserError.
 */
export async function readResult(path: string): Promise<KeptResult> {
  try {
    const isFolder = (await stat(path)).isDirectory()
    const file = isFolder ? join(path, RESULT_FILE) : path
    const result = await readDocument(file, keptResult, isFolder ? RESULT_DAMAGE : {})
    if (result !== null) return result
  } catch (error) {
    if (error instanceof UserError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT') throw mistake(path, `cannot be read (${message}); ${EXPECTED}`)
  }
  const part = await partResult(path)
  if (part !== null) return part
  throw mistake(path, await whyAbsent(path))
}

const mix = mixDocument.pick({ schema: true }).loose()
const mixParts = z.object({ parts: z.array(z.object({ part: z.string(), result: keptResult })) })

/** Null where the folder above holds no mix, or one without this part. Throws UserError. */
async function partResult(path: string): Promise<KeptResult | null> {
  const above = join(dirname(path), RESULT_FILE)
  const found = await readDocument(above, mix).catch(() => null)
  if (found === null) return null
  const { parts } = checked(found, mixParts, { path: above, ...RESULT_DAMAGE })
  return parts.find(({ part }) => part === basename(path))?.result ?? null
}

function mistake(path: string, problem: string): UserError {
  return new UserError({ source: path, problem })
}

const EXPECTED = `expected a run folder or its ${RESULT_FILE}`

async function whyAbsent(path: string): Promise<string> {
  if (!existsSync(path)) return `does not exist; ${EXPECTED}`
  const runs = await runsBelow(path, RESULT_FILE)
  if (runs !== null) return `is no run folder; give the run folders below it: ${runs}`
  return (
    `contains no ${RESULT_FILE}; ${EXPECTED}; for a run that was cut, "crewload report render" ` +
    'writes it'
  )
}

/** Throws UserError with the damage of each journal. */
export async function demandSound(folders: readonly string[]): Promise<void> {
  const mistakes: Mistake[] = []
  for (const folder of folders) {
    const sound = journalIn(folder).then((journal) => readSound(journal, () => {}))
    await sound.catch(addedTo(mistakes))
  }
  if (mistakes.length > 0) throw new UserError(mistakes)
}

export type Notices = Pick<StudyOptions<never>, 'onNote'>

export function tellUnused({ unused }: StoredRun, { onNote }: Notices): void {
  for (const mistake of unused) onNote?.(formatMistake(mistake))
}
