/** Turns the flags that name a crew into the options for reaching it: it reads their files. */
import { readFile } from 'node:fs/promises'
import { beside, UserError } from '../../base/mistakes.ts'
import type { Given } from '../../base/options/table.ts'
import type { REACH, RunOptions } from '../../run/options.ts'
import { scenarioFile } from '../../run/scenario/load.ts'
import { demandProfile, onePlace } from '../../run/target/chosen-place.ts'
import type { Io } from '../io/io.ts'
import { demandTokens, readTokens } from './tokens.ts'

type ReachFlags = Given<typeof REACH>

/** The options that the command line makes of what was typed. */
type Reached<Flags> = Omit<Flags, 'tokens' | 'tls' | 'env'> &
  Required<Pick<RunOptions, 'tokens' | 'tls' | 'env'>>

interface Reaching {
  /** Nothing is sent, so no token is needed. */
  dryRun?: boolean
  /** The scenario's mistakes are told with those of the flags. */
  scenario?: string
  /** Virtual time simulates the crew that a profile describes. */
  inVirtual?: boolean
}

/** Reads token and certificate files. Throws UserError. */
export async function reached<Flags extends ReachFlags>(
  flags: Flags,
  io: Io,
  { scenario, ...reaching }: Reaching = {},
): Promise<Reached<Flags>> {
  return beside(reachedCrew(flags, io, reaching), async () => {
    if (scenario !== undefined) await scenarioFile(scenario)
  })
}

async function reachedCrew<Flags extends ReachFlags>(
  flags: Flags,
  io: Io,
  { dryRun = false, inVirtual = false }: Omit<Reaching, 'scenario'>,
): Promise<Reached<Flags>> {
  if (inVirtual) demandProfile(flags)
  const place = onePlace(flags)
  const tokens = await readTokens(flags.tokens, io.env)
  if (place.kind === 'target' && !dryRun) demandTokens(tokens)
  return connected(flags, tokens, io)
}

/** The options of a study that reaches no crew: none of its files is read. */
export function unreached<Flags extends ReachFlags>({
  tokens: _t,
  tls: _l,
  ...others
}: Flags): Omit<Flags, 'tokens' | 'tls'> {
  return others
}

/** Reads the certificate file. Throws UserError. */
export async function connected<Flags extends Pick<ReachFlags, 'tokens' | 'tls'>>(
  flags: Flags,
  tokens: readonly string[],
  { env }: Io,
): Promise<Reached<Flags>> {
  const { ca: file, insecure = false } = flags.tls
  const ca = file === undefined ? {} : { ca: await authority(file) }
  return { ...flags, tokens, tls: { ...ca, insecure }, env }
}

async function authority(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const problem = `cannot be read (${error.code})`
    throw new UserError({ source: '--ca', path: '', found: file, problem })
  })
}
