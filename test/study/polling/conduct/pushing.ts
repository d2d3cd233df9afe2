/** A crew that pushes ends, and studies of runs on it. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { WrittenProfile } from '../../../../fake-crew/index.ts'
import { run } from '../../../../src/run/index.ts'
import type { Scenario } from '../../../../src/scenario/define.ts'
import { conducting } from '../../../../src/study/polling/conduct/conduct.ts'
import type { PollingOptions } from '../../../../src/study/polling/options.ts'
import { conductStudy } from '../../../../src/study/frame/conduct/conduct.ts'

export const TASK = { id: 'write', agent: 'Writer' }

export const PROFILE = {
  name: 'pushing',
  seed: 5,
  inputs: ['topic'],
  tasks: [{ ...TASK, duration: { lognormal: { median: '40s', p95: '90s' } } }],
  capacity: { workers: 'unlimited' },
  webhooks: { delay: '200ms', lost: '10%' },
} satisfies WrittenProfile

export const SCENARIO: Scenario = {
  name: 'pushed',
  arrivals: { rate: '1/s', for: '1m', process: 'uniform' },
  inputs: { topic: 'bees' },
  polling: { fixed: '5s' },
  webhooks: { send: ['crew'] },
  confirm: 0,
}

interface Place {
  profile: string
  scenario: string
}

export async function placeIn(folder: string, profile: object = {}): Promise<Place> {
  const place = { profile: join(folder, 'crew.yaml'), scenario: join(folder, 'pushed.json') }
  await writeFile(place.profile, JSON.stringify({ ...PROFILE, ...profile }))
  await writeFile(place.scenario, JSON.stringify(SCENARIO))
  return place
}

export async function studied({ profile, scenario }: Place, options: PollingOptions = {}) {
  const asked = { scenario, executions: 2_000, out: false, ...options } as const
  return (await conductStudy(conducting, { ...asked, run: { profile, ...options.run } })).document
}

/** The folder of a run in virtual time, with one arrival a second. */
export async function recorded(
  { profile }: Pick<Place, 'profile'>,
  {
    executions,
    polling,
    ...options
  }: { executions: number; polling: unknown; out: string; seed?: number },
): Promise<string> {
  const arrivals = { rate: '1/s', for: `${executions}s`, process: 'uniform' }
  const scenario = { ...SCENARIO, arrivals, polling } as Scenario
  return (await run(scenario, { profile, engine: 'virtual', ...options })).folder!
}

export async function learned(folder: string, options: PollingOptions = {}) {
  const asked = { runs: [folder], out: false, ...options } as const
  return (await conductStudy(conducting, asked)).document
}
