/** Runs with `--engine k6` by the built command line: scenarios, and conditions to wait for. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { finished, folderIn, startCli } from '../cli.ts'

/** These tests are about k6, so the limits tolerate a busy machine. */
const VALIDITY = "validity: { lateness: '10s', utilisation: 1 },"

export const MINE = `
import { defineScenario } from 'crewload'
export default defineScenario({
  name: 'mine',
  arrivals: { rate: '20/s', for: '2s', process: 'poisson' },
  inputs: ({ index, random }) => ({ topic: \`topic \${index}\`, audience: random.pick(['a', 'b']) }),
  tags: ({ index }) => ({ third: String(index % 3) }),
  polling: { fixed: '100ms' },
  deadline: '30s',
  checks: { 'says something': ({ output, inputs }) => output !== '' && inputs.topic !== '' },
  thresholds: { 'checks.says something': '>= 100%', 'outcome.completed': '>= 100%' },
  ${VALIDITY}
})`

/** A scenario that is long enough that only the test ends it. */
export const LONG = MINE.replace("for: '2s'", "for: '10m'")

/** A scenario for the profile `slow-report`, whose executions take half an hour. */
export const SLOW = `
export default {
  name: 'slow',
  arrivals: { rate: '5/s', for: '10m' },
  inputs: { company: 'Acme', period: '2026' },
  ${VALIDITY}
}`

export async function scenarioIn(folder: string, text: string): Promise<string> {
  const path = join(folder, 'mine.ts')
  await writeFile(path, text)
  return path
}

export function k6Words(scenario: string, folder: string): string[] {
  const out = join(folder, 'out')
  return ['run', scenario, '--profile', 'fast', '--engine', 'k6', '--out', out]
}

export async function runFolder(folder: string): Promise<string> {
  return folderIn(join(folder, 'out'))
}

/** Resolves when the journal has a line of this type. */
export async function underWay(folder: string, type = 'ended'): Promise<void> {
  for (let tries = 0; tries < 900; tries++) {
    const journal = join(await runFolder(folder), 'executions.ndjson')
    if ((await readFile(journal, 'utf8').catch(() => '')).includes(`"type":"${type}"`)) return
    await sleep(100)
  }
  throw new Error(`no line "${type}" within 90 s`)
}

/** A run that continues until the test ends it, at the latest at the end of the test. */
export function started(words: readonly string[], env: Record<string, string> = {}) {
  const child = startCli(words, { env })
  const result = finished(child)
  const end = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    for (const signal of ['SIGINT', 'SIGINT', 'SIGTERM'] as const) {
      child.kill(signal)
      await sleep(500)
    }
    await result
  }
  return { child, result, [Symbol.asyncDispose]: end }
}

/** The k6 process below a process, from /proc. */
export async function k6Below(pid: number): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  for (const child of children.trim().split(' ').map(Number)) {
    const name = await readFile(`/proc/${child}/comm`, 'utf8').catch(() => '')
    if (name.trim().startsWith('k6')) return child
  }
  throw new Error(`no k6 below ${pid}: ${children}`)
}
