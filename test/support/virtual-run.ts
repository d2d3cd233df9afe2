/**
 * Carries out whole runs in virtual time against a made-up crew, to compare what is reported with
 * what is true.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ResultDocument } from '../../src/result/document.ts'
import type { Scenario } from '../../src/scenario/define.ts'
import { defineScenario } from '../../src/scenario/define.ts'
import type { RunOptions } from '../../src/run/index.ts'
import { run } from '../../src/run/index.ts'

export interface VirtualRun extends Omit<Partial<RunOptions>, 'profile' | 'engine' | 'out'> {
  /** Changes to a scenario of one kickoff per second for two minutes without thresholds. */
  scenario?: Partial<Scenario>
  /**
   * YAML in addition to name and inputs. Default: one task of a second, and enough workers for all.
   */
  crew?: string
}

const CREW = `
tasks: [{ id: work, agent: Worker, duration: 1s, output: 100B }]
capacity: { workers: unlimited }
`

/** Returns the document of the run, which leaves no files. */
export async function virtualRun({
  scenario,
  crew = CREW,
  ...options
}: VirtualRun): Promise<ResultDocument> {
  const profile = `name: made up\ninputs: [topic]\n${crew}`
  const { document } = await run(
    defineScenario({
      name: 'made-up',
      arrivals: { rate: '1/s', for: '2m' },
      inputs: { topic: 'bees' },
      polling: { fixed: '500ms' },
      deadline: '30s',
      confirm: 0,
      ...scenario,
    }),
    { ...options, engine: 'virtual', profile, out: false },
  )
  return document
}

/** The folder of a run as a real target leaves it, whose crew keeps no ledger. */
export async function withoutLedger(folder: string): Promise<string> {
  for (const file of ['ledger.ndjson', 'clock.json']) await rm(join(folder, file))
  return folder
}
