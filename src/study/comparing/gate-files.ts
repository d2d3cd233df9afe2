/** The files that gates keep: the runs of their baseline, and the history of all gates. */
import { mkdtemp, readdir, rmdir, stat, appendFile } from 'node:fs/promises'
import { join, dirname } from 'node:path'
import { z } from 'zod'
import { readDocument, readText } from '../../journal/file/document.ts'
import { addedTo, UserError } from '../../base/mistakes.ts'
import { makeFolder } from '../../run/folder/make.ts'
import { writeArtefacts, landArtefacts } from '../../run/folder/artefacts.ts'
import type { StoredResult } from './comparable.ts'
import { keptPart } from './comparable.ts'
import type { HistoryLine, History } from './history.ts'
import { HISTORY_FILE, parseHistory } from './history.ts'
import { readResult } from '../frame/conduct/results.ts'
import { existsSync } from 'node:fs'
import type { Mistake } from '../../base/mistakes.ts'
import { keptResult } from '../../result/document.ts'
import { RESULT_FILE } from '../../run/folder/folder.ts'
import { lockFolder } from '../../run/folder/lock.ts'

/** The names of the results that a gate writes. */
const BASELINE_FILE = /^run-(\d+)\.json$/

/** A folder with more entries is not that of a baseline. */
const MOST_RUNS = 1_000

/** How often to read again because a gate replaced the runs meanwhile. */
const MOST_READINGS = 20

/**
 * Reads the results named `run-1.json`, `run-2.json` ..., and those of run folders: all of one
 * state of the folder, though another gate replace them, and though one was killed over it. Returns
 * none if the folder has none or does not exist.
 */
export async function readBaseline(folder: string, mistakes: Mistake[]): Promise<StoredResult[]> {
  for (let reading = 1; ; reading++) {
    await landArtefacts(folder).catch(addedTo(mistakes))
    const before = await stateOf(folder)
    const found: Mistake[] = []
    const runs = await readRuns(folder, found)
    if (reading < MOST_READINGS && (await stateOf(folder)) !== before) continue
    mistakes.push(...found)
    return runs
  }
}

/** Changes when a file of the folder is replaced. */
async function stateOf(folder: string): Promise<string> {
  const names = await readdir(folder).catch(() => [])
  const files = await Promise.all(
    names.map(async (name) => {
      const found = await stat(join(folder, name)).catch(() => null)
      return `${name} ${found?.ino} ${found?.mtimeMs}`
    }),
  )
  return files.toSorted((a, b) => (a < b ? -1 : 1)).join('\n')
}

/** As `readBaseline`, while nobody writes there. */
async function readRuns(folder: string, mistakes: Mistake[]): Promise<StoredResult[]> {
  const read: StoredResult[] = []
  for (const path of await pathsIn(folder, mistakes)) {
    const result = await readResult(path).catch(addedTo(mistakes))
    if (result !== null) read.push({ folder: path, result })
  }
  // Sorts them by when they were made, because a run may resemble the one before.
  return read.toSorted((a, b) => madeAt(a) - madeAt(b))
}

function madeAt({ result }: StoredResult): number {
  return Date.parse(result.run.startedAt)
}

async function pathsIn(folder: string, mistakes: Mistake[]): Promise<string[]> {
  try {
    const names = await readdir(folder)
    return names
      .filter((name) => BASELINE_FILE.test(name) || existsSync(join(folder, name, RESULT_FILE)))
      .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
      .slice(0, MOST_RUNS)
      .map((name) => join(folder, name))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return []
    mistakes.push({ source: '--baseline', found: folder, problem: message })
    return []
  }
}

interface NewBaseline {
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
      runs.map(({ result }, i) => [`run-${i + 1}.json`, textOf(keptPart(result))]),
    )
    const names = await readdir(folder)
    const remove = names.filter((name) => BASELINE_FILE.test(name) && !(name in files))
    if (line === null) return { files, remove }
    const history = await historyWith(join(folder, HISTORY_FILE), line)
    return { files: { ...files, [HISTORY_FILE]: history }, remove }
  })
}

/**
 * Throws a UserError for a folder that could not be written at the end, before runs are paid.
 * Leaves none that was not there.
 */
export async function demandWritable(folder: string): Promise<void> {
  const made: string[] = []
  try {
    await makeFolder(folder, (path) => void made.push(path))
    await rmdir(await mkdtemp(join(folder, '.probe-')))
  } catch (error) {
    const problem = `no baseline can be written there: ${(error as Error).message}`
    throw new UserError({ source: '--baseline', found: folder, problem })
  } finally {
    // Another gate may use one of them meanwhile.
    for (const path of made.toReversed()) await rmdir(path).catch(() => null)
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
  runs: z.array(z.object({ folder: z.string(), result: keptResult })),
})

/** Keeps the runs of the baseline for a resumption, once. */
export async function keepBaseline(folder: string, runs: readonly StoredResult[]): Promise<void> {
  if ((await keptBaseline(folder)) !== null) return
  const kept = runs.map((run) => ({ folder: run.folder, result: keptPart(run.result) }))
  await writeArtefacts(folder, { files: { [KEPT_FILE]: textOf({ runs: kept }) } })
}

/** Null if the folder has none. Throws UserError for one that is damaged. */
export async function keptBaseline(folder: string): Promise<StoredResult[] | null> {
  return (await readDocument(join(folder, KEPT_FILE), keptRuns))?.runs ?? null
}

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
async function historyWith(file: string, line: HistoryLine): Promise<string> {
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
    throw new UserError({ source: path, problem })
  }
}
