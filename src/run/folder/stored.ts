/** Reads what a run left in its folder beside its journal. */
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { z } from 'zod'
import type { KeptResult } from '../../result/document.ts'
import { keptResult } from '../../result/document.ts'
import { faultAccount } from '../../result/ledger/faults.ts'
import type { Ledger } from '../../result/ledger/reconcile.ts'
import { clockMapping } from '../../result/clock.ts'
import type { Mistake } from '../../base/mistakes.ts'
import { UserError } from '../../base/mistakes.ts'
import { ledgerRow } from '../../crew/ledger.ts'
import { readDocument } from '../../journal/file/document.ts'
import { readLines } from '../../journal/file/lines.ts'
import { openRegular } from '../../journal/file/regular.ts'
import {
  CLOCK_FILE,
  FAULTS_FILE,
  JOURNAL_FILE,
  LEDGER_FILE,
  RESULT_FILE,
  STUDY_FILE,
} from './folder.ts'
import { existsSync } from 'node:fs'

export interface StoredRun {
  folder: string
  /** Null when the run crashed and left none. */
  result: KeptResult | null
  journal: string
  /** Null without `ledger.ndjson` and `clock.json`. */
  ledger: Ledger | null
  /** Files that were not used, and why: whoever reads the run shows them. */
  unused: readonly Mistake[]
}

/** Beside the mapping, how many rows the ledger has: a shortened file shows. */
const storedClock = clockMapping.extend({ rows: z.int().min(0) })

/** Of the result in a run folder. */
export const RESULT_DAMAGE = { remedy: '"crewload report render" writes it again' }
const WITHOUT_LEDGER = `remove ${LEDGER_FILE} to use the run without its ledger`

/**
 * Throws a UserError for a folder that does not contain a run, and for a file of it that is
 * damaged. `rewrites`: its result is about to be written again, so that a damaged one is only not
 * used.
 */
export async function readRun(
  folder: string,
  { rewrites = false }: { rewrites?: boolean } = {},
): Promise<StoredRun> {
  const journal = await journalIn(folder)
  const unused: Mistake[] = []
  const result = rewrites
    ? await formerResult(folder, keptResult, unused)
    : await readDocument(join(folder, RESULT_FILE), keptResult, RESULT_DAMAGE)
  return { folder, journal, result, ledger: await readLedger(folder, unused), unused }
}

/** Of a run or a mix, where it is about to be written again: one that is damaged is not used. */
export async function formerResult<T>(
  folder: string,
  schema: z.ZodType<T>,
  unused: Mistake[],
): Promise<T | null> {
  try {
    return await readDocument(join(folder, RESULT_FILE), schema, RESULT_DAMAGE)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    unused.push(...error.mistakes)
    return null
  }
}

/** The path of the journal. Throws a UserError for a folder that has none. */
export async function journalIn(folder: string): Promise<string> {
  const journal = join(folder, JOURNAL_FILE)
  const file = await openRegular(journal)
  if (file === null) throw notARun(folder, await absent(folder))
  await file.close()
  return journal
}

/** Why there is no journal. A study may have run folders below its own: those can be given. */
async function absent(folder: string): Promise<string> {
  const files = await readdir(folder).catch(() => null)
  if (files === null) return 'there is no such folder'
  const runs = await runsBelow(folder, JOURNAL_FILE)
  const isStudy = files.includes(STUDY_FILE)
  const what = isStudy ? 'this is the folder of a study' : 'the folder has no journal'
  if (runs !== null) return `${what}; give the run folders below it: ${runs}`
  return isStudy ? `${what}, which kept no run folders` : what
}

/**
 * `ofMix`: what the names of its files begin with, in a mix. It stores no faults, which are those
 * of one part.
 */
export async function readLedger(
  folder: string,
  unused: Mistake[],
  ofMix: string | null = null,
): Promise<Ledger | null> {
  const prefix = ofMix ?? ''
  const paths = {
    clock: join(folder, prefix + CLOCK_FILE),
    rows: join(folder, prefix + LEDGER_FILE),
    faults: join(folder, prefix + FAULTS_FILE),
  }
  const remedy = WITHOUT_LEDGER
  const rows = await readLines(paths.rows, ledgerRow, { remedy })
  const stored = await readDocument(paths.clock, storedClock, { remedy })
  const faults = await readDocument(paths.faults, faultAccount, {
    remedy: 'remove it to use the run without the account of faults',
  })
  if (rows === null && stored === null) return null
  if (rows === null || stored === null) {
    const [missing, other] = rows === null ? [paths.rows, paths.clock] : [paths.clock, paths.rows]
    const problem = `is missing, so that ${basename(other)} beside it is not used`
    unused.push({ source: missing, problem })
    return null
  }
  const { rows: written, ...clock } = stored
  if (rows.length !== written) {
    const problem = `the file is damaged: expected ${written} rows; ${remedy}`
    throw new UserError({ source: paths.rows, problem, found: String(rows.length) })
  }
  if (faults !== null) return { rows, clock, faults }
  if (ofMix !== null) return { rows, clock }
  const problem = 'is missing, so that nothing is said of the faults of the fake crew'
  unused.push({ source: paths.faults, problem })
  return { rows, clock }
}

function notARun(folder: string, detail: string): UserError {
  const expected = `expected the folder of a run, with ${JOURNAL_FILE}`
  const problem = `no run can be read there (${detail}); ${expected}`
  return new UserError({ source: folder, problem })
}

/** Sorts by number: `run-10` comes after `run-9`. */
export function byNumber(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}

const MOST_NAMED = 12

/**
 * The paths of the folders below that contain the file, as an advice names them; null if there are
 * none.
 */
export async function runsBelow(folder: string, file: string): Promise<string | null> {
  const names = await readdir(folder).catch(() => [])
  const runs = names.filter((name) => existsSync(join(folder, name, file))).toSorted(byNumber)
  if (runs.length === 0) return null
  const more = runs.length - MOST_NAMED
  const named = runs.slice(0, MOST_NAMED).map((name) => join(folder, name))
  return `${named.join(' ')}${more > 0 ? ` and ${more} more` : ''}`
}
