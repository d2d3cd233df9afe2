/** Turns the flags of a study's command into the options of the study. */
import { beside } from '../../base/mistakes.ts'
import { scenarioFile } from '../../run/scenario/load.ts'
import type { Io } from '../io/io.ts'
import { commandWords } from './command-words.ts'
import type { ReachFlags, ReachOptions } from './reach-options.ts'
import { defined, reachOptionsOf } from './reach-options.ts'

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
  return {
    ...defined<Own>(own),
    ...reach,
    command: commandWords(io.args),
  }
}
