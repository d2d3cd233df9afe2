/**
 * Measures what it costs to start, before any load: user and system time, children included, of
 * `--help`, of a fake crew until it listens, and of the scenario `smoke` in virtual time and over
 * HTTP, less that of Node alone; and how long after the command the first request arrives at a
 * target. All take turns in each round; the lowest and the median of the rounds are printed.
 *
 * `start ROUNDS FOLDER...`: each folder is a built crewload, to compare commits. Default: 15
 * rounds, this one.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { performance } from 'node:perf_hooks'
import { median } from '../support/median.ts'

const GOAL_HELP_MS = 25
const GOAL_FIRST_REQUEST_MS = 200

const [rounds = '15', ...others] = process.argv.slice(2)
const folders = others.length === 0 ? ['.'] : others
const out = mkdtempSync(join(tmpdir(), 'crewload-bench-'))
const SMOKE = ['run', 'smoke', '--profile', 'fast', '--out', out]

/** Returns the milliseconds of CPU time of a command and all that it started. */
function cpuOf(args: readonly string[]): number {
  const script = 'TIMEFORMAT="%3U %3S"; time "$@" >/dev/null 2>&1'
  const { status, stderr } = spawnSync('bash', ['-c', script, 'bash', process.execPath, ...args], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${args.join(' ')} ended with exit code ${status}`)
  const [user = 0, system = 0] = stderr.trim().split(' ').map(Number)
  return (user + system) * 1_000
}

/** A program that starts another and ends it once that has printed its first line. */
const UNTIL_FIRST_LINE = `
const { spawn } = require('node:child_process')
const child = spawn(process.execPath, process.argv.slice(1), { stdio: ['ignore', 'pipe', 'inherit'] })
child.stdout.once('data', () => child.kill('SIGTERM'))
`

/**
 * Returns the milliseconds from the command until its first request; the target then refuses
 * everything.
 */
async function firstRequestOf(main: string): Promise<number> {
  const server = createServer((_, response) => void response.writeHead(403).end())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const asked = once(server, 'request')
  const begun = performance.now()
  const args = ['run', 'smoke', '--target', `http://127.0.0.1:${port}`, '--out', out]
  const child = spawn(process.execPath, [main, ...args], {
    stdio: 'ignore',
    env: { ...process.env, CREWLOAD_TOKEN: 'bench' },
  })
  await asked
  const taken = performance.now() - begun
  await once(child, 'exit')
  server.close()
  return taken
}

const COMMANDS: Record<string, (main: string) => number | Promise<number>> = {
  'crewload --help': (main) => cpuOf([main, '--help']),
  'a fake crew listens': (main) =>
    cpuOf(['-e', UNTIL_FIRST_LINE, '--', main, 'fake', '--profile', 'fast', '--json']),
  'smoke in virtual time': (main) => cpuOf([main, ...SMOKE, '--engine', 'virtual']),
  'smoke over HTTP': (main) => cpuOf([main, ...SMOKE]),
  'first request (wall time)': firstRequestOf,
}

const taken = new Map<string, number[]>()
function take(what: string, value: number): void {
  taken.set(what, [...(taken.get(what) ?? []), value])
}

for (let round = 0; round < Number(rounds); round++) {
  take('node', cpuOf(['-e', '0']))
  for (const [what, cost] of Object.entries(COMMANDS)) {
    for (const folder of folders) {
      take(`${what} ${folder}`, await cost(resolve(folder, 'dist/bin/crewload.js')))
    }
  }
}
rmSync(out, { recursive: true })

const lowest = (what: string): number => Math.min(...taken.get(what)!)
const middle = (what: string): number => median(taken.get(what)!)
const ms = (value: number): string => value.toFixed(0).padStart(6)
console.log(`milliseconds, lowest and middle of ${rounds} rounds`)
console.log(`${'node alone'.padEnd(60)}${ms(lowest('node'))}${ms(middle('node'))}`)
for (const what of Object.keys(COMMANDS)) {
  const isCpu = !what.includes('wall')
  for (const folder of folders) {
    const over = (of: (what: string) => number): number =>
      of(`${what} ${folder}`) - (isCpu ? of('node') : 0)
    console.log(`${`${what}, ${folder}`.padEnd(60)}${ms(over(lowest))}${ms(over(middle))}`)
    if (folder !== folders.at(-1)) continue
    if (what === 'crewload --help' && over(middle) > GOAL_HELP_MS) process.exitCode = 1
    if (!isCpu && over(middle) > GOAL_FIRST_REQUEST_MS) process.exitCode = 1
  }
}
