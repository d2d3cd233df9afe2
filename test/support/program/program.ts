/**
 * Runs the built command line for commands that end by themselves: long-lived processes execute one
 * after another, so that none needs a new process or starts with cold code.
 */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('program.mjs', import.meta.url))

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

/**
 * The environment of a user with no crewload variables and no colour, outside of GitHub Actions.
 */
export function cleanEnv(extra: Record<string, string> = {}): Record<string, string | undefined> {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(CREWLOAD_|GITHUB_|VITEST|FORCE_COLOR|NODE_ENV)/.test(name),
  )
  return { ...Object.fromEntries(kept), NO_COLOR: '1', ...extra }
}

interface Program {
  carry: (args: readonly string[], options: CliOptions) => Promise<Finished>
  end: () => void
}

/** Starts a process that ends with this one, and does not keep it alive. */
function startProgram(): Program {
  const child = spawn(process.execPath, [PROGRAM], {
    env: cleanEnv(),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.unref()
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    carry: async (args, { env, cwd = process.cwd(), withinMs }) => {
      child.stdin.write(`${JSON.stringify({ args, env: cleanEnv(env), cwd })}\n`)
      const kill = withinMs === undefined ? null : setTimeout(() => child.kill('SIGKILL'), withinMs)
      const { done, value } = await lines.next()
      clearTimeout(kill ?? undefined)
      if (done !== true) return JSON.parse(value) as Finished
      const how = child.killed ? `did not end within ${withinMs} ms` : 'ended its process'
      throw new Error(`crewload ${args.join(' ')} ${how}`)
    },
    end: () => child.stdin.end(),
  }
}

const idle: Program[] = []
const IDLE_AT_MOST = 2

/**
 * Runs one command line to its end; concurrent ones each have a process. Use `cliAlone` for
 * commands that a signal stops, or that must end their process.
 */
export async function cli(args: readonly string[], options: CliOptions = {}): Promise<Finished> {
  const program = idle.pop() ?? startProgram()
  const finished = await program.carry(args, options)
  if (idle.length < IDLE_AT_MOST) idle.push(program)
  else program.end()
  return finished
}
