/**
 * The journal on disks that fail: each line is whole or passed over, what failed is counted and
 * said, and nothing is thrown.
 */
import * as fs from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { JournalLine } from '../../src/execution/record/journal-lines.ts'
import type { JournalSystem } from '../../src/journal/writer.ts'
import { continueJournal, openJournal } from '../../src/journal/writer.ts'
import { readJournal } from '../../src/journal/reader.ts'
import { temporaryFolder } from '../support/cli.ts'

function line(index: number): JournalLine {
  return { type: 'started', index, instance: 0, intendedMicros: index, atMicros: index }
}

async function indexesIn(path: string): Promise<{ indexes: number[]; skipped: number }> {
  const reader = readJournal(path)
  const indexes: number[] = []
  for await (const read of reader as AsyncIterable<JournalLine>) {
    if (read.type === 'started') indexes.push(read.index)
  }
  return { indexes, skipped: reader.skipped }
}

/** Node's own, with `write` in place of its `writeSync`. */
function systemWith(write: (file: number, bytes: Buffer, from: number) => number): JournalSystem {
  const writeSync = (file: number, bytes: Buffer, from = 0): number => write(file, bytes, from)
  return { ...fs, writeSync: writeSync as typeof fs.writeSync }
}

function failing(code: string): Error {
  return Object.assign(new Error(`${code}: no luck, write`), { code })
}

test('a line is in the file when write returns', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'journal')
  const journal = openJournal(path)
  for (let i = 0; i < 3; i++) {
    expect(journal.write(line(i))).toBe(true)
    expect(fs.readFileSync(path, 'utf8').split('\n')).toHaveLength(i + 2)
  }
  journal.close()
  expect(journal.errors).toEqual({ count: 0, first: null })
})

describe('a disk', () => {
  test.each(['ENOSPC', 'EIO', 'EFBIG'])(
    'that says %s for a while costs those lines alone',
    async (code) => {
      await using folder = await temporaryFolder()
      const path = join(folder.path, 'journal')
      let writes = 0
      const system = systemWith((file, bytes, from) => {
        writes++
        if (writes === 3 || writes === 4) throw failing(code)
        return fs.writeSync(file, bytes, from)
      })
      const journal = openJournal(path, system)
      expect(Array.from({ length: 6 }, (_, i) => journal.write(line(i)))).toEqual([
        true,
        true,
        false,
        false,
        true,
        true,
      ])
      journal.close()
      expect(journal.errors).toEqual({ count: 2, first: `${code}: no luck, write` })
      expect(await indexesIn(path)).toEqual({ indexes: [0, 1, 4, 5], skipped: 0 })
    },
  )

  test('that takes a part of a line and then no more leaves a line that is passed over', async () => {
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'journal')
    let writes = 0
    const system = systemWith((file, bytes, from) => {
      writes++
      if (writes === 2) return fs.writeSync(file, bytes, from, 20)
      if (writes === 3) throw failing('ENOSPC')
      return fs.writeSync(file, bytes, from)
    })
    const journal = openJournal(path, system)
    expect([0, 1, 2].map((i) => journal.write(line(i)))).toEqual([true, false, true])
    journal.close()
    expect(await indexesIn(path)).toEqual({ indexes: [0, 2], skipped: 1 })
  })

  test('that takes a line in pieces has it whole', async () => {
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'journal')
    const system = systemWith((file, bytes, from) =>
      fs.writeSync(file, bytes, from, Math.min(7, bytes.length - from)),
    )
    const journal = openJournal(path, system)
    for (let i = 0; i < 3; i++) expect(journal.write(line(i))).toBe(true)
    journal.close()
    expect(await indexesIn(path)).toEqual({ indexes: [0, 1, 2], skipped: 0 })
  })

  test.runIf(fs.existsSync('/dev/full'))(
    'that is full from the start is said by every line',
    () => {
      const journal = openJournal('/dev/full')
      expect(journal.write(line(0))).toBe(false)
      expect(journal.write(line(1))).toBe(false)
      journal.close()
      expect(journal.errors.count).toBeGreaterThanOrEqual(2)
      expect(journal.errors.first).toContain('ENOSPC')
    },
  )
})

test('is synced a second after a line, though no other line comes', async () => {
  await using folder = await temporaryFolder()
  const synced: number[] = []
  const sync = ((file: number, done: fs.NoParamCallback) => {
    synced.push(file)
    fs.fsync(file, done)
  }) as typeof fs.fsync
  const journal = openJournal(join(folder.path, 'journal'), { ...fs, fsync: sync })
  for (let i = 0; i < 20; i++) journal.write(line(i))
  expect(synced).toHaveLength(0)
  for (let tries = 0; tries < 100 && synced.length === 0; tries++) await sleep(100)
  expect(synced).toHaveLength(1)
  journal.close()
})

test('a file that was removed takes no line any more, and says so once', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'journal')
  const journal = openJournal(path)
  journal.write(line(0))
  await rm(path)
  for (let tries = 0; tries < 100 && journal.errors.count === 0; tries++) await sleep(100)
  expect(journal.errors).toEqual({ count: 1, first: 'the file was removed, with every line in it' })
  expect(journal.write(line(1))).toBe(false)
  journal.close()
  expect(journal.errors.count).toBe(1)
})

test('what a former process cut in mid-line is gone on with on a line of its own', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'journal')
  await writeFile(path, `${JSON.stringify(line(0))}\n{"type":"started","ind`)
  const journal = continueJournal(path)
  journal.write(line(1))
  journal.close()
  expect(await indexesIn(path)).toEqual({ indexes: [0, 1], skipped: 1 })
  const again = continueJournal(path)
  again.write(line(2))
  again.close()
  expect(await readFile(path, 'utf8')).not.toContain('\n\n')
})

test('what comes after the end is counted, and not thrown', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'journal')
  const journal = openJournal(path)
  journal.write(line(0))
  journal.close()
  expect([journal.write(line(1)), journal.write(line(2))]).toEqual([false, false])
  expect(journal.errors).toEqual({ count: 2, first: 'the journal is closed' })
  expect(await indexesIn(path)).toEqual({ indexes: [0], skipped: 0 })
})
