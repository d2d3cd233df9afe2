/** Run folders read for what they tell of polling. */
import { plural } from '../../../result/metrics/format.ts'
import { basename } from 'node:path'
import type { Cut } from '../../../result/ending/cut.ts'
import { cutWords } from '../../../result/ending/cut.ts'
import { readSound } from '../../../journal/audit.ts'
import type { StoredRun } from '../../../run/folder/stored.ts'
import { readRun } from '../../../run/folder/stored.ts'
import { oneSpeed } from '../../frame/time-lapse.ts'
import type { Recording } from '../analyse/replay/recording.ts'
import type { Learned } from '../analyse/learned.ts'
import { RunReader } from '../../frame/executions/reader.ts'
import { joined, MOST_EXECUTIONS, recordingOf } from './recording.ts'

export interface ReadRun {
  reader: RunReader
  recording: Recording
  result: StoredRun['result']
  cut: Cut | null
}

/** Throws UserError for a folder that holds no run. */
export async function readRecording(folder: string): Promise<ReadRun> {
  return recordedIn(await readRun(folder))
}

async function recordedIn({ journal, ledger, result }: StoredRun): Promise<ReadRun> {
  const reader = new RunReader(MOST_EXECUTIONS)
  const cut = await readSound(journal, (line) => reader.saw(line))
  return { reader, recording: recordingOf(reader, ledger), result, cut }
}

/** `isStopped`: asked before each run; the rest is then not read. */
export async function readRecordings(
  runs: readonly StoredRun[],
  isStopped: () => boolean,
): Promise<Learned> {
  const read: ReadRun[] = []
  for (const run of runs) {
    if (isStopped()) break
    read.push(await recordedIn(run))
  }
  const folders = runs.map(({ folder }) => folder)
  return {
    recording: joined(read.map(({ recording }) => recording)),
    runs: folders.slice(0, read.length),
    target: only(read.map(({ reader }) => reader.target)) ?? plural(folders.length, 'run'),
    profile: only(read.map(({ result }) => result?.run.profile ?? null)),
    scenario: only(read.map(({ reader }) => reader.first?.scenario ?? null)),
    speed: oneSpeed(
      read.map(({ reader: { speed } }, i) => ({ folder: folders[i]!, speed })),
      'RUN',
    ),
    seed: only(read.map(({ reader }) => reader.first?.seed ?? null)),
    crews: [...new Set(read.flatMap((each) => crewOf(each) ?? []))],
    loads: read.flatMap(({ recording: { executions, arrivalsPerSecond: perSecond } }) =>
      perSecond === null ? [] : [{ executions: executions.length, perSecond }],
    ),
    invalid: [],
    doubted: read.flatMap((each, i) => {
      const why = whyDoubted(each)
      return why === null ? [] : [{ run: basename(folders[i]!), why }]
    }),
  }
}

/** Fake crews are known by their profile: each run starts one at an address of its own. */
function crewOf({ reader, result }: ReadRun): string | null {
  if (result === null) return null
  return result.run.profile ?? reader.target.replace(/\/$/, '')
}

/** Null for a run that was VALID. */
function whyDoubted({ result, cut }: ReadRun): string | null {
  if (cut !== null) return cutWords(cut)
  if (result === null || result.verdict.valid) return null
  const { outcome, reasons } = result.verdict
  return outcome === 'invalid' ? reasons.map(({ message }) => message).join('; ') : outcome
}

function only<T>(values: readonly T[]): T | null {
  return new Set(values).size === 1 ? values[0]! : null
}
