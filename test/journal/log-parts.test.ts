/** What runtimes cut into parts is joined as it was. */
import { describe, expect, test } from 'vitest'
import { LogParts } from '../../src/journal/reader.ts'

const TEXT = '{"type":"ended","reason":"ü€😀 a  b "} '
const TIME = '2026-11-21T12:00:00.1Z'

function cri(stream: string, tag: string, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${TIME} ${stream} ${tag} `), content])
}

function entry(log: string, stream = 'stdout'): Buffer {
  return Buffer.from(JSON.stringify({ log, stream, time: TIME }))
}

function readAll(lines: readonly Buffer[]): string[] {
  const parts = new LogParts()
  return [...lines.flatMap((line) => parts.read(line)), ...parts.end()]
}

describe('Kubernetes', () => {
  const bytes = Buffer.from(TEXT)

  test('joins two parts cut at any byte, within a character too', () => {
    for (let at = 0; at <= bytes.length; at++) {
      const lines = [
        cri('stdout', 'P', bytes.subarray(0, at)),
        cri('stdout', 'F', bytes.subarray(at)),
      ]
      expect(readAll(lines)).toEqual([TEXT])
    }
  })

  test('joins many parts, each stream by itself', () => {
    const lines = [...bytes].flatMap((_, i) => [
      cri('stdout', i + 1 < bytes.length ? 'P' : 'F', bytes.subarray(i, i + 1)),
      cri('stderr', 'F', Buffer.from(`warning ${i}`)),
    ])
    const texts = readAll(lines)
    expect(texts.filter((text) => !text.startsWith('warning'))).toEqual([TEXT])
    expect(texts).toHaveLength(bytes.length + 1)
  })

  test('hands on what was begun and never ended', () => {
    expect(readAll([cri('stdout', 'P', Buffer.from('{"type":"en'))])).toEqual(['{"type":"en'])
  })
})

describe('Docker', () => {
  test('joins what does not end in a line end, each stream by itself', () => {
    const lines = [entry('{"type":'), entry('warning\n', 'stderr'), entry('"run"}\n')]
    expect(readAll(lines)).toEqual(['warning\n', '{"type":"run"}\n'])
  })

  test('leaves an entry that is itself cut as it is', () => {
    const text = entry('{"type":"run"}').toString().slice(0, -20)
    expect(readAll([Buffer.from(text)])).toEqual([text])
  })
})

test('other lines are what they are', () => {
  expect(readAll([Buffer.from(TEXT), Buffer.from('2026 stdout F x')])).toEqual([
    TEXT,
    '2026 stdout F x',
  ])
})
