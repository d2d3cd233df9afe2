/**
 * Reads tokens from the environment or a file, never from the command line, which every user of the
 * machine can read.
 */
import { readFile } from 'node:fs/promises'
import { UserError } from '../../base/mistakes.ts'
import type { Io } from '../io/io.ts'

/**
 * `--token-file` takes precedence over CREWLOAD_TOKEN; several lines are several tokens; empty
 * lines are ignored.
 */
export async function readTokens(tokenFile: string | undefined, env: Io['env']): Promise<string[]> {
  if (tokenFile === undefined) {
    return bare(linesOf(env['CREWLOAD_TOKEN'] ?? ''), 'CREWLOAD_TOKEN')
  }
  const text = await readFile(tokenFile, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw mistake(tokenFile, `cannot be read (${error.code})`)
  })
  const tokens = linesOf(text)
  if (tokens.length === 0) throw mistake(tokenFile, 'contains no token')
  return bare(tokens, '--token-file')
}

/** A deployment answers 401 without a token; the fake crew of `--profile` has its own. */
export function demandTokens(tokens: readonly string[]): void {
  if (tokens.length > 0) return
  throw new UserError({
    source: 'CREWLOAD_TOKEN',
    path: '',
    problem: 'no token: set this variable, or use --token-file FILE',
  })
}

/** Rejects a token with its scheme, which crewload adds itself. */
function bare(tokens: string[], source: string): string[] {
  if (!tokens.some((token) => /^bearer\s/i.test(token))) return tokens
  const problem = 'a token begins with "Bearer ": remove that word, crewload adds it'
  throw new UserError({ source, path: '', problem })
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim())
  return lines.filter((line) => line !== '')
}

function mistake(tokenFile: string, problem: string): UserError {
  return new UserError({ source: '--token-file', path: '', found: tokenFile, problem })
}
