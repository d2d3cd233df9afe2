/** A run folder as a kill of crewload leaves it. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JournalLine } from '../../../src/execution/record/journal-lines.ts'
import { mergedRuns } from '../../../src/run/merge.ts'
import { openWholeJournal } from '../../../src/run/k6/whole-journal.ts'
import { instanceLines } from '../../result/lines.ts'
import { temporaryFolder } from '../../support/cli.ts'

const RUN = { executions: 12, instances: 2 }
const CONSOLES = [instanceLines(0, RUN), instanceLines(1, RUN)]

function text(lines: readonly JournalLine[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

/** `known` lines of each console reached the journal, and one that crewload wrote itself. */
async function leftBehind(folder: string, known: number): Promise<string> {
  const path = join(folder, 'run')
  await mkdir(path)
  const note = { code: 'k6-ended', process: 'k6', exit: null, why: 'our own' } as const
  const incident = { kind: 'note', note } as const
  const own: JournalLine = { type: 'incident', instance: 0, atMicros: 1, index: null, incident }
  const journal = CONSOLES.flatMap((lines) => lines.slice(0, known))
  await writeFile(join(path, 'executions.ndjson'), text([...journal, own]))
  await writeFile(join(path, 'k6-console-1.ndjson'), `hello\n${text(CONSOLES[0]!)}`)
  await writeFile(join(path, 'k6-console-2.ndjson'), text(CONSOLES[1]!))
  return path
}

test('lines that the journal lacks are taken from the console files, each once, and ours stay', async () => {
  await using folder = await temporaryFolder()
  const path = await leftBehind(folder.path, 5)
  const before = await readFile(join(path, 'executions.ndjson'), 'utf8')
  const journal = await openWholeJournal(path)
  expect(journal.added).toBe(CONSOLES.flat().length - 10)
  expect(journal.files).toEqual(['k6-console-1.ndjson', 'k6-console-2.ndjson'])
  const { arrivals, run, findings } = (await mergedRuns([journal.path])).document
  expect({ arrivals, stopped: run.stopped }).toEqual({ arrivals: 12, stopped: null })
  expect(findings.map(({ message }) => message)).toContain('k6 said: our own')
  await journal.close()
  expect(await readFile(join(path, 'executions.ndjson'), 'utf8')).toBe(before)
  expect((await readdir(path)).sort()).toEqual([
    'executions.ndjson',
    'k6-console-1.ndjson',
    'k6-console-2.ndjson',
  ])
})

test('a journal that was cut stays one that was cut', async () => {
  await using folder = await temporaryFolder()
  const path = await leftBehind(folder.path, 5)
  const journalPath = join(path, 'executions.ndjson')
  await writeFile(journalPath, `${await readFile(journalPath, 'utf8')}{"type":"acc`)
  const journal = await openWholeJournal(path)
  const { verdict } = (await mergedRuns([journal.path])).document
  await journal.close()
  expect(verdict.reasons.map(({ message }) => message).join()).toMatch(/1 line/)
})

test.each([
  ['nothing is missing', 100],
  ['there is no console file', null],
])('where %s the journal is the folder’s own', async (_, known) => {
  await using folder = await temporaryFolder()
  let path = folder.path
  if (known === null) await writeFile(join(path, 'executions.ndjson'), text(CONSOLES[0]!))
  else path = await leftBehind(folder.path, known)
  const journal = await openWholeJournal(path)
  expect(journal).toMatchObject({ path: join(path, 'executions.ndjson'), added: 0, files: [] })
})
