/** Writes the runs of a candidate as the new baseline, and keeps what a gate compares with. */
import { mkdtemp, readdir, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { readDocument } from '../../../../journal/file/document.ts'
import { UserError } from '../../../../base/mistakes.ts'
import { makeFolder } from '../../../../run/folder/make.ts'
import { writeArtefacts } from '../../../../run/folder/artefacts.ts'
import type { StoredResult } from '../../comparable.ts'
import { comparedPart } from '../../comparable.ts'
import type { HistoryLine } from '../../history.ts'
import { HISTORY_FILE } from '../../history.ts'
import { historyWith } from '../../history-file.ts'
import { isResult } from '../../../frame/conduct/results.ts'
import { BASELINE_FILE, readRuns } from '../plan/baseline.ts'

export interface NewBaseline {
  runs: readonly StoredResult[]
  /** The ids of the runs that the gate found there; null replaces any others too. */
  instead: readonly string[] | null
  /** The line of the gate, if the history is in the same folder. */
  line: HistoryLine | null
}

/**
 * Writes the part of each result that a comparison reads as `run-1.json`, `run-2.json` ..., small
 * enough for a repository, in place of those that were in the folder, with the line of the history:
 * all or nothing. Rejects if the folder cannot be written, and if another gate has replaced the
 * baseline meanwhile.
 */
export async function writeBaseline(
  folder: string,
  { runs, instead, line }: NewBaseline,
): Promise<void> {
  await writeArtefacts(folder, async () => {
    const now = idsOf(await readRuns(folder, []))
    const known = instead === null ? [now] : [instead, idsOf(runs)]
    if (!known.some((ids) => isSame(ids, now))) {
      throw new Error('another gate has written one there meanwhile, which is kept')
    }
    const files = Object.fromEntries(
      runs.map(({ result }, i) => [`run-${i + 1}.json`, textOf(comparedPart(result))]),
    )
    const names = await readdir(folder)
    const remove = names.filter((name) => BASELINE_FILE.test(name) && !(name in files))
    if (line === null) return { files, remove }
    const history = await historyWith(join(folder, HISTORY_FILE), line)
    return { files: { ...files, [HISTORY_FILE]: history }, remove }
  })
}

/** Throws a UserError for a folder that could not be written at the end, before runs are paid. */
export async function demandWritable(folder: string): Promise<void> {
  try {
    await makeFolder(folder)
    await rmdir(await mkdtemp(join(folder, '.probe-')))
  } catch (error) {
    const problem = `no baseline can be written there: ${(error as Error).message}`
    throw new UserError({ source: '--baseline', path: '', found: folder, problem })
  }
}

export function idsOf(runs: readonly StoredResult[]): string[] {
  return runs.map(({ result }) => result.run.id)
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((id) => others.includes(id))
}

function textOf(value: object): string {
  return `${JSON.stringify(value)}\n`
}

/** In the folder of a gate: the runs that it compares with, which may be replaced at its end. */
const KEPT_FILE = 'baseline.json'

const keptRuns = z.object({
  runs: z.array(
    z.object({ folder: z.string(), result: z.custom<StoredResult['result']>(isResult) }),
  ),
})

/** Keeps the runs of the baseline for a resumption, once. */
export async function keepBaseline(folder: string, runs: readonly StoredResult[]): Promise<void> {
  if ((await keptBaseline(folder)) !== null) return
  const kept = runs.map((run) => ({ folder: run.folder, result: comparedPart(run.result) }))
  await writeArtefacts(folder, { files: { [KEPT_FILE]: textOf({ runs: kept }) } })
}

/** Null if the folder has none. Throws UserError for one that is damaged. */
export async function keptBaseline(folder: string): Promise<StoredResult[] | null> {
  return (await readDocument(join(folder, KEPT_FILE), keptRuns))?.runs ?? null
}
