/**
 * Provides what the tests of several k6 processes share: a scenario, a fake crew whose token is
 * known, its ledger, and journals.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { JournalLine } from '../../../src/execution/record/journal-lines.ts'
import type { ExecutionRecord } from '../../../src/execution/record/record.ts'
import type { RunningFake } from '../cli.ts'
import { folderIn, startFakeCli } from '../cli.ts'

export const TOKEN = 'sesame-4711-open'

/** These tests are about instances, so the limits tolerate a busy machine. */
export const SCENARIO = `
import { defineScenario } from 'crewload'
export default defineScenario({
  name: 'fleet',
  arrivals: { rate: '20/s', for: '3s', process: 'poisson' },
  inputs: ({ index, random }) => ({ topic: \`topic \${index}\`, audience: random.pick(['a', 'b']) }),
  polling: { fixed: '100ms' },
  checks: { 'says something': ({ output }) => output !== '' },
  thresholds: { 'checks.says something': '>= 100%', 'outcome.completed': '>= 100%' },
  validity: { lateness: '10s', utilisation: 1 },
})`

export async function scenarioIn(folder: string, text = SCENARIO): Promise<string> {
  const path = join(folder, 'fleet.ts')
  await writeFile(path, text)
  return path
}

/** A fake crew whose token is known in advance. */
export async function fakeCrew(): Promise<RunningFake> {
  const env = { CREWLOAD_FAKE_TOKEN: TOKEN, CREWLOAD_FAKE_USER_TOKEN: `${TOKEN}-user` }
  return startFakeCli(['--profile', 'fast'], { env })
}

export async function journalIn(out: string): Promise<JournalLine[]> {
  const text = await readFile(join(await folderIn(out), 'executions.ndjson'), 'utf8')
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as JournalLine)
}

export function endedIn(lines: readonly JournalLine[]): ExecutionRecord[] {
  return lines.flatMap((line) => (line.type === 'ended' ? [line.record] : []))
}

/** The index and intended time of every arrival. */
export function arrivalsIn(lines: readonly JournalLine[]): [number, number][] {
  return endedIn(lines)
    .map(({ index, intendedMicros }): [number, number] => [index, intendedMicros])
    .toSorted(([a], [b]) => a - b)
}

export function instanceOf(line: JournalLine): number {
  return line.type === 'ended' ? line.record.instance : line.instance
}
