/**
 * Records one run of a profile in virtual time, and learns its twin from the ledger, from reported
 * times, or from polls alone.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Ledger } from '../../../src/result/ledger/reconcile.ts'
import type { JournalLine } from '../../../src/execution/record/journal-lines.ts'
import { prepareHdr } from '../../../src/result/counting/histogram.ts'
import type { RunOptions } from '../../../src/run/options.ts'
import { prepare } from '../../../src/run/plan/prepare.ts'
import { loaded } from '../../../src/run/scenario/load.ts'
import { carryRun } from '../../../src/run/carry.ts'
import type { Twin } from '../../../src/study/twin/analyse/analyse.ts'
import { fileOf, twinOf } from '../../../src/study/twin/analyse/analyse.ts'
import { learnCrew } from '../../../src/study/twin/analyse/learn/learn.ts'
import { RunReader } from '../../../src/study/frame/executions/reader.ts'
import type { SeenRun } from '../../../src/study/twin/analyse/seen.ts'
import { seenIn } from '../../../src/study/twin/analyse/seen.ts'

export type Truth = SeenRun['truth']
export const TRUTHS: readonly Truth[] = ['ledger', 'reported', 'polls']

export interface Recorded {
  lines: readonly JournalLine[]
  ledger: Ledger | null
}

/**
 * Records a run of `executions` executions at a steady mean rate, with the default polling (every 2
 * to 15 s).
 */
export async function recorded(
  yaml: string,
  { perMinute, executions, seed }: { perMinute: number; executions: number; seed: number },
): Promise<Recorded> {
  prepareHdr()
  const folder = await mkdtemp(join(tmpdir(), 'crewload-twin-bench-'))
  try {
    const profile = join(folder, 'profile.yaml')
    await writeFile(profile, yaml)
    const scenario = {
      name: 'recorded',
      arrivals: { rate: '1/s', for: '1s' },
      inputs: {},
      deadline: '10h',
      confirm: 0,
    }
    const options: RunOptions = { profile, engine: 'virtual', seed, out: false }
    const plan = { ...(await prepare(loaded(scenario), options)), thresholds: [], circuit: null }
    const lines: JournalLine[] = []
    const offsetsMicros = poisson(perMinute, executions, seed)
    const { ledger } = await carryRun(
      {
        scenario: 'recorded',
        plan,
        changes: { arrivals: { kind: 'replay', offsetsMicros } },
        options,
        onLine: (line) => lines.push(line),
      },
      null,
    )
    return { lines, ledger }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Draws Poisson arrivals from a generator that shares nothing with crewload's (Park and Miller,
 * "Random number generators", 1988).
 */
function poisson(perMinute: number, executions: number, seed: number): number[] {
  let state = seed + 1_234_567
  let at = 0
  return Array.from({ length: executions }, () => {
    state = (state * 16_807) % 2_147_483_647
    at += (-Math.log(state / 2_147_483_647) * 60_000_000) / perMinute
    return Math.round(at)
  })
}

export interface LearnedTwin {
  twin: Twin
  yaml: string | null
}

export function twinBy({ lines, ledger }: Recorded, truth: Truth): LearnedTwin {
  const reader = new RunReader()
  for (const line of lines) reader.saw(truth === 'polls' ? untold(line) : line)
  const twin = twinOf(learnCrew([seenIn(reader, truth === 'ledger' ? ledger : null)], []))
  return { twin, yaml: fileOf(twin, null) }
}

/** The line as a target would leave it that reports neither times nor progress. */
function untold(line: JournalLine): JournalLine {
  if (line.type !== 'ended') return line
  const reported = { executionTimeSeconds: null, tasks: [] }
  return { ...line, record: { ...line.record, reported, changes: [] } }
}
