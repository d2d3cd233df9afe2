/**
 * What the trials of a study measured, kept in its folder, a line each: by it a study that was cut
 * goes on with the trials that are missing.
 */
import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Reason } from '../../../analysis/document.ts'
import { writeArtefacts } from '../../../run/folder/folder.ts'
import type { Spent } from './spending.ts'

const TRIALS_FILE = 'trials.ndjson'

const keptTrial = z.object({
  /** What was tried: unique in the study. */
  key: z.string(),
  /** Runs of the scenario that it took, and the folders of their journals. */
  runs: z.int(),
  folders: z.array(z.string()),
  spent: z.object({ requests: z.int(), kickoffs: z.int() }),
  /** Of the wall clock. */
  tookMs: z.number(),
  /** Why its measurement cannot be trusted. */
  invalid: z.array(z.object({ code: z.string(), message: z.string(), remedy: z.string() })),
  /** The study's own. */
  measured: z.unknown(),
})

export interface KeptTrial {
  key: string
  runs: number
  folders: string[]
  spent: Spent
  tookMs: number
  invalid: Reason[]
  measured: unknown
}

/**
 * In the order they ended; none where there are none. A line that was cut, or is none, counts for
 * nothing: its trial is made again.
 */
export async function readKept(folder: string): Promise<KeptTrial[]> {
  const text = await readFile(join(folder, TRIALS_FILE), 'utf8').catch(() => '')
  const found = new Map<string, KeptTrial>()
  for (const line of text.split('\n')) {
    const trial = trialIn(line)
    if (trial !== null) found.set(trial.key, trial)
  }
  return [...found.values()]
}

function trialIn(line: string): KeptTrial | null {
  try {
    const { data } = keptTrial.safeParse(JSON.parse(line))
    return data === undefined ? null : data
  } catch {
    return null
  }
}

/** Makes the file anew of what could be read, so that nothing is appended to half a line. */
export async function rewriteKept(folder: string, trials: readonly KeptTrial[]): Promise<void> {
  await writeArtefacts(folder, { [TRIALS_FILE]: trials.map(lineOf).join('') })
}

export async function keepTrial(folder: string, trial: KeptTrial): Promise<void> {
  await appendFile(join(folder, TRIALS_FILE), lineOf(trial))
}

function lineOf(trial: KeptTrial): string {
  return `${JSON.stringify(trial)}\n`
}
