/** Turns the flags that name a crew into the options for reaching it: it reads their files. */
import { createPrivateKey } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { beside, demandNone, together, UserError } from '../../base/mistakes.ts'
import type { Given } from '../../base/options/table.ts'
import type { AskedEngine, PLAN, REACH, RunOptions } from '../../run/options.ts'
import type { LoadedScenario } from '../../run/scenario/load.ts'
import { demandProfile, onePlace } from '../../run/target/chosen-place.ts'
import type { Io } from '../io/io.ts'
import type { TlsOptions } from '../../host/node/tls.ts'
import { authorText } from '../../base/author-text.ts'
import type { Mistake } from '../../base/mistakes.ts'

export type ReachFlags = Given<typeof REACH> & {
  engine?: Pick<AskedEngine, 'kind' | 'network'>
} & Partial<Pick<Given<typeof PLAN>, 'seed' | 'speed' | 'set'>>

/** The options that the command line makes of what was typed. */
export type Reached<Flags> = Omit<Flags, keyof ReachedCrew> & ReachedCrew

type ReachedCrew = Required<Pick<RunOptions, 'tokens' | 'tls' | 'env'>> &
  Pick<RunOptions, 'tokenSource' | 'tokensFrom'>

interface Reaching {
  /** Nothing is sent, so no token is needed. */
  dryRun?: boolean
  /** Loads the scenario, to report its mistakes beside those of the flags. */
  scenario?: () => Promise<LoadedScenario>
  /** Virtual time simulates the crew that a profile describes. */
  inVirtual?: boolean
  /** Who sends the same token from start to end. Default: `--engine k6`, if that was chosen. */
  fixed?: string | undefined
}

/** Reads token and certificate files. Throws UserError. */
export async function reached<Flags extends ReachFlags>(
  flags: Flags,
  io: Io,
  { scenario, ...reaching }: Reaching = {},
): Promise<Reached<Flags>> {
  return beside(reachedCrew(flags, io, reaching), async () => {
    if (scenario !== undefined) await demandScenario(await scenario(), flags)
  })
}

async function demandScenario(
  scenario: LoadedScenario,
  { seed, speed, set }: Pick<ReachFlags, 'seed' | 'speed' | 'set'>,
): Promise<void> {
  const { planLoaded } = await import('../../run/scenario/files.ts')
  await planLoaded(scenario, { seed, speed, set })
}

async function reachedCrew<Flags extends ReachFlags>(
  flags: Flags,
  io: Io,
  { dryRun = false, inVirtual = false, fixed }: Omit<Reaching, 'scenario'>,
): Promise<Reached<Flags>> {
  if (inVirtual) demandProfile(flags)
  const place = onePlace(flags)
  const isSilent = dryRun || place.kind === 'profile'
  const sender = flags.engine?.kind === 'k6' ? '--engine k6' : fixed
  const crew = await connected(flags, io, isSilent ? 'silent' : null, sender)
  if (!isSilent) demandTokens(crew.tokens)
  const isShown = place.kind === 'target' && (place.target.protocol === 'https:' || isOauth(io))
  if (flags.tls.cert !== undefined && !isShown) {
    io.stderr.write('crewload: --cert is not used: only an https target asks for a certificate\n')
  }
  return crew
}

/**
 * Reads the files, and asks for the token where it comes from a program or an OAuth endpoint,
 * unless nothing is to be sent (`silent`). `fixed`: as of `Reaching`. Throws UserError.
 */
export async function connected<Flags extends Pick<ReachFlags, 'tokens' | 'tokenSource' | 'tls'>>(
  flags: Flags,
  io: Io,
  silent: 'silent' | null = null,
  fixed?: string,
): Promise<Reached<Flags>> {
  const { env } = io
  const [tokens, tls] = await together(readTokens(flags.tokens, env), readTls(flags.tls, env))
  const { tokenSource: command, ...others } = flags
  const file = flags.tokens === undefined ? 'CREWLOAD_TOKEN' : `--token-file ${flags.tokens}`
  const tokensFrom = tokens.length === 0 ? {} : { tokensFrom: file }
  const crew = { ...(others as Omit<Flags, keyof ReachedCrew>), tokens, ...tokensFrom, tls, env }
  const isGranted = silent === null && isOauth(io)
  if (command === undefined && !isGranted) return crew
  const { oauthGrant, tokenCommand } = await import('../../run/target/token.ts')
  const { fixedTokenMistakes, TokenSource } = await import('../../host/node/token-source.ts')
  const granted = oauthGrant(env, tls)
  const printed = command === undefined ? null : tokenCommand(command, env)
  const [obtain, ...several] = [granted, printed].filter((each) => each !== null)
  if (several.length > 0 || tokens.length > 0) throw severalTokens()
  demandNone(fixedTokenMistakes(fixed, obtain))
  if (obtain === undefined || silent !== null) return crew
  const onNote = (words: string): void => {
    io.stderr.write(`crewload: ${words}\n`)
  }
  const tokenSource = await TokenSource.open({ obtain, onNote })
  const asked = printed === null ? 'CREWLOAD_OAUTH_URL' : '--token-command'
  return { ...crew, tokens: tokenSource.secrets, tokenSource, tokensFrom: asked }
}

/** Its endpoint, which may be https beside an http target, is sent the certificate as well. */
function isOauth({ env }: Io): boolean {
  return (env['CREWLOAD_OAUTH_URL'] ?? '') !== ''
}

function severalTokens(): UserError {
  const problem = 'choose one: CREWLOAD_TOKEN, --token-file, --token-command or CREWLOAD_OAUTH_URL'
  return new UserError({ source: 'token', problem })
}

/** Opens an encrypted key by CREWLOAD_KEY_PASSPHRASE. Throws UserError with every mistake. */
async function readTls(
  { insecure = false, ...files }: ReachFlags['tls'],
  env: Io['env'],
): Promise<TlsOptions> {
  const { tlsMistakes } = await import('../../host/node/tls.ts')
  const mistakes: Mistake[] = []
  const texts: Record<string, string> = {}
  for (const [part, file] of Object.entries(files)) {
    const mistaken = (problem: string): void => {
      mistakes.push({ source: `--${part}`, found: file, problem })
    }
    await readFile(file, 'utf8').then(
      (text) => (texts[part] = part === 'key' ? opened(text, env) : text),
      (error: NodeJS.ErrnoException) => mistaken(`cannot be read (${error.code})`),
    )
  }
  const tls: TlsOptions = { insecure, ...texts }
  const unread = new Set(mistakes.map(({ source }) => source))
  for (const { part, problem } of tlsMistakes(tls)) {
    const source = `--${part}`
    const found = files[part]
    if (!unread.has(source)) {
      mistakes.push({ source, problem, ...(found === undefined ? {} : { found }) })
    }
  }
  demandNone(mistakes)
  return tls
}

/** The text itself for a key that is not encrypted, or that the passphrase does not open. */
function opened(key: string, { CREWLOAD_KEY_PASSPHRASE: passphrase }: Io['env']): string {
  if (passphrase === undefined || passphrase === '') return key
  try {
    return createPrivateKey({ key, passphrase }).export({ type: 'pkcs8', format: 'pem' }).toString()
  } catch {
    return key
  }
}

/**
 * `--token-file` takes precedence over CREWLOAD_TOKEN; several lines are several tokens. Empty
 * lines, and lines that begin with "#", are ignored.
 */
export async function readTokens(tokenFile: string | undefined, env: Io['env']): Promise<string[]> {
  if (tokenFile === undefined) return tokensIn(env['CREWLOAD_TOKEN'] ?? '', 'CREWLOAD_TOKEN')
  const bytes = await readFile(tokenFile).catch((error: NodeJS.ErrnoException) => {
    throw mistake(tokenFile, `cannot be read (${error.code})`)
  })
  const tokens = tokensIn(authorText(bytes, tokenFile), tokenFile)
  if (tokens.length === 0) throw mistake(tokenFile, 'contains no token')
  return tokens
}

/** A deployment answers 401 without a token; the fake crew of `--profile` has its own. */
export function demandTokens(tokens: readonly string[]): void {
  if (tokens.length > 0) return
  throw new UserError({
    source: 'CREWLOAD_TOKEN',
    problem: 'no token: set this variable, or use --token-file FILE',
  })
}

/** Throws UserError with the lines that are no tokens, and never with what they contain. */
function tokensIn(text: string, source: string): string[] {
  const mistakes: Mistake[] = []
  const lines = text.split(/\r?\n/)
  const tokens = lines.flatMap((written, i) => {
    const token = written.trim()
    if (token === '' || token.startsWith('#')) return []
    const problem = wrongWith(token)
    const line = lines.length > 1 ? { line: i + 1 } : {}
    if (problem !== null) mistakes.push({ source, ...line, problem })
    return [token]
  })
  if (mistakes.length > 0) throw new UserError(mistakes)
  return tokens
}

function wrongWith(token: string): string | null {
  if (/^bearer\s/i.test(token)) {
    return 'a token begins with "Bearer ": remove that word, crewload adds it'
  }
  // A header cannot carry anything else, and RFC 6750 allows fewer characters still.
  return /^[\x21-\x7e]+$/.test(token)
    ? null
    : 'is no token: expected one word of ASCII characters, or "#" before a comment'
}

function mistake(tokenFile: string, problem: string): UserError {
  return new UserError({ source: '--token-file', found: tokenFile, problem })
}
