/** The files that a scenario names: rows of inputs, and the journal of a run to replay. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JournalLine } from '../../../src/execution/record/journal-lines.ts'
import { planLoaded, readScenarioFiles } from '../../../src/run/scenario/files.ts'
import { executionRecord, runLine } from '../../result/lines.ts'

let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crewload-files-test-'))
})
afterAll(async () => rm(folder, { recursive: true, force: true }))

async function read(name: string, text: string | null, scenario: object) {
  if (text !== null) await writeFile(join(folder, name), text)
  return readScenarioFiles(scenario, folder)
}

const rows = (name: string, text: string | null) => read(name, text, { inputs: { rows: name } })
const replay = (name: string, text: string | null) =>
  read(name, text, { arrivals: { replay: name } })

test('a scenario that names no file needs none', async () => {
  expect(await read('none', null, { inputs: {}, arrivals: {} })).toEqual({})
})

test('CSV: the first line names the inputs; quotes, a byte order mark and blank lines are understood', async () => {
  const text = '\uFEFF"topic", audience\n"bees, honey",children\n\nwasps,experts\n'
  expect(await rows('topics.csv', text)).toEqual({
    rows: [
      { topic: 'bees, honey', audience: 'children' },
      { topic: 'wasps', audience: 'experts' },
    ],
  })
})

test('CSV: a ragged line is told with its number', async () => {
  await expect(rows('ragged.csv', 'a,b\n1,2\n1,2,3\n')).rejects.toMatchObject({
    mistakes: [{ source: join(folder, 'ragged.csv'), line: 3 }],
  })
})

test('the ending of the name may be in capitals', async () => {
  expect(await rows('TOPICS.CSV', 'topic\nbees\n')).toEqual({ rows: [{ topic: 'bees' }] })
  expect(await rows('topics.Json', '\uFEFF[{"topic":"bees"}]')).toEqual({
    rows: [{ topic: 'bees' }],
  })
})

test.each<[string, string, RegExp]>([
  ['a name twice', 'topic,audience,topic\n1,2,3\n', /\.csv:1: two columns .*found "topic"/],
  ['a comma at the end', 'topic,\nbees,\n', /\.csv:1: column 2 has no name/],
  ['a blank name', '"",topic\n1,2\n', /\.csv:1: column 1 has no name/],
  ['semicolons', 'topic;audience\nbees;children\n', /\.csv:1: expected "," .*not ";"/],
  ['tabs', 'topic\taudience\nbees\tchildren\n', /\.csv:1: expected "," .*not "\\t"/],
])('CSV: a header with %s is a mistake', async (_, text, words) => {
  await expect(rows('header.csv', text)).rejects.toThrow(words)
})

test('rows that are not UTF-8 are a mistake with their line', async () => {
  const latin1 = Buffer.from('topic\nbees\ncafé\n', 'latin1')
  await writeFile(join(folder, 'latin.csv'), latin1)
  await expect(rows('latin.csv', null)).rejects.toThrow(/latin\.csv:3: is not UTF-8/)
})

const withNumber = (number: string): string =>
  `[{"id":1,\n"text":"9007199254740993 {:",\n"n":${number}}]`

test.each<[string, number]>([
  ['0.1', 0.1],
  ['1.50', 1.5],
  ['-0.0', -0],
  ['120e3', 120_000],
  ['9007199254740992', 9_007_199_254_740_992],
])('JSON: the number %s is kept', async (number, kept) => {
  expect(await rows('kept.json', withNumber(number))).toMatchObject({ rows: [{ n: kept }] })
})

test.each(['9007199254740993', '-12345678901234567891', '3.14159265358979323846', '1e999'])(
  'JSON: the number %s, which no double holds, is a mistake with its line',
  async (number) => {
    await expect(rows('changed.json', withNumber(number))).rejects.toThrow(
      /changed\.json:3: this number would change/,
    )
  },
)

test('JSON: a name that stands twice in one object, however it is written, is a mistake', async () => {
  await expect(rows('twice.json', '[{"a":1},\n{"a":{"b":[]},"\\u0061":2}]')).rejects.toThrow(
    /twice\.json:2: this name stands twice/,
  )
  expect(await rows('apart.json', '[{"a":{"a":[{"a":1},{"a":2}]}}]')).toBeDefined()
})

test('JSON: an input without a name is a mistake', async () => {
  await expect(rows('nameless.json', '[{"a":1},{"":2}]')).rejects.toThrow(/\[1\]: an input has no/)
})

test('JSON: an array of objects', async () => {
  expect(await rows('topics.json', '[{"topic":"bees","depth":2}]')).toEqual({
    rows: [{ topic: 'bees', depth: 2 }],
  })
})

test.each([
  ['words.json', '["bees"]', /\[0\]: expected a JSON array of objects \(found "bees"\)/],
  ['word.json', '"bees"', /\[0\]: expected a JSON array of objects/],
  ['broken.json', '[{', /broken\.json: /],
])('JSON: %s is a mistake', async (name, text, message) => {
  await expect(rows(name, text)).rejects.toThrow(message)
})

test('a file that is not there is a mistake with its code', async () => {
  await expect(rows('gone.csv', null)).rejects.toThrow(/gone\.csv: cannot be read \(ENOENT\)/)
  await expect(replay('gone', null)).rejects.toThrow(/gone: cannot be read \(ENOENT\)/)
})

const started = (index: number, intendedMicros: number): JournalLine => ({
  type: 'started',
  index,
  instance: 0,
  intendedMicros,
  atMicros: intendedMicros,
})
const ended = (index: number, intendedMicros: number): JournalLine => ({
  type: 'ended',
  record: { ...executionRecord(index), intendedMicros },
})
const journal = (...lines: readonly JournalLine[]): string =>
  lines.map((line) => JSON.stringify(line)).join('\n')

test('a journal gives each arrival once, rising, from whatever lines it has', async () => {
  const lines = [runLine(), started(1, 2_000), started(0, 1_000), ended(1, 2_000), ended(2, 3_000)]
  const text = `${journal(...lines)}\nnot json\n{"type":"ended","rec`
  expect(await replay('executions.ndjson', text)).toEqual({
    replay: { offsetsMicros: [1_000, 2_000, 3_000] },
  })
})

test('a run folder stands for its journal', async () => {
  await writeFile(join(folder, 'executions.ndjson'), journal(started(0, 5)))
  expect(await replay('.', null)).toEqual({ replay: { offsetsMicros: [5] } })
})

test('a recorded time-lapse is stretched to the time of the crew', async () => {
  const text = journal({ ...runLine(), speed: 60 }, started(0, 1_000_000))
  expect(await replay('lapse.ndjson', text)).toEqual({ replay: { offsetsMicros: [60_000_000] } })
})

test('a plan deals the rows of its file', async () => {
  await writeFile(join(folder, 'deal.csv'), 'topic\nbees\nwasps\n')
  const scenario = { name: 'rows', arrivals: { rate: '1/s', for: '1m' }, inputs: {} }
  const plan = await planLoaded(
    { scenario, source: 'test', folder, code: null },
    { set: { inputs: '{"rows":"deal.csv"}' } },
  )
  expect(plan.inputs(1).inputs).toEqual({ topic: 'wasps' })
})
