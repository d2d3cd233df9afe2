/** Journals as kills, power cuts and other versions leave them. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { TURNED_AWAY, unsentRecord } from '../../src/execution/machine.ts'
import { readJournal, readOutline } from '../../src/journal/reader.ts'
import { runLine } from '../result/lines.ts'
import { temporaryFolder } from '../support/cli.ts'

const ARRIVAL = { index: 3, instance: 0, intendedMicros: 3_000_000, warmUp: false }

const started = (index: number): string =>
  JSON.stringify({ type: 'started', index, instance: 0, intendedMicros: index, atMicros: index })

/** The indexes of the lines, and how many were skipped. */
async function readBack(content: string | Buffer): Promise<{ read: number[]; skipped: number }> {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'journal')
  await writeFile(path, content)
  const reader = readJournal(path)
  const read: number[] = []
  for await (const line of reader) read.push(line.type === 'started' ? line.index : -1)
  return { read, skipped: reader.skipped }
}

/** A journal that ends in the middle of a character. */
const CUT_CHARACTER = Buffer.from(`${started(1)}\n{"type":"ended","name":"é`).subarray(0, -1)

test.each<[string, string | Buffer, number[], number]>([
  ['no line', '', [], 0],
  ['empty lines', '\n\n', [], 0],
  ['no end of the last line', `${started(1)}\n${started(2)}`, [1, 2], 0],
  ['ends as Windows writes them', `${started(1)}\r\n${started(2)}\r\n`, [1, 2], 0],
  ['spaces around a line', `  ${started(1)} \n`, [1], 0],
  ['a line that was cut', `${started(1)}\n{"type":"sta`, [1], 1],
  ['a line that was cut in the middle of a character', CUT_CHARACTER, [1], 1],
  [
    'such a line, and what was resumed behind it',
    Buffer.concat([CUT_CHARACTER, Buffer.from(`\n${started(2)}\n`)]),
    [1, 2],
    1,
  ],
  ['zeros in place of a lost line', `\0\0\0${started(1)}\n`, [1], 1],
  ['a foreign line', `{"type":"other"}\n${started(1)}\n`, [1], 1],
])('%s: the others are read, and it is counted', async (_, content, read, skipped) => {
  expect(await readBack(content)).toEqual({ read, skipped })
})

test('lines are read across the ends of what is read at once', async () => {
  const indexes = Array.from({ length: 5_000 }, (_, index) => index)
  const lines = indexes.map((index) =>
    started(index).replace('}', `,"note":"${'ä'.repeat(index % 97)}"}`),
  )
  expect(await readBack(lines.join('\n'))).toEqual({ read: indexes, skipped: 0 })
})

test('a line too long to be ours is skipped, and counted', async () => {
  const long = Buffer.alloc(65 * 1024 * 1024, 'x')
  const parts = [Buffer.from(`${started(1)}\n`), long, Buffer.from(`\n${started(2)}\n`)]
  expect(await readBack(Buffer.concat(parts))).toEqual({ read: [1, 2], skipped: 1 })
})

test('run lines are found wherever their type stands', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'journal')
  const resumed = { instance: 0, anchorUnixMs: 5, atMicros: 9, cutMicros: 8, indexes: [3] }
  const lines = [
    { ...resumed, type: 'resumed' },
    { type: 'resumed', ...resumed },
  ]
  await writeFile(path, `${started(3)}\n${lines.map((line) => JSON.stringify(line)).join('\n')}`)
  const { retractions } = await readOutline(path, 'journal')
  const counts = retractions.reader()
  const record = unsentRecord({ ...ARRIVAL, index: 3 }, TURNED_AWAY, 5)
  const ended = { type: 'ended' as const, record }
  const line = { ...lines[0]!, type: 'resumed' as const }
  expect([counts(ended), counts(line), counts(ended), counts(line), counts(ended)]).toEqual([
    false,
    true,
    false,
    true,
    true,
  ])
})

test.each(['crewload/journal/2', 'crewload/journal/0'])(
  'a run line of %s is refused by who reads it first, and by who reads on',
  async (schema) => {
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'journal')
    await writeFile(path, `${started(1)}\n${JSON.stringify({ ...runLine(), schema })}\n`)
    const read = async (): Promise<void> => {
      for await (const _ of readJournal(path));
    }
    const refused = `${path} schema: this version of crewload reads crewload/journal/1: use the version that wrote it (found ${schema})`
    await expect(read()).rejects.toThrow(refused)
    await expect(readOutline(path, 'journal')).rejects.toThrow(refused)
    await expect(readOutline(path, 'log')).rejects.toThrow(refused)
  },
)

test('a run line whose plan lacks a member cannot be read', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'journal')
  const { deadlineMicros: _, ...plan } = runLine().plan
  const damaged = JSON.stringify({ ...runLine(), plan })
  await writeFile(path, `${JSON.stringify(runLine())}\n${damaged}\n${started(1)}\n`)
  const reader = readJournal(path)
  const types: string[] = []
  for await (const { type } of reader) types.push(type)
  expect(types).toEqual(['run', 'started'])
  expect(reader.damage).toMatchObject({ line: 2 })
})

const ENDED = { type: 'ended', record: unsentRecord({ ...ARRIVAL, index: 3 }, TURNED_AWAY, 5) }

test('a line is given as it stands, and of those that are none of ours the first is told', async () => {
  const sound = [ENDED, { ...ENDED, further: [1] }, { ...JSON.parse(started(1)), further: 1 }]
  const { record } = ENDED
  const none = [
    { ...ENDED, record: { ...record, outcome: 'vanished' } },
    { ...ENDED, record: { ...record, polls: { ...record.polls, lateMicros: [3] } } },
    { ...JSON.parse(started(2)), atMicros: '2' },
    { ...JSON.parse(started(2)), type: 'accepted' },
  ]
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'journal')
  const lines = [sound[0], ...none, ...sound.slice(1)]
  await writeFile(path, lines.map((line) => JSON.stringify(line)).join('\n'))
  const reader = readJournal(path)
  const read: unknown[] = []
  for await (const line of reader) read.push(line)
  expect(read).toStrictEqual(JSON.parse(JSON.stringify(sound)))
  expect([reader.skipped, reader.damage]).toEqual([none.length, { line: 2, isTail: false }])
})
