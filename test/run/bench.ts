/** Scenario files in a folder of their own, their runs, and the journals of these. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { JournalLine } from '../../src/execution/record/journal-lines.ts'
import type { RunOptions, RunOutcome } from '../../src/run/index.ts'
import { run } from '../../src/run/index.ts'
import { temporaryFolder } from '../support/cli.ts'

export interface Bench extends AsyncDisposable {
  path: string
  /**
   * Writes `scenario.ts`, with `settings` over a small open load.
   */
  scenario(settings: string): Promise<string>
  run(file: string, options: RunOptions): Promise<RunOutcome & { lines: JournalLine[] }>
}

/** A folder of its own, for scenario files and run folders. */
export async function bench(): Promise<Bench> {
  const folder = await temporaryFolder()
  const { path } = folder
  return {
    path,
    scenario: async (settings) => {
      const file = join(path, 'scenario.ts')
      await writeFile(file, scenarioText(settings))
      return file
    },
    run: async (file, options) => {
      const outcome = await run(file, { out: join(path, 'reports'), ...options })
      return { ...outcome, lines: await journalOf(outcome) }
    },
    [Symbol.asyncDispose]: async () => folder[Symbol.asyncDispose](),
  }
}

/** These tests are about what is true, not about how busy the machine is that they run on. */
function scenarioText(settings: string): string {
  return `import { defineScenario } from 'crewload'

export default defineScenario({
  name: 'bench',
  arrivals: { rate: '20/s', for: '2s', process: 'poisson' },
  inputs: { topic: 'bees', audience: 'children' },
  polling: { fixed: '60ms' },
  deadline: '20s',
  validity: { lateness: '10s', utilisation: 1 },
  ${settings}
})
`
}

async function journalOf({ folder }: RunOutcome): Promise<JournalLine[]> {
  if (folder === null) return []
  const text = await readFile(join(folder, 'executions.ndjson'), 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as JournalLine)
}

type LineOf<T extends JournalLine['type']> = Extract<JournalLine, { type: T }>

export function linesOf<T extends JournalLine['type']>(
  lines: readonly JournalLine[],
  type: T,
): LineOf<T>[] {
  return lines.filter((line): line is LineOf<T> => line.type === type)
}
