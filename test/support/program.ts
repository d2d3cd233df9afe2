/**
 * The built command line for many short command lines in one process: what is refused, planned or
 * explained takes no start of its own.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { CliOptions, Finished } from './cli.ts'
import { cleanEnv } from './cli.ts'

const PROGRAM = fileURLToPath(new URL('program.mjs', import.meta.url))

export interface Program extends AsyncDisposable {
  /** As `cli`, one after another in the order of the calls. For nothing that a signal stops. */
  cli: (args: readonly string[], options?: CliOptions) => Promise<Finished>
}

export function startProgram(): Program {
  const child = spawn(process.execPath, [PROGRAM], {
    env: cleanEnv(),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    cli: async (args, { env, cwd = process.cwd() } = {}) => {
      child.stdin.write(`${JSON.stringify({ args, env: cleanEnv(env), cwd })}\n`)
      const { done, value } = await lines.next()
      if (done === true) throw new Error(`crewload ${args.join(' ')} ended its process`)
      return JSON.parse(value) as Finished
    },
    [Symbol.asyncDispose]: async () => {
      child.stdin.end()
      await exited
    },
  }
}
