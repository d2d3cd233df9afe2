/** Turns the flags that name a target into the options for reaching it. */
import { readFile } from 'node:fs/promises'
import type { TlsOptions } from '../../host/node/index.ts'
import { UserError } from '../../base/mistakes.ts'
import type { PlaceOptions } from '../../run/target/chosen-place.ts'
import { onePlace } from '../../run/target/chosen-place.ts'
import type { Io } from '../io/io.ts'
import type { LoadOptions } from './definitions.ts'
import { demandTokens, readTokens } from './tokens.ts'

export type ReachFlags = Pick<
  LoadOptions,
  'target' | 'profile' | 'dialect' | 'tokenFile' | 'header' | 'ca' | 'insecure' | 'dryRun'
>

export interface ReachOptions extends PlaceOptions {
  tokens: readonly string[]
  tls: TlsOptions
  headers: Readonly<Record<string, string>>
  env: Io['env']
}

/** Reads token and certificate files. Throws UserError. */
export async function reachOptionsOf(flags: ReachFlags, io: Io): Promise<ReachOptions> {
  const place = onePlace(flags)
  const tokens = await readTokens(flags.tokenFile, io.env)
  if (place.kind === 'target' && flags.dryRun !== true) demandTokens(tokens)
  return defined<ReachOptions>({
    ...(await connectionOptionsOf(flags, tokens, io)),
    target: flags.target,
    profile: flags.profile,
    dialect: flags.dialect,
  })
}

/** The options of every request to any target. Reads the certificate file. Throws UserError. */
export async function connectionOptionsOf(
  { ca, insecure, header }: Pick<ReachFlags, 'ca' | 'insecure' | 'header'>,
  tokens: readonly string[],
  { env }: Io,
): Promise<Pick<ReachOptions, 'tokens' | 'tls' | 'headers' | 'env'>> {
  const tls = { ...(await authority(ca)), insecure: insecure === true }
  return { tokens, tls, headers: header, env }
}

/** Omits the keys whose value is undefined. */
export function defined<T extends object>(values: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T
}

async function authority(file: string | undefined): Promise<{ ca?: string }> {
  if (file === undefined) return {}
  const ca = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const problem = `cannot be read (${error.code})`
    throw new UserError({ source: '--ca', path: '', found: file, problem })
  })
  return { ca }
}
