/** Turns the flags of a study's command into the options of the study. */
import { beside } from '../../base/mistakes.ts'
import { scenarioFile } from '../../run/scenario/load.ts'
import type { Io } from '../io/io.ts'
import { commandWords } from './command-words.ts'
import type { PlanFlags, StudyFlags } from './definitions.ts'
import type { ReachFlags, ReachOptions } from './reach-options.ts'
import { defined, reachOptionsOf } from './reach-options.ts'
import { planOptionsOf } from './to-run-options.ts'

/**
 * `own`: the options that only this study has; undefined ones get its defaults. Reads token and
 * certificate files. Throws UserError.
 */
export async function studyOptionsOf<Own extends object>(
  own: { [K in keyof Own]: Own[K] | undefined },
  flags: ReachFlags,
  io: Io,
): Promise<Own & ReachOptions & { command: string }> {
  const reach = await beside(reachOptionsOf(flags, io), async () => {
    if ('scenario' in own && typeof own.scenario === 'string') await scenarioFile(own.scenario)
  })
  return { ...readingOptionsOf<Own>(own, io), ...reach }
}

/** The same for a study that reaches no crew: it reads runs, or takes place in virtual time. */
export function readingOptionsOf<Own extends object>(
  own: { [K in keyof Own]: Own[K] | undefined },
  io: Io,
): Own & { command: string } {
  return { ...defined<Own>(own), command: commandWords(io.args) }
}

/** The flags that `studyOptionsOf` reads, and those that say what is printed. */
type Shared = Exclude<keyof StudyFlags, 'out'>

const SHARED: Record<Shared, true> = {
  target: true,
  profile: true,
  dialect: true,
  tokenFile: true,
  header: true,
  ca: true,
  insecure: true,
  dryRun: true,
  yes: true,
  json: true,
  quiet: true,
}

const PLAN: Record<keyof PlanFlags, true> = {
  seed: true,
  speed: true,
  set: true,
  maxKickoffs: true,
  maxRequests: true,
  maxDuration: true,
  maxCost: true,
  costPerKickoff: true,
  judge: true,
  inconclusive: true,
}

/** The flags that only this study has: its options have the same names. */
export function ownFlags<Flags extends StudyFlags>(flags: Flags): Omit<Flags, Shared> {
  return without(flags, SHARED)
}

/** The same for a study that runs a scenario, with the options that determine the plan. */
export function scenarioFlags<Flags extends StudyFlags & PlanFlags>(
  flags: Flags,
): ReturnType<typeof planOptionsOf> & Omit<Flags, Shared | keyof PlanFlags> {
  return { ...planOptionsOf(flags), ...without(flags, { ...SHARED, ...PLAN }) }
}

function without<T extends object, K extends PropertyKey>(
  values: T,
  names: Record<K, true>,
): Omit<T, K> {
  return Object.fromEntries(
    Object.entries(values).filter(([name]) => !Object.hasOwn(names, name)),
  ) as Omit<T, K>
}
