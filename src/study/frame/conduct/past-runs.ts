/** Recorded runs, for every study: their journals, and what their folders say of them. */
import type { StudyPlace } from '../study-place.ts'
import { commonPlace } from '../study-place.ts'
import type { CrewPlace } from '../../../execution/record/crew-place.ts'
import type { Mistake } from '../../../base/mistakes.ts'
import { addedTo, namedTwice } from '../../../base/mistakes.ts'
import { readSound } from '../../../journal/audit.ts'
import type { Cut } from '../../../result/sentences/early-ends.ts'
import type { StoredRun } from '../../../run/folder/stored.ts'
import { readRun } from '../../../run/folder/stored.ts'
import type { Notices } from './results.ts'
import { tellUnused } from './results.ts'
import { oneSpeed } from '../time-lapse.ts'
import { RunReader } from '../executions/reader.ts'

export interface PastRun extends Pick<StoredRun, 'folder' | 'ledger' | 'result'> {
  reader: RunReader
  /** Null for a run that came to its end. */
  cut: Cut | null
}

/** `most`: as of `RunReader`. */
export async function readPastRun(
  { folder, journal, ledger, result }: StoredRun,
  { most = Infinity } = {},
): Promise<PastRun> {
  const reader = new RunReader(most)
  const cut = await readSound(journal, (line) => reader.saw(line))
  return { folder, ledger, result, reader, cut }
}

/** Where those runs took place of which that is known. */
export function placesOf(runs: readonly Pick<PastRun, 'reader'>[]): CrewPlace[] {
  return runs.flatMap(({ reader }) => reader.first?.place ?? [])
}

/** What all runs of a study have in common; null where they differ. */
export interface CommonFacts {
  place: StudyPlace
  scenario: string | null
  seed: number | null
  speed: number
}

/** Throws UserError for runs at several speeds. `named`: how many there are, read or not. */
export function commonFacts(runs: readonly PastRun[], named = runs.length): CommonFacts {
  return {
    place: commonPlace(placesOf(runs), named),
    scenario: only(runs.map(({ reader }) => reader.first?.scenario ?? null)),
    seed: only(runs.map(({ reader }) => reader.first?.seed ?? null)),
    speed: oneSpeed(runs, 'RUN'),
  }
}

function only<T>(values: readonly T[]): T | null {
  return new Set(values).size === 1 ? values[0]! : null
}

/** The runs in those folders, without their journals. Adds to `mistakes` what is none. */
export async function storedRuns(
  folders: readonly string[],
  mistakes: Mistake[],
  notices: Notices,
): Promise<StoredRun[]> {
  mistakes.push(...namedTwice(folders))
  const stored: StoredRun[] = []
  for (const folder of new Set(folders)) {
    const run = await readRun(folder).catch(addedTo(mistakes))
    if (run === null) continue
    tellUnused(run, notices)
    stored.push(run)
  }
  return stored
}
