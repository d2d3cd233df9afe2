/** Turns the flags of `run` and `check` into the options of `run()`. */
import type { RunOptions } from '../../run/options.ts'
import { demandProfile } from '../../run/target/chosen-place.ts'
import type { Io } from '../io/io.ts'
import { commandWords } from './command-words.ts'
import type { LoadOptions, PlanFlags } from './definitions.ts'
import { reachOptionsOf } from './reach-options.ts'

/** Reads token and certificate files. Throws UserError. */
export async function runOptionsOf(
  flags: LoadOptions,
  io: Io,
): Promise<Omit<RunOptions, 'confirm' | 'onProgress'>> {
  demandCrew(flags)
  return {
    ...(await reachOptionsOf(flags, io)),
    out: flags.out,
    ...given('prometheus', flags.prometheus),
    ...given('otlp', flags.otlp),
    ...given('otlpTraces', flags.otlpTraces),
    command: commandWords(io.args),
    ...planOptionsOf(flags),
  }
}

/** Virtual time simulates the crew that a profile describes. */
function demandCrew({ engine, ...flags }: Partial<LoadOptions>): void {
  if (engine?.kind === 'virtual') {
    demandProfile({ ...given('target', flags.target), ...given('profile', flags.profile) })
  }
}

type PlanOptions = Pick<
  RunOptions,
  'set' | 'budget' | 'seed' | 'speed' | 'maxCost' | 'costPerKickoff' | 'judge' | 'inconclusive'
>

/** The options that determine the plan, besides the scenario. */
export function planOptionsOf(flags: PlanFlags): PlanOptions {
  return {
    set: flags.set,
    budget: {
      ...given('kickoffs', flags.maxKickoffs),
      ...given('requests', flags.maxRequests),
      ...given('wallMicros', flags.maxDuration),
    },
    ...given('seed', flags.seed),
    ...given('speed', flags.speed),
    ...given('judge', flags.judge),
    ...given('inconclusive', flags.inconclusive),
    ...given('maxCost', flags.maxCost),
    ...given('costPerKickoff', flags.costPerKickoff),
  }
}

/** `{ [name]: value }`, or nothing when no value was given. */
function given<K extends string, V>(name: K, value: V | undefined): { [key in K]?: V } {
  return (value === undefined ? {} : { [name]: value }) as { [key in K]?: V }
}
