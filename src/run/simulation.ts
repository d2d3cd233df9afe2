/** Sets up what virtual time simulates: a fake crew with a profile, behind a network. */
import { loadProfile } from '../../fake-crew/profiles.ts'
import type { VirtualHostOptions, Network, VirtualHost } from '../host/virtual/index.ts'
import { DEFAULT_NETWORK_NAME, networkNamed } from '../host/virtual/index.ts'
import { NetworkLearner } from '../host/virtual/learn.ts'
import { together } from '../base/mistakes.ts'
import type { Plan } from '../scenario/plan.ts'
import type { RunOptions } from './options.ts'
import { engineOf } from './options.ts'
import { demandProfile } from './target/chosen-place.ts'
import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { createRandom } from '../base/random.ts'
import { journalIn } from './folder/stored.ts'
import { cutWords } from '../result/sentences/early-ends.ts'
import { readSound } from '../journal/audit.ts'
import type { RunLine } from '../execution/record/journal-lines.ts'
import { assert } from '../base/assert.ts'
import type { Micros } from '../base/units.ts'

/** The profile with the run's seed, speed and dialect. */
export type Simulation = Pick<VirtualHostOptions, 'profile' | 'network'>

type SimulationOptions = Pick<RunOptions, 'target' | 'profile' | 'dialect' | 'engine'>

/**
 * Reads both, so that every mistake in them is reported at once, before anything runs. Throws
 * UserError.
 */
export async function openSimulation(
  { seed, speed }: Pick<Plan, 'seed' | 'speed'>,
  options: SimulationOptions,
): Promise<Simulation> {
  const { dialect } = options
  const engine = engineOf(options)
  const { network = DEFAULT_NETWORK_NAME } = engine.kind === 'virtual' ? engine : {}
  const [own, between] = await together(
    (async () => loadProfile(demandProfile(options)))(),
    openNetwork(network),
  )
  const profile = { ...own, seed, speed: speed * own.speed, dialect: dialect ?? own.dialect }
  return { profile, network: between }
}

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
 * none in advance.
 */
export function openedAhead({ engine, plan }: Pick<RunLine, 'engine' | 'plan'>): number {
  const { maxConnections, preOpenConnections } = plan.http
  return engine === 'k6' ? 0 : Math.min(maxConnections, preOpenConnections)
}

/**
 * Advances virtual time until `waitedFor` settles, and returns to the event loop after every slice.
 */
export async function pump<T>(
  host: Pick<VirtualHost, 'advance'>,
  waitedFor: Promise<T>,
  eventsASlice: number,
  sliceMicros: Micros = Infinity,
  afterSlice?: () => void,
): Promise<T> {
  const come = new AbortController()
  const watched = waitedFor.finally(() => come.abort())
  watched.catch(() => {})
  await breath()
  while (!come.signal.aborted) {
    const more = host.advance(eventsASlice, sliceMicros)
    afterSlice?.()
    await breath()
    assert(more || come.signal.aborted, 'the run waits for something that cannot happen')
  }
  return watched
}

async function breath(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
