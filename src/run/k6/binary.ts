/**
 * Finds the k6 to run: the one that `K6_BIN` names, the one built in `tools/k6`, or the one on the
 * PATH.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { UserError } from '../../base/mistakes.ts'
import { inSentences } from '../../base/text.ts'
import { packageRoot } from '../environment/package.ts'
import type { Environment } from '../options.ts'

export interface K6Binary {
  /** A path, or the bare name to be found on the PATH. */
  path: string
  /** For example `2.2.0`. */
  version: string
}

/** `absent`: none was found. `unusable`: one was found but cannot be used. */
type K6Search =
  | { kind: 'found'; binary: K6Binary }
  | { kind: 'absent' | 'unusable'; problem: string; found?: string }

/**
 * Of version 1: from 1.8 on TypeScript, `http.asyncRequest` and raw console files work as the k6
 * host needs them.
 */
const LEAST_MINOR = 8
const NAMES_OF_BINARY = ['k6', 'k6.exe']
const ANSWER_LIMIT_MS = 10_000

export const K6_REMEDY = inSentences(
  'install k6 1.8 or newer (https://grafana.com/docs/k6/latest/set-up/install-k6/), on the PATH ' +
    'or named by K6_BIN',
  'A clone of crewload builds it with "npm run k6:build" (needs Go)',
)

const execute = promisify(execFile)

/**
 * The k6 to run. Throws UserError with the remedy when there is none, or when it is too old or does
 * not report its version.
 */
export async function findK6(env: Environment, folder = builtFolder()): Promise<K6Binary> {
  const search = await searchK6(env, folder)
  if (search.kind === 'found') return search.binary
  const { kind: _, problem, ...found } = search
  throw new UserError({ source: 'k6', problem: `${problem}; ${K6_REMEDY}`, ...found })
}

/**
 * Asks the first one that exists for its version; `folder` is where the built one is. Never throws.
 */
export async function searchK6(env: Environment, folder = builtFolder()): Promise<K6Search> {
  const named = env['K6_BIN'] ?? ''
  if (named !== '') return ask(named, env, 'K6_BIN does not name a program that can be run')
  const built = NAMES_OF_BINARY.map((name) => join(folder, name)).find((path) => existsSync(path))
  return ask(built ?? 'k6', env, 'k6 was not found')
}

function builtFolder(): string {
  return join(packageRoot(), 'tools', 'k6')
}

async function ask(path: string, env: Environment, absent: string): Promise<K6Search> {
  const answer = await execute(path, ['version'], { env, timeout: ANSWER_LIMIT_MS }).catch(
    (error: Error & { code?: unknown; stdout?: string }) => error,
  )
  if (answer instanceof Error && (answer.code === 'ENOENT' || answer.code === 'EACCES')) {
    return { kind: 'absent', problem: absent, ...(path === 'k6' ? {} : { found: path }) }
  }
  const [, version, major, minor] = /\bv((\d+)\.(\d+)\.\d+)/.exec(answer.stdout ?? '') ?? []
  if (version === undefined) {
    return { kind: 'unusable', problem: '"k6 version" printed no version', found: path }
  }
  const isOld = Number(major) < 1 || (Number(major) === 1 && Number(minor) < LEAST_MINOR)
  if (isOld) {
    return { kind: 'unusable', problem: 'k6 is too old', found: `${version} at ${path}` }
  }
  return { kind: 'found', binary: { path, version } }
}
