/** A journal from which something is to be learned is whole, or says what it lacks. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { UserError } from '../../src/base/mistakes.ts'
import { readSound } from '../../src/journal/audit.ts'
import type { Cut } from '../../src/result/sentences/early-ends.ts'
import { journalLines } from '../result/lines.ts'
import { temporaryFolder } from '../support/cli.ts'

const EXECUTIONS = 5
const lines = journalLines({ executions: EXECUTIONS }).map((line) => JSON.stringify(line))
const types = lines.map((line) => (JSON.parse(line) as { type: string }).type)

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
  folder = await temporaryFolder()
})
afterAll(async () => folder[Symbol.asyncDispose]())

async function read(text: string): Promise<{ cut: Cut | null; seen: number }> {
  const path = join(folder.path, 'executions.ndjson')
  await writeFile(path, text)
  let seen = 0
  const cut = await readSound(path, () => void seen++)
  return { cut, seen }
}

/** Without the remedy. */
async function outcomeOf(content: string): Promise<string> {
  try {
    const { cut } = await read(content)
    return cut === null ? 'whole' : `cut with ${cut.open} open`
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return error.message.split(';', 1)[0]!
  }
}

function text(own: readonly string[]): string {
  return own.map((line) => `${line}\n`).join('')
}

test('a whole journal lacks nothing', async () => {
  expect(await read(text(lines))).toEqual({ cut: null, seen: lines.length })
})

describe('every line', () => {
  const each = lines.map((_, at) => at)

  test.each(each)('%i damaged is told by its number, unless it is the last', async (at) => {
    const path = join(folder.path, 'executions.ndjson')
    const told = `${path}:${at + 1}: is damaged: the line cannot be read`
    const reading = outcomeOf(text(lines.toSpliced(at, 1, lines[at]!.slice(0, -2))))
    expect(await reading).toBe(at === lines.length - 1 ? 'cut with 0 open' : told)
  })

  test.each(each)('%i doubled is told', async (at) => {
    const reading = read(text(lines.toSpliced(at, 0, lines[at]!)))
    await expect(reading).rejects.toThrow('is there twice')
  })

  test.each(each)('%i missing is told, or is what a cut leaves, or is said again', async (at) => {
    const path = join(folder.path, 'executions.ndjson')
    const told = {
      run: `${path}: is damaged: its first line is missing`,
      started: 'whole',
      accepted: 'whole',
      ended: `${path}: is damaged: it has 4 ends of executions for 5 arrivals`,
      finished: 'cut with 0 open',
    }[types[at]!]
    expect(await outcomeOf(text(lines.toSpliced(at, 1)))).toBe(told)
  })
})

test('of a journal that was cut, the executions without an end are counted', async () => {
  const started = types.filter((type) => type === 'started').length
  expect(started).toBe(EXECUTIONS)
  for (let length = 1; length < lines.length; length++) {
    const own = types.slice(0, length)
    const count = (type: string): number => own.filter((each) => each === type).length
    const open = count('started') - count('ended')
    expect(await read(text(lines.slice(0, length)))).toEqual({ cut: { open }, seen: length })
    // A kill in the middle of the next line.
    const torn = text(lines.slice(0, length)) + lines[length]!.slice(0, 20)
    expect((await read(torn)).cut).toEqual({ open })
  }
})

test.each(['', '\n\n', '{"type":"run"}\n'])('without a line of a run: %j', async (content) => {
  await expect(read(content)).rejects.toThrow('it has no line of a run')
})
