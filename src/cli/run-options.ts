/** From the flags of `run` and `check` to the options of `run()`. */
import { readFile } from 'node:fs/promises'
import { UserError } from '../mistakes.ts'
import type { RunOptions } from '../run/index.ts'
import { onePlace } from '../run/place.ts'
import type { Io } from './io.ts'
import type { LoadOptions, PlanFlags } from './options.ts'
import { demandTokens, readTokens } from './tokens.ts'

/** Reads token and certificate files. Throws UserError. */
export async function runOptionsOf(flags: LoadOptions, io: Io): Promise<RunOptions> {
  const place = onePlace(flags)
  const tokens = await readTokens(flags.tokenFile, io.env)
  if (place.kind === 'target' && flags.dryRun !== true) demandTokens(tokens)
  return {
    tokens,
    tls: { ...(await authority(flags.ca)), insecure: flags.insecure === true },
    headers: flags.header,
    out: flags.out,
    env: io.env,
    ...planOptionsOf(flags),
    ...given('target', flags.target),
    ...given('profile', flags.profile),
    ...given('dialect', flags.dialect),
    ...given('workers', flags.workers),
    ...given('k6Vus', flags.k6Vus),
    ...given('network', flags.network),
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

async function authority(file: string | undefined): Promise<{ ca?: string }> {
  if (file === undefined) return {}
  const ca = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const problem = `cannot be read (${error.code})`
    throw new UserError({ source: '--ca', path: '', found: file, problem })
  })
  return { ca }
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
