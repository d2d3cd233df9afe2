/** Lines as they come, from a file that others append to. */
import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LineTail } from '../../src/journal/line-tail.ts'
import { temporaryFolder } from '../support/cli.ts'

/** What was added; at the end, also what was cut. */
function everything(tail: LineTail, how: 'each' | 'finish' = 'each'): string[] {
  const lines: string[] = []
  const take = (line: string): void => void lines.push(line)
  if (how === 'each') tail.each(take, Infinity)
  else tail.finish(take)
  return lines
}

test('gives whole lines alone, each once, characters of several bytes too', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'lines')
  await writeFile(path, 'one\ntw')
  const tail = new LineTail(path)
  expect(everything(tail)).toEqual(['one'])
  const euro = Buffer.from('€')
  await appendFile(path, Buffer.concat([Buffer.from('o\nth'), euro.subarray(0, 2)]))
  expect(everything(tail)).toEqual(['two'])
  await appendFile(path, Buffer.concat([euro.subarray(2), Buffer.from('ree\n')]))
  expect(everything(tail)).toEqual(['th€ree'])
  await appendFile(path, 'four\n\ncut')
  expect(everything(tail, 'finish')).toEqual(['four', '', 'cut'])
})

test('reads a file of several chunks, a bounded part at a time', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'lines')
  const lines = Array.from({ length: 60_000 }, (_, i) => `${i} ${'ü'.repeat(i % 40)}`)
  await writeFile(path, `${lines.join('\n')}\n`)
  const tail = new LineTail(path)
  const some: string[] = []
  tail.each((line) => void some.push(line), 1)
  expect(some.length).toBeLessThan(lines.length)
  expect([...some, ...everything(tail, 'finish')]).toEqual(lines)
})
