/** Turns the flags of `run` and `check` into the options of `run()`. */
import { UserError } from '../../base/mistakes.ts'
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
  demandOthers(flags)
  demandOneEngine(flags)
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

/** Several engines may be named, and one of them may be virtual time. */
function demandCrew({ engine = [], ...flags }: Partial<LoadOptions>): void {
  if (engine.some((choice) => choice.engine.kind === 'virtual')) {
    demandProfile({ ...given('target', flags.target), ...given('profile', flags.profile) })
  }
}

/** A single engine has nothing to agree with. */
function demandOthers({ engine = [], agreeWithin }: Partial<LoadOptions>): void {
  if (agreeWithin === undefined || engine.length > 1) return
  const problem = 'needs several engines to compare: --engine node,virtual'
  throw new UserError({ source: '--agree-within', path: '', found: String(agreeWithin), problem })
}

/** Runs one after another would be one run to who watches. */
function demandOneEngine({ engine = [], prometheus, otlp }: Partial<LoadOptions>): void {
  if (engine.length <= 1) return
  const given = [
    ...(prometheus === undefined ? [] : ['--prometheus']),
    ...(otlp === undefined ? [] : ['--otlp']),
  ]
  if (given.length === 0) return
  const problem = 'only allowed with a single engine'
  throw new UserError(given.map((source) => ({ source, path: '', problem })))
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
