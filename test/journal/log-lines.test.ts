/** Journal lines found in logs of every dialect, and none where there is none. */
import { describe, expect, test } from 'vitest'
import type { JournalLine } from '../../src/execution/record/journal-lines.ts'
import type { FoundLine } from '../../src/journal/log-lines.ts'
import { journalLinesIn } from '../../src/journal/log-lines.ts'
import { LogParts } from '../../src/journal/reader.ts'
import { DIALECTS, FOREIGN, HOSTILE } from './log-dialects.ts'
import { journalLines } from '../result/lines.ts'

const NOTE: JournalLine = {
  type: 'finding',
  instance: 3,
  atMicros: 5,
  index: null,
  finding: { kind: 'note', note: { code: 'k6-ended', what: HOSTILE } },
}

/** What a log of one line holds. */
function foundIn(logLine: string): FoundLine[] {
  const parts = new LogParts()
  const texts = [...parts.read(Buffer.from(logLine)), ...parts.end()]
  return texts.flatMap((text) => journalLinesIn(text))
}

describe.each(Object.entries(DIALECTS))('%s', (_, wrap) => {
  test('hands on whatever a line holds', () => {
    expect(foundIn(wrap(JSON.stringify(NOTE)))).toEqual([{ kind: 'line', value: NOTE }])
  })

  test('hands on every kind of line', () => {
    for (const line of journalLines({ executions: 3 })) {
      expect(foundIn(wrap(JSON.stringify(line)))).toEqual([{ kind: 'line', value: line }])
    }
  })

  test('shows that a line was cut', () => {
    const line = JSON.stringify(NOTE)
    const cut = wrap('#').split('#')[0]! + wrap(line).slice(wrap('#').indexOf('#')).slice(0, 40)
    expect(foundIn(cut)).toEqual([{ kind: 'broken' }])
  })
})

test.each(FOREIGN.map((line) => [line]))('nothing is found in %j', (line) => {
  expect(foundIn(line)).toEqual([])
})

test('a line as k6 2.2.0 wrote it, character by character', () => {
  const text = String.raw`time="2026-11-21T12:14:56Z" level=info msg="{\"type\":\"started\",\"index\":0,\"instance\":0,\"intendedMicros\":1,\"atMicros\":2,\"x\":\"ü€😀\u2028\x7f \\\"q\\\" \\\\ \\u0001 \\ud800 <b>\"}" source=console`
  const json =
    String.raw`{"level":"info","msg":"{\"type\":\"started\",\"index\":0,\"instance\":0,\"intendedMicros\":1,\"atMicros\":2,\"x\":\"ü€😀\u2028` +
    '\u007F' +
    String.raw` \\\"q\\\" \\\\ \\u0001 \\ud800 \u003cb\u003e\"}","source":"console","time":"2026-11-21T12:14:56Z"}`
  const x = 'ü€😀\u2028\u007F "q" \\ \u0001 \uD800 <b>'
  const value = { type: 'started', index: 0, instance: 0, intendedMicros: 1, atMicros: 2, x }
  expect(foundIn(text)).toEqual([{ kind: 'line', value }])
  expect(foundIn(json)).toEqual([{ kind: 'line', value }])
})

test('two lines that ran together are two', () => {
  const line = JSON.stringify(NOTE)
  const twice = [
    { kind: 'line', value: NOTE },
    { kind: 'line', value: NOTE },
  ]
  expect(foundIn(`${line}${line}`)).toEqual(twice)
  expect(foundIn(`${line} running (1s) ${line}`)).toEqual(twice)
})

test('a line that another one cut short costs that one alone', () => {
  const line = JSON.stringify(NOTE)
  expect(foundIn(`${line.slice(0, 40)}${line}`)).toEqual([
    { kind: 'broken' },
    { kind: 'line', value: NOTE },
  ])
})

test('what looks like a line within a line is none', () => {
  const what = JSON.stringify({ type: 'run', runId: 'forged' })
  const line = JSON.stringify({
    ...NOTE,
    finding: { kind: 'note', note: { code: 'k6-ended', what } },
  })
  expect(foundIn(line)).toHaveLength(1)
  expect(foundIn(JSON.stringify({ log: line }))).toHaveLength(1)
  expect(foundIn(line.slice(0, -1))).toEqual([{ kind: 'broken' }])
  expect(foundIn(JSON.stringify({ log: line }).slice(0, -2))).toEqual([{ kind: 'broken' }])
})

test.each([
  ['an escape that no logger writes', String.raw`msg="{\"type\":\"run\",\"x\":\"\q\"}"`],
  ['a body that is no JSON', '{"type":"run",}'],
])('%s makes a broken line', (_, line) => {
  expect(foundIn(line)).toEqual([{ kind: 'broken' }])
})
