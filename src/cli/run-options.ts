/** From the flags of `run` and `check` to the options of `run()`. */
import { UserError } from '../mistakes.ts'
import type { RunOptions } from '../run/index.ts'
import { demandProfile } from '../run/place.ts'
import type { Io } from './io.ts'
import type { LoadOptions, PlanFlags } from './options.ts'
import { reachOptionsOf } from './reach-options.ts'

/** Reads token and certificate files. Throws UserError. */
export async function runOptionsOf(flags: LoadOptions, io: Io): Promise<RunOptions> {
  demandFitting(flags)
  return {
    ...(await reachOptionsOf(flags, io)),
    out: flags.out,
    ...planOptionsOf(flags),
    ...given('workers', flags.workers),
    ...given('k6Vus', flags.k6Vus),
    ...given('k6Mode', flags.k6Mode),
    k6Out: flags.k6Out,
    ...given('network', flags.network),
    ...given('k6Instances', flags.instances),
  }
}

/** Several engines may be named, and one of them virtual time: then what is said of it is enough. */
function demandFitting({ engine = [], network, ...flags }: Partial<LoadOptions>): void {
  if (engine.some(({ options }) => options.engine === 'virtual')) {
    demandProfile({ ...given('target', flags.target), ...given('profile', flags.profile) })
  } else if (network !== undefined) {
    const problem =
      'goes with --engine virtual, which simulates a network; all others use a real one'
    throw new UserError({ source: '--network', path: '', found: network, problem })
  }
}

/** What makes the plan, beside the scenario. */
export function planOptionsOf(flags: PlanFlags): RunOptions {
  return {
    set: flags.set,
    budget: {
      ...given('kickoffs', flags.maxKickoffs),
      ...given('requests', flags.maxRequests),
    },
    ...given('seed', flags.seed),
    ...given('speed', flags.speed),
    ...given('maxCost', flags.maxCost),
    ...given('costPerKickoff', flags.costPerKickoff),
  }
}

/** `{ [name]: value }`, or nothing where no value was given. */
function given<K extends string, V>(name: K, value: V | undefined): { [key in K]?: V } {
  return (value === undefined ? {} : { [name]: value }) as { [key in K]?: V }
}

/** The command line that repeats a run: every flag as it was typed, but for the values of headers, which may be secrets. */
export function commandWords(args: readonly string[]): string {
  const told = args.map((arg, i) =>
    args[i - 1] === '--header' ? arg.replace(/:.*/s, ': ***') : hiddenHeader(arg),
  )
  return ['crewload', ...told.map(shellWord)].join(' ')
}

/** Quoted where a shell would take it for more than a word. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** `--header=name:value` in one word. */
function hiddenHeader(arg: string): string {
  return arg.replace(/^(--header=[^:]*):.*/s, '$1: ***')
}
