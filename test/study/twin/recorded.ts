/** Runs in virtual time of crews whose truth is known, and the twins that are learned from them. */
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../../../src/run/index.ts'
import type { RunOptions } from '../../../src/run/index.ts'
import { defineScenario } from '../../../src/scenario/define.ts'
import { conducting } from '../../../src/study/twin/conduct/conduct.ts'
import type { TwinDocument, TwinPart } from '../../../src/study/twin/document.ts'
import type { TwinOptions } from '../../../src/study/twin/options.ts'
import { conductStudy } from '../../../src/study/frame/conduct/conduct.ts'

/** 12 a minute for 12 minutes, polled every 2 s. */
const AFTERNOON = defineScenario({
  name: 'afternoon',
  arrivals: { rate: '12/m', for: '12m', process: 'poisson' },
  inputs: { topic: 'bees' },
  polling: { fixed: '2s' },
  deadline: '30m',
  confirm: 0,
})

type Load = Partial<ReturnType<typeof defineScenario>>

/** The folder of a run of the crew, which a profile in YAML describes. */
export async function recorded(
  folder: string,
  crew: string,
  changes: Load = {},
  options: RunOptions = {},
): Promise<string> {
  const profile = join(folder, `crew-${(await readdir(folder)).length}.yaml`)
  await writeFile(profile, crew)
  const scenario = { ...AFTERNOON, ...changes }
  const out = join(folder, 'runs')
  return (await run(scenario, { engine: 'virtual', profile, seed: 7, out, ...options })).folder!
}

export async function twinOf(
  runs: readonly string[],
  options: Partial<TwinOptions> = {},
): Promise<TwinDocument> {
  return (await conductStudy(conducting, { runs, replays: 0, out: false, ...options })).document
}

export const partOf = ({ parts }: TwinDocument, name: string): TwinPart =>
  parts.find((part) => part.name === name)!
