/** Runs the built command line for commands that end by themselves, in a process of the pool. */
import { once } from 'node:events'
import { createConnection } from 'node:net'
import { text } from 'node:stream/consumers'

/** Names the socket of the pool, in the environment of all tests. */
export const POOL = 'CREWLOAD_TEST_PROGRAMS'

export interface Finished {
  code: number | null
  stdout: string
  stderr: string
}

export interface CliOptions {
  cwd?: string
  env?: Record<string, string>
  /** The command is killed after this time, and the promise rejects. Default: never. */
  withinMs?: number
}

export interface Asked extends Pick<CliOptions, 'withinMs'> {
  args: readonly string[]
  env: Record<string, string | undefined>
  cwd: string
}

/**
 * The environment of a user with no crewload variables and no colour, outside of GitHub Actions.
 */
export function cleanEnv(extra: Record<string, string> = {}): Record<string, string | undefined> {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(CREWLOAD_|GITHUB_|VITEST|FORCE_COLOR|NODE_ENV)/.test(name),
  )
  return { ...Object.fromEntries(kept), NO_COLOR: '1', ...extra }
}

/**
 * Runs one command line to its end; concurrent ones each have a process. Use `cliAlone` for
 * commands that a signal stops, or that must end their process.
 */
export async function cli(args: readonly string[], options: CliOptions = {}): Promise<Finished> {
  const { env, cwd = process.cwd(), withinMs } = options
  const socket = createConnection(process.env[POOL]!)
  await once(socket, 'connect')
  const asked: Asked = {
    args,
    env: cleanEnv(env),
    cwd,
    ...(withinMs !== undefined && { withinMs }),
  }
  socket.write(`${JSON.stringify(asked)}\n`)
  const finished = await text(socket)
  if (finished !== '') return JSON.parse(finished) as Finished
  const within = withinMs === undefined ? '' : `, at the latest after ${withinMs} ms`
  throw new Error(`crewload ${args.join(' ')}: its process ended${within}`)
}
