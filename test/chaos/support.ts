/** Chaos runs: their seeds, and a scenario that stops itself. */
import type { ResultDocument } from '../../src/analysis/document.ts'
import type { RunControl } from '../../src/run/options.ts'
import type { Scenario } from '../../src/scenario/define.ts'
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
