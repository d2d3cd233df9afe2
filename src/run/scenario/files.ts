/** The files that a scenario names: rows of inputs, and the journal of a run to replay. */
import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { UserError } from '../../base/mistakes.ts'
import { readJournal } from '../../journal/reader.ts'
import type { Plan } from '../../scenario/plan.ts'
import type { PlanOptions, ScenarioFiles } from '../../scenario/schema/index.ts'
import { namedFiles, planScenario } from '../../scenario/schema/index.ts'
import type { LoadedScenario } from './load.ts'
import { readRows } from './rows.ts'

/** Reads what the scenario names and makes its plan. Throws UserError with every mistake. */
export async function planLoaded(
  { scenario, source, folder }: LoadedScenario,
  options: Omit<PlanOptions, 'source' | 'files'> = {},
): Promise<Plan> {
  const files = await readScenarioFiles(scenario, folder, options.set)
  return planScenario(scenario, { ...options, source, files })
}

/** Paths are relative to `folder`. Throws UserError for a file that cannot be read. */
export async function readScenarioFiles(
  scenario: unknown,
  folder: string,
  set: PlanOptions['set'] = {},
): Promise<ScenarioFiles> {
  const { rows, replay } = namedFiles(scenario, set)
  return {
    ...(rows === null ? {} : { rows: await readRows(resolve(folder, rows)) }),
    ...(replay === null ? {} : { replayOffsetsMicros: await readOffsets(resolve(folder, replay)) }),
  }
}

/**
 * The arrivals of a journal (a run folder means its `executions.ndjson`) in rising order, in the
 * crew's own time: the times of a recorded time-lapse are multiplied by its speed. Unreadable lines
 * are skipped, because a crash may have cut the last one.
 */
async function readOffsets(path: string): Promise<number[]> {
  const found = await stat(path).catch((error: Error) => unreadable(path, error))
  const journal = found.isDirectory() ? join(path, 'executions.ndjson') : path
  await stat(journal).catch((error: Error) => unreadable(journal, error))
  const offsets = new Map<number, number>()
  let speed = 1
  for await (const lines of readJournal(journal).batches()) {
    for (const line of lines) {
      if (line.type === 'run') speed = line.speed
      const arrival = line.type === 'ended' ? line.record : line
      if (!('intendedMicros' in arrival)) continue
      offsets.set(arrival.index, Math.round(arrival.intendedMicros * speed))
    }
  }
  return [...offsets.values()].sort((a, b) => a - b)
}

function unreadable(path: string, error: Error): never {
  const problem = `cannot be read (${(error as NodeJS.ErrnoException).code ?? error.message})`
  throw new UserError({ source: path, path: '', problem })
}
