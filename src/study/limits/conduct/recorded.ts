/** Requests of earlier runs as evidence of limits: nothing is sent. */
import { resolve } from 'node:path'
import { UserError } from '../../../base/mistakes.ts'
import type { Micros } from '../../../base/units.ts'
import { MICROS_PER_MS } from '../../../base/units.ts'
import { readSound } from '../../../journal/audit.ts'
import { readRun } from '../../../run/folder/stored.ts'
import { lapseNote, oneSpeed } from '../../frame/time-lapse.ts'
import type { RecordedRuns } from '../analyse/findings.ts'
import type { RecordedOperation, KnownStretch } from '../analyse/recorded.ts'
import { stretchOf } from '../analyse/recorded.ts'
import { RunReader } from '../../frame/executions/reader.ts'
import type { MeasuredOperation } from '../../../crew/answer.ts'

/** What the journals of some runs tell of each operation that runs use. */
export interface RecordedEvidence {
  target: string
  /** The profile of the fake crew; null for any other target, and where the run has no result. */
  profile: string | null
  /** Executions without an end in the journals: of them the polls are missing. */
  unfinished: number
  cuts: RecordedRuns['cuts']
  lapse: RecordedRuns['lapse']
  status: KnownStretch
  kickoff: KnownStretch
}

interface RunOfFolder {
  folder: string
  reader: RunReader
  speed: number
}

/**
 * Times count from the first request. Throws UserError for a folder that holds no run, and for runs
 * that met different limits.
 */
export async function readRecorded(folders: readonly string[]): Promise<RecordedEvidence> {
  const runs: RunOfFolder[] = []
  let profile: string | null = null
  const cuts: RecordedRuns['cuts'][number][] = []
  // A run that is named twice has not sent its requests twice.
  for (const folder of new Set(folders.map((each) => resolve(each)))) {
    const { journal, result } = await readRun(folder)
    const reader = new RunReader()
    const cut = await readSound(journal, (line) => reader.saw(line))
    if (cut !== null) cuts.push({ run: folder, cut })
    runs.push({ folder, reader, speed: reader.speed })
    profile = result?.run.profile ?? profile
  }
  demandOneCrew(runs)
  const status = pooled(runs, 'status')
  const kickoff = pooled(runs, 'kickoff')
  const zeroMs = [...status.requests, ...kickoff.requests].reduce(
    (least, { sentMs }) => Math.min(least, sentMs),
    Infinity,
  )
  return {
    target: runs[0]?.reader.target ?? '',
    profile,
    cuts,
    lapse: lapseNote(oneSpeed(runs, '--from')),
    unfinished: runs.reduce((sum, { reader }) => sum + reader.unfinished, 0),
    status: stretchOf(status, zeroMs),
    kickoff: stretchOf(kickoff, zeroMs),
  }
}

/** In Unix milliseconds. */
function pooled(runs: readonly RunOfFolder[], operation: MeasuredOperation): RecordedOperation {
  const operations = runs.map(({ reader }) => {
    const unixMs = (micros: Micros): number => reader.zeroUnixMs + micros / MICROS_PER_MS
    const { requests, gaps } = reader.requests(operation)
    return {
      requests: requests.map(({ sentMicros, doneMicros, answer, askedMicros }) => ({
        sentMs: unixMs(sentMicros),
        receivedMs: unixMs(doneMicros),
        code: answer,
        askedMs: askedMicros === null ? null : askedMicros / MICROS_PER_MS,
      })),
      gaps: gaps.map(({ fromMicros, untilMicros }) => ({
        fromMs: unixMs(fromMicros),
        untilMs: unixMs(untilMicros),
      })),
    }
  })
  return {
    requests: operations.flatMap(({ requests }) => requests),
    gaps: operations.flatMap(({ gaps }) => gaps),
  }
}

/** Answers of one limiter explain nothing of another. */
function demandOneCrew(runs: readonly RunOfFolder[]): void {
  const crews = runs.map(({ reader: { first, target } }) =>
    first?.ownCrew === true ? 'a fake crew of its own' : target,
  )
  const isOwn = runs.some(({ reader }) => reader.first?.ownCrew === true)
  if (runs.length < 2 || (!isOwn && new Set(crews).size === 1)) return
  const found = runs.map(({ folder }, i) => `${folder}: ${crews[i]}`).join('; ')
  const problem = `expected runs of one crew, for each has limits of its own (found ${found})`
  throw new UserError({ source: '--from', path: '', problem })
}
