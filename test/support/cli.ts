/** Starts the built command line as a user would, and collects what it prints. */
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { LedgerRow } from '../../src/crew/ledger.ts'
import type { ResultDocument } from '../../src/result/document.ts'
import type { CliOptions, Finished } from './program/program.ts'
import { cleanEnv } from './program/program.ts'

/** The program that users start. */
export const MAIN = fileURLToPath(new URL('../../dist/bin/crewload.js', import.meta.url))

export { cli } from './program/program.ts'
export type { CliOptions, Finished } from './program/program.ts'

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
 * Runs a command line as `cliAlone` does, after a command of the shell: `ulimit -n 40` for a process
 * that may open only so many files and sockets at once.
 */
export async function cliAfter(
  before: string,
  args: readonly string[],
  options: CliOptions = {},
): Promise<Finished> {
  const script = `${before} && exec "$0" "$@"`
  const child = spawn('/bin/sh', ['-c', script, process.execPath, MAIN, ...args], {
    cwd: options.cwd,
    env: cleanEnv(options.env),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  return finished(child)
}

/** What a run printed with `--json`. */
export function documentOf({ stdout }: Finished): ResultDocument {
  return JSON.parse(stdout) as ResultDocument
}

export interface RunningFake extends AsyncDisposable {
  url: string
  token: string
  userToken: string
  /** What it knows of each execution. */
  ledger(): Promise<LedgerRow[]>
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
  const stop = async (): Promise<number | null> => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
    child.kill('SIGTERM')
    const [code] = (await once(child, 'exit')) as [number | null]
    return code
  }
  return {
    ...ready,
    ledger: async () => {
      const headers = { authorization: `Bearer ${ready.token}` }
      const text = await (await fetch(`${ready.url}/__fake__/ledger`, { headers })).text()
      const lines = text.split('\n').filter((row) => row !== '')
      return lines.map((row) => JSON.parse(row) as LedgerRow)
    },
    stop,
    [Symbol.asyncDispose]: async () => void (await stop()),
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

/** The folder of the run or the study that was made below `out`; `out` itself before that. */
export async function folderIn(out: string): Promise<string> {
  const names = await readdir(out).catch(() => [])
  return join(out, names.find((name) => !name.startsWith('.')) ?? '')
}

/** The texts of all files below a folder. */
export async function everythingBelow(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const texts = files.map(async (file) => readFile(join(file.parentPath, file.name), 'utf8'))
  return (await Promise.all(texts)).join('\n')
}
