/** Sound folders, as commands write them, from which damaged copies are made. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { FakeCrew } from 'crewload/fake-crew'
import { cli } from '../../support/cli.ts'

export interface Samples {
  /** A run, another one of the same plan, and one that was cut, with its fake crew. */
  run: string
  other: string
  cutRun: string
  polling: string
  limits: string
  cutLimits: string
  gate: string
  cutGate: string
  baseline: string
}

export type SampleName = keyof Samples

const QUIET = ['--quiet', '--seed', '7']
const RUN = ['run', 'smoke', '--profile', 'fast', '--engine', 'virtual', '--quiet']
export const GATE = ['smoke', '--profile', 'fast', '--engine', 'virtual', '--runs', '3']

const SHORT = ['--max-requests', '40', '--max-duration', '1s']

/** Writes all of them below `root`. What was cut was done at `crew`, which lives on. */
export async function makeSamples(root: string, crew: FakeCrew): Promise<Samples> {
  const env = { CREWLOAD_TOKEN: crew.token }
  const made = async (name: string, words: readonly string[]): Promise<string> => {
    const out = join(root, name)
    const { code, stderr } = await cli([...words, '--out', out], { env })
    expect({ code: code === 0 || code === 4, stderr }).toEqual({ code: true, stderr: '' })
    const [folder = ''] = await readdir(out)
    return join(out, folder)
  }
  const baseline = join(root, 'baseline')
  await made('first', ['gate', ...GATE, ...QUIET, '--baseline', baseline])
  const gate = ['gate', ...GATE, ...QUIET, '--baseline', baseline]
  const limits = ['limits', '--operations', 'status', ...QUIET]
  const target = ['--target', crew.url]
  return {
    run: await made('run', [...RUN, '--seed', '1']),
    other: await made('other', [...RUN, '--seed', '2']),
    cutRun: await cutRun(await made('cut-run', ['run', 'smoke', ...target, ...QUIET])),
    polling: await made('polling', [
      'polling',
      '--profile',
      'fast',
      '--executions',
      '50',
      ...QUIET,
    ]),
    limits: await made('limits', [...limits, '--profile', 'rate-limited']),
    cutLimits: await cut(
      await made('cut-limits', [...limits, ...target, '--operations', 'inputs', ...SHORT]),
      'limits',
      'probes.ndjson',
    ),
    gate: await made('gate', gate),
    cutGate: await cut(await made('cut-gate', gate), 'gate', 'trials.ndjson'),
    baseline,
  }
}

/** As a kill leaves it. */
async function cutRun(folder: string): Promise<string> {
  await keepHalf(join(folder, 'executions.ndjson'))
  await rm(join(folder, 'result.json'))
  return folder
}

async function cut(folder: string, study: string, file: string): Promise<string> {
  await rm(join(folder, `${study}.json`))
  await keepHalf(join(folder, file))
  return folder
}

async function keepHalf(path: string): Promise<void> {
  const lines = (await readFile(path, 'utf8')).split('\n')
  await writeFile(path, `${lines.slice(0, lines.length / 2).join('\n')}\n`)
}
