/**
 * Runs that are killed at a given time, against a fake crew that outlives them, and the contents of
 * their journals.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { FakeCrew, LedgerRow } from 'crewload/fake-crew'
import { startFakeCrew } from 'crewload/fake-crew'
import type { JournalLine } from '../../../src/execution/record/journal-lines.ts'
import type { ExecutionRecord } from '../../../src/execution/record/record.ts'
import { startCli } from '../cli.ts'
import { cleanEnv } from '../program/program.ts'

const RUNS_TO_KILL = fileURLToPath(new URL('runs-to-kill.mjs', import.meta.url))

/**
 * The arrivals of a run. They are sent within 0.75 s; each execution takes less than half a second.
 */
export const ARRIVALS = 90

const scenarioOf = (arrivals: number): string => `
import { defineScenario } from 'crewload'
export default defineScenario({
  name: 'cut',
  arrivals: { rate: '${arrivals / 0.75}/s', for: '750ms', process: 'uniform' },
  inputs: ({ index }) => ({ topic: 'topic ' + index }),
  tags: ({ index }) => ({ third: String(index % 3) }),
  polling: { fixed: '100ms' },
  deadline: '60s',
  checks: { 'says something': ({ output, inputs }) => output !== '' && inputs.topic !== '' },
  validity: { lateness: '10s', utilisation: 1 },
})`

/** A kickoff is answered after 10 to 60 ms, so that some are unanswered at any time. */
export async function slowToAnswer(): Promise<FakeCrew> {
  return startFakeCrew({
    profile: {
      name: 'mortal',
      inputs: ['topic'],
      tasks: [
        {
          id: 'work',
          agent: 'Worker',
          duration: { uniform: { min: '200ms', max: '500ms' } },
          output: '100B',
        },
      ],
      capacity: { workers: 'unlimited' },
      http: { latency: { kickoff: { uniform: { min: '10ms', max: '60ms' } } } },
    },
  })
}

export async function scenarioIn(folder: string, arrivals = ARRIVALS): Promise<string> {
  const path = join(folder, 'cut.ts')
  await writeFile(path, scenarioOf(arrivals))
  return path
}

/** Starts a run as a user would, kills it `afterMs` after its first line, and returns its folder. */
export async function killedRun(
  crew: FakeCrew,
  { scenario, out, afterMs, flags = [] }: KilledRun,
): Promise<string> {
  const words = ['run', scenario, '--target', crew.url, '--out', out, '--quiet', ...flags]
  const child = startCli(words, { env: { CREWLOAD_TOKEN: crew.token } })
  const gone = once(child, 'exit')
  const folder = await begun(out)
  await sleep(afterMs)
  child.kill('SIGKILL')
  await gone
  return folder
}

interface KilledRun {
  scenario: string
  out: string
  afterMs: number
  flags?: readonly string[]
}

export interface RunToKill {
  out: string
  /** The time from the first line of the run to the end of the process, at least. */
  ageMs: number
}

/** Kills one process with all of these runs in it, at their ages; returns their folders. */
export async function killedTogether(
  crew: FakeCrew,
  scenario: string,
  runs: readonly RunToKill[],
): Promise<string[]> {
  const oldestMs = Math.max(...runs.map(({ ageMs }) => ageMs))
  const delayed = runs.map(({ ageMs, ...run }) => ({ ...run, delayMs: oldestMs - ageMs }))
  const words = { scenario, target: crew.url, tokens: [crew.token], runs: delayed }
  const child = spawn(process.execPath, [RUNS_TO_KILL, JSON.stringify(words)], {
    env: cleanEnv(),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const gone = once(child, 'exit')
  const folders = runs.map(async ({ out, ageMs }) => {
    const folder = await begun(out)
    await sleep(ageMs)
    return folder
  })
  const found = await Promise.all(folders)
  child.kill('SIGKILL')
  await gone
  return found
}

/** The run folder, once its journal has its first line. */
async function begun(out: string): Promise<string> {
  for (let tries = 0; tries < 6_000; tries++) {
    const [name = ''] = await readdir(out).catch(() => [])
    const journal = await readFile(join(out, name, 'executions.ndjson'), 'utf8').catch(() => '')
    if (journal.includes('\n')) return join(out, name)
    await sleep(20)
  }
  throw new Error('the run did not begin within two minutes')
}

/** Every byte of the journal as lines; throws for a truncated one. */
export async function linesIn(folder: string): Promise<JournalLine[]> {
  const text = await readFile(join(folder, 'executions.ndjson'), 'utf8')
  const lines = text.split('\n')
  if (lines.pop() !== '') throw new Error('the last line has no end')
  return lines.map((line) => JSON.parse(line) as JournalLine)
}

export function indexesOf(lines: readonly JournalLine[], type: 'started' | 'accepted'): number[] {
  return lines.flatMap((line) => (line.type === type ? [line.index] : []))
}

export function recordsOf(lines: readonly JournalLine[]): Map<number, ExecutionRecord> {
  const ended = lines.flatMap((line) => (line.type === 'ended' ? [line.record] : []))
  return new Map(ended.map((record) => [record.index, record]))
}

export function runIdOf(lines: readonly JournalLine[]): string {
  return lines.find((line) => line.type === 'run')!.runId
}

/** The arrivals of a run whose kickoff the crew has accepted. */
export function arrivalsIn(rows: readonly LedgerRow[], runId: string): number[] {
  const own = rows.filter(({ correlation }) => correlation?.startsWith(`${runId}/`) === true)
  return own.map(({ correlation }) => Number(correlation!.split('/')[1]))
}
