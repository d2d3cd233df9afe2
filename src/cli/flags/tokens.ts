/**
 * Reads tokens from the environment or a file, never from the command line, which every user of the
 * machine can read.
 */
import { readFile } from 'node:fs/promises'
import { authorText } from '../../base/author-text.ts'
import type { Mistake } from '../../base/mistakes.ts'
import { UserError } from '../../base/mistakes.ts'
import type { Io } from '../io/io.ts'

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
    path: '',
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
    if (problem !== null) mistakes.push({ source, ...line, path: '', problem })
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
  return new UserError({ source: '--token-file', path: '', found: tokenFile, problem })
}
