/** A run of a crew in virtual time, as the study of polling records it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PollingOption } from '../../../src/scenario/polling/index.ts'
import { prepare } from '../../../src/run/plan/prepare.ts'
import { loaded } from '../../../src/run/scenario/load.ts'
import type { RunOptions } from '../../../src/run/options.ts'
import type { Recording } from '../../../src/study/polling/analyse/replay/recording.ts'
import { RunReader } from '../../../src/study/frame/executions/reader.ts'
import { recordingOf } from '../../../src/study/polling/analyse/replay/recording.ts'
import { carryRun } from '../../../src/run/carry.ts'
import { prepareHdr } from '../../../src/result/counting/histogram.ts'
import type { Crew } from './crews.ts'
import { profileOf } from './crews.ts'

interface Wanted {
  executions: number
  seed: number
  polling: PollingOption
}

export async function recordedRun(
  crew: Crew,
  { executions, seed, polling }: Wanted,
): Promise<Recording> {
  prepareHdr()
  const folder = await mkdtemp(join(tmpdir(), 'crewload-polling-'))
  try {
    const profile = join(folder, 'profile.yaml')
    await writeFile(profile, profileOf(crew))
    const { perMinute = 60 } = crew
    const scenario = {
      name: 'recorded',
      arrivals: {
        rate: `${perMinute}/m`,
        for: `${Math.ceil((executions / perMinute) * 60)}s`,
        process: 'poisson',
      },
      inputs: { topic: 'polling' },
      polling,
      deadline: '1h',
      confirm: 0,
    }
    const options: RunOptions = { profile, engine: 'virtual', seed, out: false }
    const plan = { ...(await prepare(loaded(scenario), options)), thresholds: [], circuit: null }
    const reader = new RunReader()
    const { ledger } = await carryRun(
      { scenario: 'recorded', plan, changes: {}, options, onLine: (line) => reader.saw(line) },
      null,
    )
    return recordingOf([{ reader, ledger }])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
