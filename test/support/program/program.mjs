/**
 * The built program as a long-lived process: each line it reads requests one command line, and each
 * line it prints says how that ended. What it loads is the bundle that users have, by the chunk
 * from which the bundle's entry takes the function.
 */
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const bin = new URL('../../../dist/bin/', import.meta.url)
const entry = readFileSync(new URL('crewload.js', bin), 'utf8')
const [, chunk] = /import\{[^}]*\bcrewload\b[^}]*\}from"([^"]+)"/.exec(entry)
const { crewload } = await import(new URL(chunk, bin).href)

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
    parentGone: async () => never,
    tellParent: () => {},
  })
  process.stdout.write(`${JSON.stringify({ code, ...told })}\n`)
}
process.exit()
