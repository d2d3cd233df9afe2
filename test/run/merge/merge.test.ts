/**
 * Merging: however the lines of a run are spread over files, they give one document, and none of
 * them counts twice.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { JournalLine, RunLine } from '../../../src/execution/record/journal-lines.ts'
import { UserError } from '../../../src/base/mistakes.ts'
import { createRandom } from '../../../src/base/random.ts'
import { concatenate } from '../../../src/journal/concatenate.ts'
import { mergedRuns } from '../../../src/run/merge.ts'
import { DIALECTS, FOREIGN } from '../../journal/log-dialects.ts'
import { instanceLines, journalLines, runLine } from '../../result/lines.ts'
import { areExperimentsRun } from '../../experiments.ts'

let base = ''

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'crewload-merge-'))
})

afterEach(() => rm(base, { recursive: true }))

async function write(name: string, lines: readonly JournalLine[]): Promise<string> {
  return writeTexts(
    name,
    lines.map((line) => JSON.stringify(line)),
  )
}

async function writeTexts(name: string, texts: readonly string[]): Promise<string> {
  const path = join(base, name)
  await writeFile(path, texts.map((text) => `${text}\n`).join(''))
  return path
}

describe('merging', () => {
  test('halves give exactly the whole, in either order', async () => {
    const run = { executions: 300, instances: 2 }
    const first = await write('a', instanceLines(0, run))
    const second = await write('b', instanceLines(1, run))
    const whole = await mergedRuns([await write('c', journalLines(run))])
    expect(await mergedRuns([first, second])).toEqual(whole)
    expect(JSON.stringify(await mergedRuns([second, first]))).toBe(JSON.stringify(whole))
    expect(whole.document.verdict.outcome).toBe('passed')
  })

  test.each<[string, Partial<RunLine>]>([
    ['plan', { planHash: 'other' }],
    ['number of instances', { instances: 3 }],
  ])('journals of another %s are refused by name', async (what, differs) => {
    const one = await write('a', journalLines({ executions: 3 }))
    const other = await write('b', [{ ...runLine(), ...differs }])
    const refused = new RegExp(`b: belongs to another ${what} than .*a:`)
    await expect(mergedRuns([one, other])).rejects.toThrow(refused)
  })

  test('journals of two runs are refused by name, each', async () => {
    const one = await write('a', journalLines({ executions: 3 }))
    const others = await Promise.all(
      ['b', 'c'].map(async (name) => write(name, [{ ...runLine(), runId: name }])),
    )
    const attempt = mergedRuns([one, ...others])
    await expect(attempt).rejects.toThrow(UserError)
    await expect(attempt).rejects.toThrow(/b: belongs to another run than .*a:.*\n.*c: belongs/)
    const mixed = await write('mixed', [runLine(), { ...runLine(), runId: 'other' }])
    await expect(mergedRuns([one, mixed])).rejects.toThrow(/mixed: belongs to another run/)
  })

  test('an instance told twice is refused by name: the same file, its copy, or one within the other', async () => {
    const run = { executions: 30, instances: 2 }
    const whole = await write('whole', journalLines(run))
    const half = await write('half', instanceLines(1, run))
    const copy = await write('copy', instanceLines(1, run))
    const told = /: repeats lines of instance 1 that (.*) holds/
    for (const [paths, source, before] of [
      [[half, half], half, half],
      [[half, copy], copy, half],
      [[whole, half], half, whole],
    ] as const) {
      const error = await mergedRuns(paths).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(UserError)
      expect((error as UserError).mistakes).toMatchObject([{ source }])
      expect(told.exec((error as UserError).message)?.[1]).toBe(before)
    }
  })

  test.each([
    ['a file that is not there', 'missing', /missing: does not exist/],
    ['a file that is no journal', 'notes.txt', /it has no run line/],
  ])('%s is refused', async (_, name, message) => {
    await writeFile(join(base, 'notes.txt'), 'milk\n')
    await expect(mergedRuns([join(base, name)])).rejects.toThrow(message)
  })
})

describe('the lines of a run', () => {
  const instances = 4
  /** Each instance began at another time, the last one first. */
  const lines = Array.from({ length: instances }, (_, i) =>
    instanceLines(i, { executions: 60, instances }).map((line) =>
      line.type === 'run' ? beganAt(line.anchorUnixMs - i * 200.5, line) : line,
    ),
  ).flat()

  test('give the same document however they are spread over files, in whatever order', async () => {
    const whole = JSON.stringify(await mergedRuns([await write('whole', lines)]))
    const files = fc.integer({ min: 1, max: 6 })
    let run = 0
    await fc.assert(
      fc.asyncProperty(files, fc.integer(), async (count, seed) => {
        const parts = spread(lines, count, seed)
        run++
        const paths = await Promise.all(parts.map(async (part, i) => write(`${run}-${i}`, part)))
        expect(JSON.stringify(await mergedRuns(paths))).toBe(whole)
      }),
      { seed: 5, numRuns: areExperimentsRun ? 25 : 8 },
    )
  })

  test.each<['journal' | 'log']>([['journal'], ['log']])(
    'are read from files that gzip made smaller, as %s',
    async (form) => {
      const plain = await write('plain', lines)
      const small = join(base, 'small.gz')
      await writeFile(small, gzipSync(await readFile(plain)))
      expect(await mergedRuns([small], { form })).toEqual(await mergedRuns([plain], { form }))
      const [one, two] = [join(base, 'one'), join(base, 'two')]
      await concatenate([plain], form, one)
      await concatenate([small], form, two)
      expect(await readFile(two, 'utf8')).toBe(await readFile(one, 'utf8'))
    },
  )

  test('that were cut on their way are fetched again: the disk has no part in it', async () => {
    const path = await write('cut', lines)
    await writeFile(path, (await readFile(path, 'utf8')).slice(0, -40))
    const { verdict } = (await mergedRuns([path])).document
    const reason = verdict.reasons.find(({ code }) => code === 'journal')
    expect(reason?.remedy).toContain('fetch each instance’s complete journal or log again')
    expect(reason?.remedy).not.toContain('disk')
  })

  test('lost none and doubled none, and count from the first beginning', async () => {
    const { run, arrivals, verdict } = (await mergedRuns([await write('whole', lines)])).document
    const first = runLine().anchorUnixMs - 3 * 200.5
    expect(run.startedAt).toBe(new Date(first).toISOString())
    expect([run.instances, arrivals, verdict.valid]).toEqual([4, 60, true])
  })
})

function beganAt(anchorUnixMs: number, line: Extract<JournalLine, { type: 'run' }>): JournalLine {
  return { ...line, anchorUnixMs }
}

/**
 * Deals the lines at random; each file repeats the `run` lines of the instances that it has lines
 * of, somewhere.
 */
function spread(lines: readonly JournalLine[], count: number, seed: number): JournalLine[][] {
  const random = createRandom(seed)
  const runs = lines.filter(({ type }) => type === 'run')
  const parts = Array.from({ length: count }, (): JournalLine[] => [...runs])
  for (const line of lines) if (line.type !== 'run') parts[random.int(count)]!.push(line)
  return parts.map((part) =>
    part
      .map((line) => ({ line, key: random.next() }))
      .sort((a, b) => a.key - b.key)
      .map(({ line }) => line),
  )
}

describe('an instance that crashed and is told twice', () => {
  const crashed = instanceLines(1, { executions: 60, instances: 2 }).filter(
    (line) => line.type !== 'finished' && (line.type !== 'ended' || line.record.index < 40),
  )

  test('is refused when none of its executions ended', async () => {
    const begun = crashed.slice(0, 2)
    const paths = [await write('a', begun), await write('b', begun)]
    await expect(mergedRuns(paths)).rejects.toThrow(/b: repeats lines of instance 1 that .*a holds/)
  })
})

describe('logs', () => {
  test('without a single journal are refused, each', async () => {
    const paths = [await writeTexts('a', FOREIGN), await writeTexts('b', ['milk'])]
    await expect(mergedRuns(paths, { form: 'log' })).rejects.toThrow(
      /a: not the journal of a run.*\n.*b: not the journal of a run/,
    )
  })

  const run = { executions: 60, instances: 2 }

  /** An instance's log: its lines in a dialect, with what else a log has in between. */
  async function log(instance: number, wrap: (line: string) => string): Promise<string> {
    const texts = instanceLines(instance, run).flatMap((line, i) => [
      FOREIGN[i % FOREIGN.length]!,
      wrap(JSON.stringify(line)),
    ])
    return writeTexts(`${instance}.log`, texts)
  }

  test.each(Object.entries(DIALECTS))('%s: one document, as from the journals', async (_, wrap) => {
    const { document: journals } = await mergedRuns([await write('j', journalLines(run))])
    const logs = [await log(0, wrap), await log(1, wrap)]
    const { document } = await mergedRuns(logs, { form: 'log' })
    expect(document.verdict.outcome).toBe('passed')
    expect(JSON.stringify(document)).toBe(JSON.stringify(journals))
  })

  test('of which some hold no journal name the instances that are missing', async () => {
    const other = await writeTexts('operator.log', FOREIGN)
    const logs = [other, await log(1, (line) => line)]
    const { verdict } = (await mergedRuns(logs, { form: 'log' })).document
    expect(verdict.reasons[0]?.message).toBe('no journal of instance 0 of 2')
  })
})

test('what is no file is refused, for it is read twice', async () => {
  await expect(mergedRuns([base])).rejects.toThrow(/is a folder; expected a regular file/)
})
