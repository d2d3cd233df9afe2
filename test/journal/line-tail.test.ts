/** Lines as they come, from a file that others append to. */
import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
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
