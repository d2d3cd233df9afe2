/** Chaos runs: their seeds, and a scenario that stops itself. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ResultDocument } from '../../src/result/document.ts'
import { DEFAULT_NETWORK_NAME } from '../../src/host/virtual/index.ts'
import { chosenEngine } from '../../src/run/chosen-engine.ts'
import { withSinks } from '../../src/run/line-sink.ts'
import type { RunControl, RunOptions } from '../../src/run/options.ts'
import { prepare } from '../../src/run/plan/prepare.ts'
import { loaded } from '../../src/run/scenario/load.ts'
import type { Scenario } from '../../src/scenario/define.ts'
import { temporaryFolder } from '../support/cli.ts'
import { troublesOf } from './oracle.ts'
import type { Weather } from './weather.ts'
import { story } from './weather.ts'

/** `CREWLOAD_CHAOS_SEED=17` runs that one alone; else all from `first` on. */
export function seeds(first: number, count: number): number[] {
  const one = process.env['CREWLOAD_CHAOS_SEED']
  if (one !== undefined) return [Number(one)]
  return Array.from({ length: count }, (_, i) => first + i)
}

interface Launch {
  scenario: Scenario
  onStart: (control: RunControl) => void
}

/** The inputs of the arrival in question stop the run: at the same moment each time. */
export function launchOf({ scenario, stop }: Weather): Launch {
  let control: RunControl | null = null
  const inputs = ({ index }: { index: number }): Record<string, string> => {
    if (stop !== null && index === stop.atIndex) control?.stop(stop.how)
    return { topic: 'storms', audience: 'sailors' }
  }
  return { scenario: { ...scenario, inputs }, onStart: (given) => (control = given) }
}

/**
 * The journal and the ledger that a run in virtual time leaves, line by line as in its folder. No
 * reports are written: nobody reads them here, and they would take three quarters of the time.
 */
export async function leftBy(
  weather: Weather,
  network = DEFAULT_NETWORK_NAME,
): Promise<{ journal: string; ledger: string }> {
  await using folder = await temporaryFolder()
  const profile = JSON.stringify({ ...weather.profile, faults: weather.faults }, null, 1)
  const { scenario, onStart } = launchOf(weather)
  const options: RunOptions = { profile, engine: { kind: 'virtual', network }, onStart }
  const plan = await prepare(loaded(scenario), options)
  const journal = join(folder.path, 'executions.ndjson')
  const body = await chosenEngine(options).open(plan, options, null)
  const sink = { claims: true, executions: false }
  try {
    const ledger = await withSinks({ path: folder.path, journal }, 'batched', [sink], ([only]) =>
      body.carry(only!),
    )
    const rows = ledger!.rows.map((row) => `${JSON.stringify(row)}\n`)
    return { journal: await readFile(journal, 'utf8'), ledger: rows.join('') }
  } finally {
    await body.close()
  }
}

/** What went wrong, with all that it takes to see it again; empty when nothing did. */
export async function troubled(
  weather: Weather,
  run: () => Promise<ResultDocument>,
): Promise<string[]> {
  const troubles = await run().then(
    (document) => troublesOf(weather, document),
    (error: unknown) => [error instanceof Error ? (error.stack ?? error.message) : String(error)],
  )
  return troubles.map((trouble) => `seed ${weather.seed}: ${trouble}\n${story(weather)}`)
}
