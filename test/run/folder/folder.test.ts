import { mkdir, mkdtemp, readFile, readdir, rm, rmdir, writeFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { HistogramLogReader, encodeIntoCompressedBase64 } from 'hdr-histogram-js'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { UserError } from '../../../src/base/mistakes.ts'
import {
  CLOCK_FILE,
  JOURNAL_FILE,
  LEDGER_FILE,
  STUDY_FILE,
  createRunFolder,
} from '../../../src/run/folder/folder.ts'
import { readRun } from '../../../src/run/folder/stored.ts'
import { writeArtefacts } from '../../../src/run/folder/artefacts.ts'
import { histogramLog } from '../../../src/result/counting/histogram.ts'
import { openBatchingJournal, openJournal } from '../../../src/journal/writer.ts'
import { mergedRuns } from '../../../src/run/merge.ts'
import { LEDGER_CLOCK, executionRecord, journalLines, ledgerRow } from '../../result/lines.ts'
import type { JournalLine } from '../../../src/execution/record/journal-lines.ts'

const STARTED = new Date('2026-11-21T08:15:00.250Z')
let base = ''

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'crewload-result-'))
})

afterEach(() => rm(base, { recursive: true }))

function write(name: string, lines: readonly JournalLine[]): string {
  const journal = openJournal(join(base, name))
  for (const line of lines) journal.write(line)
  journal.close()
  expect(journal.errors).toEqual({ count: 0, first: null })
  return journal.path
}

test('a batching journal waits for 64 KiB, or for the last line, or for its end', async () => {
  const lines = journalLines({ executions: 300 })
  const journal = openBatchingJournal(join(base, 'batch'))
  const bytes = async (): Promise<number> => (await stat(journal.path)).size
  journal.write(lines[0]!)
  expect(await bytes()).toBe(0)
  for (const line of lines.slice(1, -1)) journal.write(line)
  expect(await bytes()).toBeGreaterThan(65_536)
  expect(lines.at(-1)!.type).toBe('finished')
  journal.write(lines.at(-1)!)
  const whole = lines.map((line) => `${JSON.stringify(line)}\n`)
  expect(await readFile(journal.path, 'utf8')).toBe(whole.join(''))
  journal.write(lines[0]!)
  journal.close()
  expect(await readFile(journal.path, 'utf8')).toBe([...whole, whole[0]].join(''))
  expect(journal.errors).toEqual({ count: 0, first: null })
})

test('a folder is made though other commands remove the one above it while it is empty', async () => {
  const above = join(base, 'reports')
  for (let i = 0; i < 20; i++) {
    const making = createRunFolder(above, 'smoke', STARTED)
    for (let others = 0; others < 20; others++) await rmdir(above).catch(() => {})
    const { path } = await making
    expect(path.startsWith(above)).toBe(true)
    await rm(path, { recursive: true })
  }
})

test('every histogram of the document stands in the histogram log', async () => {
  const { document } = await mergedRuns([write('a', journalLines({ executions: 30 }))])
  const log = histogramLog(document)
  const reader = new HistogramLogReader(log, 64)
  const read = new Map<string, string>()
  const spans = new Set<string>()
  for (;;) {
    const each = reader.nextIntervalHistogram()
    if (each === null) break
    read.set(each.tag, encodeIntoCompressedBase64(each))
    spans.add(`${each.startTimeStampMsec} to ${each.endTimeStampMsec}`)
  }
  expect(Object.fromEntries(read)).toEqual(document.histograms)
  const beganMs = Date.parse(document.run.startedAt)
  expect([...spans]).toEqual([`${beganMs} to ${beganMs + Math.floor(document.run.durationMs)}`])
  const most = /\nTag=kickoff.response,0.000,[\d.]+,([\d.]+),/.exec(log)
  expect(Number(most?.[1])).toBeCloseTo(3, 2)
})
describe('the run folder', () => {
  test('is named after scenario and time, and never shared', async () => {
    const first = await createRunFolder(join(base, 'new'), 'steady', STARTED)
    const second = await createRunFolder(join(base, 'new'), 'steady', STARTED)
    expect(basename(first.path)).toBe('steady-20261121T081500Z')
    expect(basename(second.path)).toBe('steady-20261121T081500Z-2')
    expect(await readdir(first.path)).toEqual([])
  })

  test('stays inside its base, whatever the scenario is called', async () => {
    const { path } = await createRunFolder(base, '../../etc/pass wd', STARTED)
    expect(path).toBe(join(base, 'etc-pass-wd-20261121T081500Z'))
  })

  test('that cannot be written is the user error of --out', async () => {
    await writeFile(join(base, 'file'), '')
    const attempt = createRunFolder(join(base, 'file'), 'steady', STARTED)
    await expect(attempt).rejects.toThrow(UserError)
    await expect(attempt).rejects.toThrow(/--out: cannot write reports there/)
  })

  test('gives back a run with its ledger', async () => {
    const { path, journal } = await createRunFolder(base, 'steady', STARTED)
    const own = openJournal(journal)
    for (const line of journalLines({ executions: 100 })) own.write(line)
    own.close()
    const rows = Array.from({ length: 100 }, (_, index) => ledgerRow(executionRecord(index)))
    const files = {
      [LEDGER_FILE]: rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
      [CLOCK_FILE]: JSON.stringify({ ...LEDGER_CLOCK, rows: rows.length }),
    }
    await writeArtefacts(path, { files })
    const run = await readRun(path)
    expect(run.result).toBeNull()
    expect(run.ledger).toEqual({ rows, clock: LEDGER_CLOCK })
    const { document } = await mergedRuns([run.journal], { ledger: run.ledger })
    expect(document.ledger?.agreed).toBe(100)
  })

  test('of a study is refused, and the run folders below it are named by number', async () => {
    await writeFile(join(base, STUDY_FILE), '{}')
    await expect(readRun(base)).rejects.toThrow('the folder of a study, which kept no run folders')
    for (const name of ['run-10', 'run-2', 'empty']) await mkdir(join(base, name))
    for (const name of ['run-10', 'run-2']) await writeFile(join(base, name, JOURNAL_FILE), '')
    const given = `${join(base, 'run-2')} ${join(base, 'run-10')})`
    await expect(readRun(base)).rejects.toThrow(
      `the folder of a study; give the run folders below it: ${given}`,
    )
  })
})
