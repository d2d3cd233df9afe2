/** The new owner of a stranger: a folder with a scenario, and the command line in it. */
import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { ExecutionRecord } from '../../../src/execution/record/record.ts'
import { readJournal } from '../../../src/journal/reader.ts'
import type { Finished } from '../../support/cli.ts'
import { cli, temporaryFolder } from '../../support/cli.ts'
import { STRANGERS_TOKEN } from '../../support/targets/stranger.ts'

/**
 * Every command that sends says how many kickoffs it may send, and is not asked again: a stranger
 * on this machine is a deployment like any other.
 */
export const CONSENT = ['--yes', '--max-kickoffs', '2000']

export interface Owner extends AsyncDisposable {
  /** Runs `crewload` in the folder, where `scenario.mjs` is the scenario. */
  ask(...args: readonly string[]): Promise<Finished>
  /** The folders of all runs in `reports`, those of studies too. */
  runs(): Promise<string[]>
  /** The names of all files in `reports` that contain the text. */
  filesWith(text: string): Promise<string[]>
  /** Their records. */
  records(): Promise<ExecutionRecord[]>
}

/**
 * `members` are those of the scenario that matter. Nothing is said about the machine, which is busy
 * with other tests.
 */
export async function newOwner(members: string): Promise<Owner> {
  const folder = await temporaryFolder()
  await writeFile(
    join(folder.path, 'scenario.mjs'),
    `export default {
  name: 'stranger',
  inputs: ({ index }) => ({ topic: 'topic ' + index }),
  deadline: '20s',
  validity: { lateness: '2s', utilisation: 1, little: '50%' },
  ${members}
}
`,
  )
  const runs = async (): Promise<string[]> => {
    const reports = join(folder.path, 'reports')
    const names = await readdir(reports, { recursive: true })
    const journals = names.filter((name) => basename(name) === 'executions.ndjson')
    return journals.map((name) => join(reports, dirname(name)))
  }
  return {
    ask: async (...args) =>
      cli(args, { cwd: folder.path, env: { CREWLOAD_TOKEN: STRANGERS_TOKEN, COLUMNS: '80' } }),
    runs,
    filesWith: async (text) => {
      const reports = join(folder.path, 'reports')
      if (!existsSync(reports)) return []
      const found = await readdir(reports, { recursive: true, withFileTypes: true })
      const files = found.filter((each) => each.isFile())
      const texts = await Promise.all(
        files.map(async ({ parentPath, name }) => readFile(join(parentPath, name), 'utf8')),
      )
      return files.flatMap(({ name }, i) => (texts[i]!.includes(text) ? [name] : []))
    },
    records: async () => {
      const records: ExecutionRecord[] = []
      for (const run of await runs())
        for await (const line of readJournal(join(run, 'executions.ndjson')))
          if (line.type === 'ended') records.push(line.record)
      return records
    },
    [Symbol.asyncDispose]: async () => folder[Symbol.asyncDispose](),
  }
}
