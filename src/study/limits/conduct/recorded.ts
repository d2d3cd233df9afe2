/** Requests of earlier runs as evidence of limits: nothing is sent. */
import { resolve } from 'node:path'
import { UserError } from '../../../base/mistakes.ts'
import { readSound } from '../../../journal/audit.ts'
import { readRun } from '../../../run/folder/stored.ts'
import { lapseNote, oneSpeed } from '../../frame/time-lapse.ts'
import type { RecordedRuns } from '../analyse/findings.ts'
import type { RecordedOperation, Stretch } from '../analyse/recorded.ts'
import { stretchOf } from '../analyse/recorded.ts'
import { RecordedRun } from './recorded-run.ts'

/** What the journals of some runs tell of each operation that runs use. */
export interface Recorded {
  target: string
  /** The profile of the fake crew; null for any other target, and where the run has no result. */
  profile: string | null
  /** Executions without an end in the journals: of them the polls are missing. */
  unfinished: number
  cuts: RecordedRuns['cuts']
  lapse: RecordedRuns['lapse']
  status: Stretch
  kickoff: Stretch
}

/**
 * Times count from the first request. Throws UserError for a folder that holds no run, and for runs
 * that met different limits.
 */
export async function readRecorded(folders: readonly string[]): Promise<Recorded> {
  const runs: RecordedRun[] = []
  let profile: string | null = null
  const cuts: RecordedRuns['cuts'][number][] = []
  // A run that is named twice has not sent its requests twice.
  for (const folder of new Set(folders.map((each) => resolve(each)))) {
    const { journal, result } = await readRun(folder)
    const run = new RecordedRun(folder)
    const cut = await readSound(journal, (line) => run.saw(line))
    if (cut !== null) cuts.push({ run: folder, cut })
    runs.push(run)
    profile = result?.run.profile ?? profile
  }
  demandOneCrew(runs)
  const status = pooled(runs.map((run) => run.status))
  const kickoff = pooled(runs.map((run) => run.kickoff))
  const zeroMs = [...status.requests, ...kickoff.requests].reduce(
    (least, { sentMs }) => Math.min(least, sentMs),
    Infinity,
  )
  const { target = '' } = runs[0] ?? {}
  return {
    target,
    profile,
    cuts,
    lapse: lapseNote(oneSpeed(runs, '--from')),
    unfinished: runs.reduce((sum, run) => sum + run.unfinished, 0),
    status: stretchOf(status, zeroMs),
    kickoff: stretchOf(kickoff, zeroMs),
  }
}

function pooled(operations: readonly RecordedOperation[]): RecordedOperation {
  return {
    requests: operations.flatMap(({ requests }) => requests),
    gaps: operations.flatMap(({ gaps }) => gaps),
  }
}

/** Answers of one limiter explain nothing of another. */
function demandOneCrew(runs: readonly RecordedRun[]): void {
  const [first, ...others] = runs
  const isOne = others.every(
    ({ target, ownCrew }) => !ownCrew && !first!.ownCrew && target === first!.target,
  )
  if (isOne) return
  const found = runs.map((run) => `${run.folder}: ${crewWords(run)}`).join('; ')
  const problem = `expected runs of one crew, for each has limits of its own (found ${found})`
  throw new UserError({ source: '--from', path: '', problem })
}

function crewWords({ target, ownCrew }: RecordedRun): string {
  return ownCrew ? 'a fake crew of its own' : target
}
