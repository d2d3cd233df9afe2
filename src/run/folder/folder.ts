/** The run folder: created and tested before anything is sent, and read again. */
import { access, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ClockMapping } from '../../analysis/validity/clock.ts'
import type { ResultDocument } from '../../analysis/document.ts'
import type { FaultAccount } from '../../analysis/ledger/faults.ts'
import type { Ledger } from '../../analysis/ledger/reconcile.ts'
import type { LedgerRow } from '../../crew/ledger.ts'
import { UserError } from '../../base/mistakes.ts'
import { blocksOf } from '../../journal/blocks.ts'
import { makeFolder } from './make.ts'

export const JOURNAL_FILE = 'executions.ndjson'
export const RESULT_FILE = 'result.json'
export const LEDGER_FILE = 'ledger.ndjson'
export const CLOCK_FILE = 'clock.json'
export const FAULTS_FILE = 'faults.json'
/** What a study was asked for: its folder is not that of a run. */
export const STUDY_FILE = 'study.json'

export interface RunFolder {
  path: string
  /** The path of the journal. */
  journal: string
}

const MOST_FOLDERS_A_SECOND = 1_000
const PROBE_BYTES = 4_096

/**
 * Creates `<base>/<scenario>-<YYYYMMDDTHHMMSSZ>/`, with the suffix `-2`, `-3` ... when it exists,
 * and tests whether it is writable. Throws a UserError when that fails.
 */
export async function createRunFolder(
  base: string,
  scenario: string,
  startedAt: Date,
): Promise<RunFolder> {
  const name = `${fileName(scenario)}-${timestamp(startedAt)}`
  return writable(base, async () => {
    await makeFolder(base)
    return createUnique(base, name)
  })
}

/**
 * Creates `<base>/<name>/` for one run of a measurement with several; it must not exist. Throws a
 * UserError when that fails.
 */
export async function createNamedFolder(base: string, name: string): Promise<RunFolder> {
  return writable(base, async () => {
    const path = join(base, name)
    await mkdir(path)
    return path
  })
}

async function writable(base: string, create: () => Promise<string>): Promise<RunFolder> {
  try {
    const path = await create()
    await probe(path)
    return { path, journal: join(path, JOURNAL_FILE) }
  } catch (error) {
    const problem = `cannot write reports there: ${messageOf(error)}; choose another folder`
    throw new UserError({ source: '--out', path: '', found: base, problem })
  }
}

async function createUnique(base: string, name: string): Promise<string> {
  for (let copy = 1; ; copy++) {
    const path = join(base, copy === 1 ? name : `${name}-${copy}`)
    try {
      await mkdir(path)
      return path
    } catch (error) {
      if (codeOf(error) !== 'EEXIST' || copy === MOST_FOLDERS_A_SECOND) throw error
    }
  }
}

/** Writes bytes, because a full disk has room for names. A new folder that fails is removed. */
async function probe(folder: string): Promise<void> {
  const path = join(folder, '.probe')
  try {
    await writeFile(path, Buffer.alloc(PROBE_BYTES))
    await rm(path)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

/** For example `20261121T081500Z`. */
function timestamp(date: Date): string {
  return date.toISOString().replaceAll(/[-:]|\.\d+/g, '')
}

/**
 * Letters, digits, dots, dashes and underscores; never a name that hides the folder or leads out of
 * it.
 */
function fileName(text: string): string {
  const name = text.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replace(/^[.-]+/, '')
  return name.slice(0, 80) || 'run'
}

export interface StoredRun {
  folder: string
  /** Null when the run crashed and left none. */
  result: ResultDocument | null
  journal: string
  /** Null without `ledger.ndjson` and `clock.json`. */
  ledger: Ledger | null
}

/** Throws a UserError for a folder that does not contain a run. */
export async function readRun(folder: string): Promise<StoredRun> {
  const journal = join(folder, JOURNAL_FILE)
  try {
    await access(journal)
    const result = await readIfThere(join(folder, RESULT_FILE))
    return {
      folder,
      result: result === null ? null : (JSON.parse(result) as ResultDocument),
      journal,
      ledger: await readLedger(folder),
    }
  } catch (error) {
    throw notARun(folder, codeOf(error) === 'ENOENT' ? await absent(folder) : messageOf(error))
  }
}

/** Why there is no journal. */
async function absent(folder: string): Promise<string> {
  const files = await readdir(folder).catch(() => null)
  if (files === null) return 'there is no such folder'
  return files.includes(STUDY_FILE) ? 'this is the folder of a study' : 'the folder has no journal'
}

async function readLedger(folder: string): Promise<Ledger | null> {
  const clock = await readIfThere(join(folder, CLOCK_FILE))
  const rows = clock === null ? null : await readRows(join(folder, LEDGER_FILE))
  if (rows === null || clock === null) return null
  const mapping = { anchorUnixMs: null, ...(JSON.parse(clock) as object) }
  const faults = await readIfThere(join(folder, FAULTS_FILE))
  return {
    rows,
    clock: mapping as ClockMapping,
    ...(faults === null ? {} : { faults: JSON.parse(faults) as FaultAccount }),
  }
}

/**
 * NDJSON, as `GET /__fake__/ledger` returns it; null without the file. Throws for a line that is
 * not JSON.
 */
async function readRows(path: string): Promise<LedgerRow[] | null> {
  const rows: LedgerRow[] = []
  try {
    for await (const block of blocksOf(path)) {
      for (const line of block.toString('utf8').split('\n')) {
        if (line.trim() !== '') rows.push(JSON.parse(line) as LedgerRow)
      }
    }
    return rows
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

function notARun(folder: string, detail: string): UserError {
  const expected = `expected the folder of a run, with ${JOURNAL_FILE}`
  const problem = `no run can be read there (${detail}); ${expected}`
  return new UserError({ source: folder, path: '', problem })
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | null)?.code
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
