/** Run folders read for what they tell of polling. */
import { readJournal } from '../../../journal/reader.ts'
import { readRun } from '../../../run/folder/folder.ts'
import type { Recording } from '../analyse/replay/recording.ts'
import type { Learned } from '../analyse/learned.ts'
import { joined, RunRecorder } from './recorder.ts'

/** Throws UserError for a folder that holds no run. */
export async function readRecordings(folders: readonly string[]): Promise<Learned> {
  const recordings: Recording[] = []
  const told: RunRecorder[] = []
  const profiles = new Set<string | null>()
  for (const folder of folders) {
    const { journal, ledger, result } = await readRun(folder)
    const recorder = new RunRecorder()
    for await (const line of readJournal(journal)) recorder.saw(line)
    recordings.push(recorder.recording(ledger))
    told.push(recorder)
    profiles.add(result?.run.profile ?? null)
  }
  return {
    recording: joined(recordings),
    runs: folders,
    target: only(told.map(({ target }) => target)) ?? `${folders.length} runs`,
    profile: profiles.size === 1 ? ([...profiles][0] ?? null) : null,
    scenario: only(told.map(({ scenario }) => scenario)),
    seed: only(told.map(({ seed }) => seed)),
    invalid: [],
  }
}

function only<T>(values: readonly T[]): T | null {
  return new Set(values).size === 1 ? values[0]! : null
}
