/** Lines as they come, from a file that others append to. */
import { once } from 'node:events'
import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { LineTail } from '../../src/journal/line-tail.ts'
import { temporaryFolder } from '../support/cli.ts'

function everything(tail: LineTail): string[] {
  const lines: string[] = []
  for (let more = tail.read(); more !== null; more = tail.read()) lines.push(...more)
  return lines
}

test('gives whole lines alone, each once, characters of several bytes too', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'lines')
  await writeFile(path, 'one\ntw')
  const tail = new LineTail(path)
  expect(everything(tail)).toEqual(['one'])
  expect(tail.cut).toBe('tw')
  const euro = Buffer.from('€')
  await appendFile(path, Buffer.concat([Buffer.from('o\nth'), euro.subarray(0, 2)]))
  expect(everything(tail)).toEqual(['two'])
  await appendFile(path, Buffer.concat([euro.subarray(2), Buffer.from('ree\n')]))
  expect(everything(tail)).toEqual(['th€ree'])
  expect([tail.read(), tail.cut]).toEqual([null, ''])
  tail.close()
})

test('reads a file of several chunks, a bounded part at a time', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'lines')
  const lines = Array.from({ length: 60_000 }, (_, i) => `${i} ${'ü'.repeat(i % 40)}`)
  await writeFile(path, `${lines.join('\n')}\n`)
  const tail = new LineTail(path)
  expect(tail.read()!.length).toBeLessThan(lines.length)
  tail.close()
  const again = new LineTail(path)
  expect(everything(again)).toEqual(lines)
  again.close()
})

const WRITERS = 4
const LINES_EACH = 1_500

/** Runs in a thread: lines from a few bytes to some 100 kB, each telling whose and which it is. */
const WRITER = `
const { workerData } = require('node:worker_threads')
import(workerData.module).then(({ joinJournal }) => {
  const journal = joinJournal(workerData.path)
  for (let i = 0; i < ${LINES_EACH}; i++) {
    const fill = 'x'.repeat(i % 50 === 0 ? 100_000 : (i * 37) % 5_000)
    journal.write({ writer: workerData.writer, i, fill })
  }
  journal.close()
  if (journal.errors.count > 0) throw new Error(journal.errors.first)
})`

test('threads that write one journal at the same time tear no line and lose none', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'lines')
  await writeFile(path, '')
  const module = new URL('../../dist/src/journal/writer.js', import.meta.url).href
  const tail = new LineTail(path)
  const ended = Array.from({ length: WRITERS }, async (_, writer) =>
    once(new Worker(WRITER, { eval: true, workerData: { module, path, writer } }), 'exit'),
  )
  expect(await Promise.all(ended)).toEqual(ended.map(() => [0]))
  const lines = everything(tail).map((line) => JSON.parse(line) as { writer: number; i: number })
  const inOrder = Array.from({ length: LINES_EACH }, (_, i) => i)
  for (let writer = 0; writer < WRITERS; writer++) {
    expect(lines.filter((line) => line.writer === writer).map(({ i }) => i)).toEqual(inOrder)
  }
  expect(tail.cut).toBe('')
  tail.close()
})
