/** Starts the built command line as a user would, and collects what it prints. */
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { CliOptions, Finished } from './program.ts'
import { cleanEnv } from './program.ts'

const MAIN = fileURLToPath(new URL('../../dist/bin/crewload.js', import.meta.url))

export { cli } from './program.ts'
export type { CliOptions, Finished } from './program.ts'

export function startCli(args: readonly string[], options: CliOptions = {}): ChildProcess {
  return spawn(process.execPath, [MAIN, ...args], {
    cwd: options.cwd,
    env: cleanEnv(options.env),
    stdio: ['ignore', 'pipe', 'pipe'],
    // Starts a process group, as a shell does for each job.
    detached: true,
  })
}

export async function finished(child: ChildProcess): Promise<Finished> {
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout, stderr }
}

/** Runs a command line as `cli` does, but in a separate process. */
export async function cliAlone(
  args: readonly string[],
  options: CliOptions = {},
): Promise<Finished> {
  return finished(startCli(args, options))
}

/**
 * Runs a command line as `cliAlone` does, in a process that may open only this many files and
 * sockets at once.
 */
export async function limitedCli(
  files: number,
  args: readonly string[],
  options: CliOptions = {},
): Promise<Finished> {
  const script = `ulimit -n ${files} && exec "$0" "$@"`
  const child = spawn('/bin/sh', ['-c', script, process.execPath, MAIN, ...args], {
    cwd: options.cwd,
    env: cleanEnv(options.env),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  return finished(child)
}

export interface RunningFake {
  url: string
  token: string
  userToken: string
  /** Resolves with the exit code. */
  stop(): Promise<number | null>
  /** Kills the process, as when a machine loses power. */
  kill(): Promise<void>
}

/** Starts `crewload fake --json`, and resolves when it is ready. */
export async function startFakeCli(
  args: readonly string[] = [],
  options: CliOptions = {},
): Promise<RunningFake> {
  const child = startCli(['fake', '--port', '0', '--json', ...args], options)
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string]
  const ready = JSON.parse(line) as { url: string; token: string; userToken: string }
  return {
    ...ready,
    stop: async () => {
      child.kill('SIGTERM')
      const [code] = (await once(child, 'exit')) as [number | null]
      return code
    },
    kill: async () => {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

/** A temporary folder for one test; `await using` removes it. */
export async function temporaryFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'crewload-test-'))
  return { path, [Symbol.asyncDispose]: async () => rm(path, { recursive: true, force: true }) }
}
