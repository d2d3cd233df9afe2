/**
 * The built program as a long-lived process: each line it reads requests one command line, and each
 * line it prints says how that ended.
 */
import { createInterface } from 'node:readline'
import { crewload } from '../../dist/src/cli/program.js'

const never = new Promise(() => {})

for await (const line of createInterface({ input: process.stdin })) {
  const { args, env, cwd } = JSON.parse(line)
  process.chdir(cwd)
  const told = { stdout: '', stderr: '' }
  const output = (name) => ({
    write: (text) => {
      told[name] += text
    },
    isTerminal: false,
    width: 80,
  })
  const code = await crewload({
    args,
    env,
    stdout: output('stdout'),
    stderr: output('stderr'),
    ask: async () => null,
    onInterrupt: () => () => {},
    onFailure: () => () => {},
    parentGone: never,
  })
  process.stdout.write(`${JSON.stringify({ code, ...told })}\n`)
}
process.exit()
