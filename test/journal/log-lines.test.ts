/** Journal lines found in logs of every dialect, and none where there is none. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { JournalLine } from '../../src/execution/record/journal-lines.ts'
import { readLogged } from '../../src/journal/reader.ts'
import { DIALECTS, FOREIGN, HOSTILE } from './log-dialects.ts'
import { journalLines } from '../result/lines.ts'
import { temporaryFolder } from '../support/cli.ts'

const NOTE: JournalLine = {
  type: 'incident',
  instance: 3,
  atMicros: 5,
  index: null,
  incident: { kind: 'note', note: { code: 'generator-failed', error: HOSTILE } },
}

const PUSH: JournalLine = {
  type: 'push',
  instance: 3,
  atMicros: 5,
  hook: 'crew',
  kickoffId: 'a',
  reports: null,
  key: null,
}

/** What the reader makes of a damaged line. */
const BROKEN = undefined

/** What a log of one line holds. */
async function foundIn(logLine: string): Promise<unknown[]> {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'log')
  await writeFile(path, logLine)
  const found: unknown[] = []
  for await (const value of readLogged(path)) found.push(value)
  return found
}

describe.each(Object.entries(DIALECTS))('%s', (_, wrap) => {
  test('hands on whatever a line holds', async () => {
    expect(await foundIn(wrap(JSON.stringify(NOTE)))).toEqual([NOTE])
  })

  test('hands on every kind of line', async () => {
    for (const line of [...journalLines({ executions: 3 }), PUSH]) {
      expect(await foundIn(wrap(JSON.stringify(line)))).toEqual([line])
    }
  })

  test('shows that a line was cut', async () => {
    const line = JSON.stringify(NOTE)
    const cut = wrap('#').split('#')[0]! + wrap(line).slice(wrap('#').indexOf('#')).slice(0, 40)
    expect(await foundIn(cut)).toEqual([BROKEN])
  })
})

test.each(FOREIGN.map((line) => [line]))('nothing is found in %j', async (line) => {
  expect(await foundIn(line)).toEqual([])
})

test('a line as k6 2.2.0 wrote it, character by character', async () => {
  const text = String.raw`time="2026-11-21T12:14:56Z" level=info msg="{\"type\":\"started\",\"index\":0,\"instance\":0,\"intendedMicros\":1,\"atMicros\":2,\"x\":\"ü€😀\u2028\x7f \\\"q\\\" \\\\ \\u0001 \\ud800 <b>\"}" source=console`
  const json =
    String.raw`{"level":"info","msg":"{\"type\":\"started\",\"index\":0,\"instance\":0,\"intendedMicros\":1,\"atMicros\":2,\"x\":\"ü€😀\u2028` +
    '\u007F' +
    String.raw` \\\"q\\\" \\\\ \\u0001 \\ud800 \u003cb\u003e\"}","source":"console","time":"2026-11-21T12:14:56Z"}`
  const x = 'ü€😀\u2028\u007F "q" \\ \u0001 \uD800 <b>'
  const value = { type: 'started', index: 0, instance: 0, intendedMicros: 1, atMicros: 2, x }
  expect(await foundIn(text)).toEqual([value])
  expect(await foundIn(json)).toEqual([value])
})

test('two lines that ran together are two', async () => {
  const line = JSON.stringify(NOTE)
  const twice = [NOTE, NOTE]
  expect(await foundIn(`${line}${line}`)).toEqual(twice)
  expect(await foundIn(`${line} running (1s) ${line}`)).toEqual(twice)
})

test('a line that another one cut short costs that one alone', async () => {
  const line = JSON.stringify(NOTE)
  expect(await foundIn(`${line.slice(0, 40)}${line}`)).toEqual([BROKEN, NOTE])
})

test('what looks like a line within a line is none', async () => {
  const error = JSON.stringify({ type: 'run', runId: 'forged' })
  const line = JSON.stringify({
    ...NOTE,
    incident: { kind: 'note', note: { code: 'generator-failed', error } },
  })
  expect(await foundIn(line)).toHaveLength(1)
  expect(await foundIn(JSON.stringify({ log: line }))).toHaveLength(1)
  expect(await foundIn(line.slice(0, -1))).toEqual([BROKEN])
  expect(await foundIn(JSON.stringify({ log: line }).slice(0, -2))).toEqual([BROKEN])
})

test.each([
  ['an escape that no logger writes', String.raw`msg="{\"type\":\"run\",\"x\":\"\q\"}"`],
  ['a body that is no JSON', '{"type":"run",}'],
])('%s makes a broken line', async (_, line) => {
  expect(await foundIn(line)).toEqual([BROKEN])
})
