/**
 * Determines which network virtual time simulates: a preset by name, or one learned from the folder
 * of a finished run.
 */
import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import type { HttpPlan } from '../../scenario/plan.ts'
import type { Network } from '../../host/virtual/index.ts'
import { NetworkLearner, networkNamed } from '../../host/virtual/index.ts'
import { createRandom } from '../../base/random.ts'
import { journalIn } from '../folder/stored.ts'
import { cutWords } from '../../analysis/ending/cut.ts'
import { readSound } from '../../journal/audit.ts'
import type { RunLine } from '../../execution/record/journal-lines.ts'

/**
 * A value that contains a slash, or names an existing folder, is a run to learn from. Throws
 * UserError for an unknown preset, and for a folder that contains no run or too few answers.
 */
export async function openNetwork(nameOrFolder: string): Promise<Network> {
  const isFolder = /[/\\]/.test(nameOrFolder) || (await isDirectory(nameOrFolder))
  return isFolder ? learned(nameOrFolder) : networkNamed(nameOrFolder)
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false
}

/** The same journal gives the same network, whatever the seed of the run that uses it. */
async function learned(folder: string): Promise<Network> {
  const run = basename(resolve(folder))
  const learner = new NetworkLearner({ run, random: createRandom(0) })
  const cut = await readSound(await journalIn(folder), (line) => {
    if (line.type === 'run') learner.openedAhead(openedAhead(line))
    if (line.type === 'ended') learner.add(line.record)
  })
  const network = learner.network()
  return cut === null ? network : { ...network, source: `${network.source}; ${cutWords(cut)}` }
}

/**
 * The number of connections that the run of this line opened before its first request; k6 opens
 * none in advance, and a plan that does not say tells of none.
 */
export function openedAhead({ engine, plan }: Pick<RunLine, 'engine' | 'plan'>): number {
  const { http } = plan as { http?: Partial<Record<keyof HttpPlan, unknown>> }
  const { maxConnections, preOpenConnections } = http ?? {}
  if (engine === 'k6' || typeof maxConnections !== 'number') return 0
  return typeof preOpenConnections === 'number' ? Math.min(maxConnections, preOpenConnections) : 0
}
