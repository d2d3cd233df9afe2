/**
 * Stores what the trials of a study measured and sent in its folder, one line each, and reads what
 * a cut left there: with it the study continues with the missing trials and the rest of its budget.
 */
import { appendFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { trialReason } from './reasons.ts'
import { writeArtefacts } from '../../../run/folder/artefacts.ts'
import { checked } from '../../../journal/file/document.ts'
import { readLines } from '../../../journal/file/lines.ts'
import type { Spent } from '../../../engine/sending-budget.ts'
import { NOTHING_SPENT, sumOfSpent } from '../../../engine/sending-budget.ts'
import type { RunFolder } from '../../../run/folder/folder.ts'
import { JOURNAL_FILE, createNamedFolder } from '../../../run/folder/folder.ts'
import { byNumber } from '../../../run/folder/stored.ts'
import type { TrialRun } from './run.ts'
import { spentIn } from './run.ts'
import { existsSync } from 'node:fs'

const TRIALS_FILE = 'trials.ndjson'

const spent = z.object({ requests: z.int(), kickoffs: z.int() })

const keptTrial = z.object({
  /** The name of what was tried, unique in the study. */
  key: z.string(),
  /** The number of runs of the scenario that it took, and the folders of their journals. */
  runs: z.int(),
  folders: z.array(z.string()),
  spent,
  /** The duration by the wall clock. */
  tookMs: z.number(),
  /** Why its measurement cannot be trusted. */
  invalid: z.array(trialReason),
  /** The study's own measurement. */
  measured: z.unknown(),
})

/** Written before requests are sent outside any run, because a kill may hide what was sent. */
const reservation = z.object({ key: z.string(), reserved: spent })
/**
 * Requests outside any run that belong to no kept trial; it replaces the reservations of its key.
 */
const settlement = z.object({ key: z.string(), sent: spent })

const keptLine = z.union([keptTrial, settlement, reservation])
type KeptLine = z.infer<typeof keptLine>

export type KeptTrial = z.infer<typeof keptTrial>

interface Kept {
  /** The trials in the order in which they ended. */
  trials: readonly KeptTrial[]
  /**
   * Requests outside runs that belong to no kept trial; when a kill hides the number, the reserved
   * number.
   */
  otherwise: Spent
}

const KEPT = { remedy: 'without the line its trial would be made, and paid for, again' }

/**
 * A last line that a kill cut is ignored: its trial is made again. Throws a UserError for any other
 * line that cannot be read.
 */
export async function readKept(folder: string): Promise<Kept> {
  const lines = await readLines(join(folder, TRIALS_FILE), keptLine, {
    isAppended: true,
    ...KEPT,
  })
  const trials = new Map<string, KeptTrial>()
  const reserved = new Map<string, Spent>()
  let otherwise = NOTHING_SPENT
  for (const written of lines ?? []) {
    const trial = keptTrial.safeParse(written).data
    const settled = settlement.safeParse(written).data
    const ahead = reservation.safeParse(written).data
    if (trial !== undefined) trials.set(trial.key, trial)
    if (settled !== undefined) otherwise = sumOfSpent([otherwise, settled.sent])
    const key = trial?.key ?? settled?.key
    if (key !== undefined) reserved.delete(key)
    if (ahead !== undefined) {
      reserved.set(
        ahead.key,
        sumOfSpent([reserved.get(ahead.key) ?? NOTHING_SPENT, ahead.reserved]),
      )
    }
  }
  return { trials: [...trials.values()], otherwise: sumOfSpent([otherwise, ...reserved.values()]) }
}

/** Throws a UserError for a measurement of another form: its trial would be paid for again. */
export function measuredIn<M>(
  { key, measured }: KeptTrial,
  schema: z.ZodType<M>,
  folder: string,
): M {
  const remedy = `it is the measurement of "${key}"; ${KEPT.remedy}`
  return checked(measured, schema, { path: join(folder, TRIALS_FILE), remedy })
}

/** Rewrites the file from what could be read, so that nothing is appended to half a line. */
export async function rewriteKept(folder: string, { trials, otherwise }: Kept): Promise<void> {
  const sent = otherwise.requests === 0 ? [] : [{ key: 'before', sent: otherwise }]
  const files = { [TRIALS_FILE]: [...trials, ...sent].map(lineOf).join('') }
  await writeArtefacts(folder, { files })
}

/** Appends a trial, a reservation before requests outside runs, or what they came to. */
export async function keep(folder: string, line: KeptLine): Promise<void> {
  await appendFile(join(folder, TRIALS_FILE), lineOf(line))
}

function lineOf(line: object): string {
  return `${JSON.stringify(line)}\n`
}

export interface Former {
  kept: readonly KeptTrial[]
  /** Requests of everything that does not belong to a completed trial. */
  cut: Spent
  /** The names of the folders of runs that do not belong to a completed trial. */
  cutRuns: readonly string[]
  /** The number of the last run. */
  lastRun: number
}

export const NO_FORMER: Former = { kept: [], cut: NOTHING_SPENT, cutRuns: [], lastRun: 0 }

const RUN_FOLDER = /^run-(\d+)$/

export async function formerOf(
  folder: string,
  { trials, otherwise }: Kept,
  simulated: boolean,
): Promise<Former> {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  const whole = new Set(trials.flatMap(({ folders }) => folders))
  const cut = names.filter((name) => !simulated && !whole.has(name))
  const spent: Spent[] = [otherwise]
  for (const name of cut) spent.push(await spentIn(join(folder, name, JOURNAL_FILE)))
  const numbers = names.map((name) => Number(RUN_FOLDER.exec(name)?.[1] ?? 0))
  return {
    kept: trials,
    cut: sumOfSpent(spent),
    cutRuns: cut.toSorted(byNumber),
    lastRun: Math.max(0, ...numbers),
  }
}

interface TrialFoldersOptions {
  /** The study's folder; null keeps nothing. */
  folder: string | null
  /** Whether each run has a folder with its journal. */
  journals: boolean
  /** The number of the last run folder of former processes; 0 when there is none. */
  lastRun: number
  onTrouble: (trouble: string) => void
}

export class TrialFolders {
  readonly #options: TrialFoldersOptions
  #lastRun: number
  #mayWrite = true

  constructor(options: TrialFoldersOptions) {
    this.#options = options
    this.#lastRun = options.lastRun
  }

  /** A new folder for the run; null when runs have none. */
  async folderOf(run: TrialRun): Promise<{ name: string; run: RunFolder } | null> {
    const { folder, journals } = this.#options
    if (folder === null || !journals) return null
    const name = freeName(folder, run.folder ?? `run-${++this.#lastRun}`)
    return { name, run: await createNamedFolder(folder, name) }
  }

  /** The study continues when nothing can be written, and reports that once. */
  async write(line: (folder: string) => Promise<void>): Promise<void> {
    const { folder, onTrouble } = this.#options
    if (folder === null || !this.#mayWrite) return
    await line(folder).catch((error: Error) => {
      this.#mayWrite = false
      onTrouble(
        `trials cannot be saved: ${error.message}; the study continues, but cannot be resumed`,
      )
    })
  }
}

/** A run that was cut keeps its folder, because what it sent is counted there. */
function freeName(folder: string, name: string): string {
  const isTaken = (wanted: string): boolean => existsSync(join(folder, wanted))
  if (!isTaken(name)) return name
  for (let again = 2; ; again++) {
    const other = `${name}-again-${again}`
    if (!isTaken(other)) return other
  }
}
