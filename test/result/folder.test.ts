import { appendFile, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { UserError } from '../../src/mistakes.ts'
import {
  CLOCK_FILE,
  LEDGER_FILE,
  createRunFolder,
  readRun,
  writeArtefacts,
} from '../../src/result/folder.ts'
import { histogramLog } from '../../src/result/histogram-log.ts'
import { readHlog } from '../../src/result/hlog.ts'
import { readJournal } from '../../src/result/journal-reader.ts'
import { openJournal } from '../../src/result/journal.ts'
import { mergeRuns } from '../../src/result/merge.ts'
import {
  LEDGER_CLOCK,
  executionRecord,
  instanceLines,
  journalLines,
  ledgerRow,
  runLine,
} from './lines.ts'
import type { JournalLine } from '../../src/execution/journal.ts'

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

async function read(path: string): Promise<{ lines: JournalLine[]; skipped: number }> {
  const reader = readJournal(path)
  const lines: JournalLine[] = []
  for await (const line of reader) lines.push(line)
  return { lines, skipped: reader.skipped }
}

describe('the journal', () => {
  test('reads back what was written', async () => {
    const lines = journalLines({ executions: 50 })
    expect(await read(write('j', lines))).toEqual({ lines, skipped: 0 })
  })

  test('has each line in the file when write returns', async () => {
    const journal = openJournal(join(base, 'j'))
    journal.write(runLine())
    expect(await readFile(journal.path, 'utf8')).toBe(`${JSON.stringify(runLine())}\n`)
    journal.close()
  })

  test('skips and counts what is cut, foreign or broken', async () => {
    const path = write('j', journalLines({ executions: 3 }))
    const uneven = executionRecord(9)
    uneven.polls.fresh.pop()
    await appendFile(
      path,
      ['{"type":"unheard-of"}', 'no json', JSON.stringify({ type: 'ended', record: uneven })].join(
        '\n',
      ),
    )
    await appendFile(path, '\n\n{"type":"ended","record":{"ind')
    const { lines, skipped } = await read(path)
    expect(lines).toEqual(journalLines({ executions: 3 }))
    expect(skipped).toBe(4)
  })

  test('reads characters that fall on the edge of two chunks', async () => {
    const line = { ...runLine(), scenario: 'ü€😀'.repeat(40_000) }
    const { lines } = await read(write('j', [line]))
    expect(lines).toEqual([line])
  })

  test('collects errors and does not throw them', () => {
    const journal = openJournal(join(base, 'j'))
    journal.close()
    journal.write(runLine())
    journal.write(runLine())
    expect(journal.errors).toEqual({ count: 2, first: 'the journal is closed' })
  })
})

test.runIf(process.platform === 'linux')('a full disk is an error of the journal', () => {
  const journal = openJournal('/dev/full')
  journal.write(runLine())
  expect(journal.errors).toMatchObject({ count: 1, first: expect.stringContaining('ENOSPC') })
  journal.close()
})

describe('merging', () => {
  test('halves give exactly the whole, in either order', async () => {
    const run = { executions: 300, instances: 2 }
    const first = write('a', instanceLines(0, run))
    const second = write('b', instanceLines(1, run))
    const whole = await mergeRuns([write('c', journalLines(run))])
    expect(await mergeRuns([first, second])).toEqual(whole)
    expect(JSON.stringify(await mergeRuns([second, first]))).toBe(JSON.stringify(whole))
    expect(whole.verdict.outcome).toBe('passed')
  })

  test('the lines of one instance may stand in two files', async () => {
    const [run, ...lines] = journalLines({ executions: 300 })
    const half = (odd: number) => [run!, ...lines.filter((_, i) => i % 2 === odd)]
    const whole = await mergeRuns([write('c', [run!, ...lines])])
    expect(await mergeRuns([write('a', half(0)), write('b', half(1))])).toEqual(whole)
  })

  test('a half alone is invalid', async () => {
    const half = write('a', instanceLines(0, { executions: 300, instances: 2 }))
    const { verdict } = await mergeRuns([half])
    expect(verdict.reasons[0]?.message).toBe('instance 1 of 2 has no journal here')
  })

  test('journals of two plans are refused by name', async () => {
    const one = write('a', journalLines({ executions: 3 }))
    const other = write('b', [{ ...runLine(), planHash: 'other' }])
    await expect(mergeRuns([one, other])).rejects.toThrow(/b: belongs to another plan than .*a:/)
  })

  test('journals of two runs are refused by name, each', async () => {
    const one = write('a', journalLines({ executions: 3 }))
    const others = ['b', 'c'].map((name) => write(name, [{ ...runLine(), runId: name }]))
    const attempt = mergeRuns([one, ...others])
    await expect(attempt).rejects.toThrow(UserError)
    await expect(attempt).rejects.toThrow(/b: belongs to another run than .*a:.*\n.*c: belongs/)
    const mixed = write('mixed', [runLine(), { ...runLine(), runId: 'other' }])
    await expect(mergeRuns([one, mixed])).rejects.toThrow(/mixed: belongs to another run/)
  })

  test('an instance told twice is refused by name: the same file, its copy, or one within the other', async () => {
    const run = { executions: 30, instances: 2 }
    const whole = write('whole', journalLines(run))
    const half = write('half', instanceLines(1, run))
    const copy = write('copy', instanceLines(1, run))
    const told = /: tells of instance 1 of run-1, as (.*) does/
    for (const [paths, source, before] of [
      [[half, half], half, half],
      [[half, copy], copy, half],
      [[whole, half], half, whole],
    ] as const) {
      const error = await mergeRuns(paths).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(UserError)
      expect((error as UserError).mistakes).toMatchObject([{ source }])
      expect(told.exec((error as UserError).message)?.[1]).toBe(before)
    }
  })

  test.each([
    ['a file that is not there', 'missing', /cannot be read: ENOENT/],
    ['a file that is no journal', 'notes.txt', /it has no run line/],
  ])('%s is refused', async (_, name, message) => {
    await writeFile(join(base, 'notes.txt'), 'milk\n')
    await expect(mergeRuns([join(base, name)])).rejects.toThrow(message)
  })

  test('every histogram of the document stands in the histogram log', async () => {
    const document = await mergeRuns([write('a', journalLines({ executions: 30 }))])
    const entries = readHlog(histogramLog(document))
    expect(Object.fromEntries(entries.map(({ tag, base64 }) => [tag, base64]))).toEqual(
      document.histograms,
    )
    expect(entries.find(({ tag }) => tag === 'kickoff.response')?.maxMs).toBeCloseTo(3, 2)
  })
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

  test('holds its files whole, without leftovers', async () => {
    await writeArtefacts(base, { 'summary.md': 'old' })
    await writeArtefacts(base, { 'summary.md': 'new', 'result.json': '{}' })
    expect((await readdir(base)).toSorted()).toEqual(['result.json', 'summary.md'])
    expect(await readFile(join(base, 'summary.md'), 'utf8')).toBe('new')
  })

  test('gives back a run with its ledger', async () => {
    const { path, journal } = await createRunFolder(base, 'steady', STARTED)
    const own = openJournal(journal)
    for (const line of journalLines({ executions: 100 })) own.write(line)
    own.close()
    const rows = Array.from({ length: 100 }, (_, index) => ledgerRow(executionRecord(index)))
    await writeArtefacts(path, {
      [LEDGER_FILE]: rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
      [CLOCK_FILE]: JSON.stringify(LEDGER_CLOCK),
    })
    const run = await readRun(path)
    expect(run.result).toBeNull()
    expect(run.ledger).toEqual({ rows, clock: LEDGER_CLOCK })
    const document = await mergeRuns([run.journal], { ledger: run.ledger })
    expect(document.ledger?.agreed).toBe(100)
  })

  test('without a run is refused', async () => {
    await expect(readRun(base)).rejects.toThrow(/no run can be read there/)
  })
})
