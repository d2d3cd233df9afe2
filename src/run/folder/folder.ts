/** The run folder: created and tested before anything is sent. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { UserError } from '../../base/mistakes.ts'
import { makeBase, removeAtExit, removeUnmeasured } from './make.ts'
import { messageOf } from '../../base/text.ts'

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
/** A command that is refused removes the empty base that it made, perhaps between our steps. */
const MOST_TRIES = 100
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
    for (let tries = 1; ; tries++) {
      try {
        await makeBase(base)
        return await createUnique(base, name)
      } catch (error) {
        if (codeOf(error) !== 'ENOENT' || tries === MOST_TRIES) throw error
      }
    }
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
    removeAtExit(path, removeUnmeasured)
    await probe(path)
    return { path, journal: join(path, JOURNAL_FILE) }
  } catch (error) {
    const problem = `cannot write reports there: ${messageOf(error)}; choose another folder`
    throw new UserError({ source: '--out', found: base, problem })
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

/** The two parts from which `createRunFolder` made the name; of any other, both are the whole. */
export function partsOfName(folder: string): { scenario: string; time: string } {
  const whole = basename(folder)
  const [, scenario = whole, time = whole] = /^(.*?)-(\d{8}T\d{6}Z.*)$/.exec(whole) ?? []
  return { scenario, time }
}

/**
 * Letters, digits, dots, dashes and underscores; never a name that hides the folder or leads out of
 * it.
 */
function fileName(text: string): string {
  const name = text.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replace(/^[.-]+/, '')
  return name.slice(0, 80) || 'run'
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | null)?.code
}
