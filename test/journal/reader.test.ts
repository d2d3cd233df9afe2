/** Journals as they were written by an earlier version, read as they are meant today. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Unsent } from '../../src/execution/machine.ts'
import { unsentRecord } from '../../src/execution/machine.ts'
import { readJournal } from '../../src/journal/reader.ts'
import { temporaryFolder } from '../support/cli.ts'

const ARRIVAL = { index: 3, instance: 0, intendedMicros: 3_000_000, warmUp: false }

test.each([
  ['kickoff budget spent', 'notReached'],
  ["this instance's share of the request budget spent", 'notReached'],
  ['stopped before it was sent: interrupted', 'notReached'],
  ['target dead', 'notReached'],
  ['the run was cut', 'notReached'],
  ['k6 ended before it was sent', 'notReached'],
  ['max in flight', 'dropped'],
  ['inputs: TypeError: no such column', 'dropped'],
  ['no VU was free: the iteration was dropped', 'dropped'],
] as [string, Unsent['outcome']][])(
  'an arrival that an older journal calls dropped for "%s" is read as %s',
  async (reason, outcome) => {
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'journal')
    const record = unsentRecord(ARRIVAL, { outcome: 'dropped', reason }, 5_000_000)
    await writeFile(path, `${JSON.stringify({ type: 'ended', record })}\n`)
    const read: unknown[] = []
    for await (const line of readJournal(path)) read.push(line)
    expect(read).toEqual([{ type: 'ended', record: { ...record, outcome } }])
  },
)
