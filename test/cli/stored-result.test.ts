/** A stored result that is damaged is a mistake of the user, whoever reads it, and never a crash. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { run } from 'crewload/run'
import { UserError } from '../../src/base/mistakes.ts'
import { explanationIn, verdictIn } from '../../src/cli/mcp/documents.ts'
import { keptResult, resultDocument } from '../../src/result/document.ts'
import { conducting as comparing } from '../../src/study/comparing/comparison/conduct.ts'
import { conductStudy } from '../../src/study/frame/conduct/conduct.ts'
import { Library } from '../../src/ui/library.ts'
import type { Finished } from '../support/cli.ts'
import { cli } from '../support/cli.ts'
import { sharedFolder } from '../support/shared-folder.ts'

type Json = Record<string, unknown>

const path = sharedFolder()
let sound: Json
let folder: string

beforeAll(async () => {
  const options = { profile: 'fast', engine: 'virtual', seed: 1, out: path('runs') } as const
  folder = (await run('smoke', options)).folder!
  sound = JSON.parse(await readFile('reports/example/result.json', 'utf8')) as Json
  await writeFile(
    path('sound.json'),
    JSON.stringify({ ...sound, run: { ...ranIn(sound), id: 'a' } }),
  )
})

const ranIn = (result: Json): Json => result['run'] as Json

const without = (result: Json, member: string): Json => {
  const { [member]: _, ...others } = result
  return others
}

/** Some are sound values of some members. */
const OTHERS: readonly unknown[] = [7, null, [], {}]

interface Damaged {
  name: string
  result: Json
}

/** The result without each of its members, and with another value of it. */
const damagedOf = (result: Json): Damaged[] => {
  const members = Object.keys(result)
  const others = members.flatMap((member) =>
    OTHERS.map((other) => ({
      name: `${member} is ${JSON.stringify(other)}`,
      result: { ...result, [member]: other },
    })),
  )
  const less = members.map((member) => ({
    name: `without ${member}`,
    result: without(result, member),
  }))
  return [...less, ...others]
}

/** Null for what was read, or else the mistakes; throws what is no mistake. */
const mistakesOf = async (reading: Promise<unknown>): Promise<string | null> => {
  try {
    await reading
    return null
  } catch (error) {
    if (error instanceof UserError) return error.message
    throw error
  }
}

type End = 'read' | 'its fault is named'

const ending = (isSound: boolean): End => (isSound ? 'read' : 'its fault is named')

/** Of mistakes, or of none. */
const endOf = (told: string | null): string =>
  told === null || NAMED.test(told) ? ending(told === null) : told
const NAMED = /\.json \w+.*: (?:the file is damaged|this version of crewload reads)/

let written = 0
const compared = async (damaged: Json): Promise<string | null> => {
  const file = path(`${written++}.json`)
  await writeFile(file, JSON.stringify(damaged))
  const options = { base: [path('sound.json')], new: [file], out: false } as const
  return mistakesOf(conductStudy(comparing, options))
}

/** The folder of a run as `ui` and `mcp` need it. */
const kept = async (name: string, result: Json): Promise<string> => {
  const own = path('kept', name)
  await mkdir(own, { recursive: true })
  await writeFile(join(own, 'executions.ndjson'), '')
  await writeFile(join(own, 'result.json'), JSON.stringify(result))
  return own
}

describe('any member of a result that is missing, or is something else', () => {
  test('is named by compare, or is not needed', async () => {
    for (const { name, result } of damagedOf(sound)) {
      const isSound = keptResult.safeParse(result).success
      expect({ name, ends: endOf(await compared(result)) }).toEqual({ name, ends: ending(isSound) })
    }
  })

  test('is named by mcp, and by the list of ui', async () => {
    const cases = damagedOf(sound).map(({ name, result }) => {
      return { name, result, ends: ending(resultDocument.safeParse(result).success) }
    })
    for (const [i, { name, result, ends }] of cases.entries()) {
      const own = await kept(String(i), result)
      for (const reading of [verdictIn, explanationIn]) {
        expect({ name, ends: endOf(await mistakesOf(reading(own))) }).toEqual({ name, ends })
      }
    }
    for (const { id, verdict, cause } of await new Library(path('kept')).entries()) {
      const { name, ends } = cases[Number(id)]!
      const found = verdict === 'UNREADABLE' ? endOf(cause) : verdict
      expect({ name, found }).toEqual({ name, found: ends === 'read' ? 'PASSED' : ends })
    }
    await rm(path('kept'), { recursive: true })
  })

  test('is not needed by what reads the journal, or is named', async () => {
    const file = join(folder, 'result.json')
    const result = JSON.parse(await readFile(file, 'utf8')) as Json
    const out = ['--out', path('out')]
    const commands = [
      ['polling', folder, ...out],
      ['twin', folder, '--reports', path('out'), '--replays', '0'],
      ['limits', '--from', folder, ...out],
      ['capacity', 'smoke', '--slo', 'execution.p90 < 60s', '--from', folder, '--dry-run'],
      ['lab', folder, '--out', path('lab.html')],
    ]
    // Each writes a folder of its own.
    const answerOf = ({ code, stdout }: Finished): unknown => [code, stdout.split(path('out'))[0]]
    const needed = Object.keys(keptResult.shape)
    const other = Object.fromEntries(needed.map((member) => [member, result[member]]))
    for (const words of commands) {
      await writeFile(file, JSON.stringify(result))
      const whole = await cli(words)
      expect({ words, isRead: whole.code !== 2 }).toEqual({ words, isRead: true })
      await writeFile(file, JSON.stringify(other))
      expect(answerOf(await cli(words))).toEqual(answerOf(whole))
      for (const member of needed) {
        await writeFile(file, JSON.stringify(without(result, member)))
        const refused = await cli(words)
        expect({ words, member, ...refused }).toMatchObject({ code: 2 })
        expect(refused.stderr).toContain(`${file} ${member}: the file is damaged: `)
      }
    }
    await writeFile(file, JSON.stringify(result))
  })
})

test('every fault of a result is named with its place', async () => {
  const damaged = without(without(without(without(sound, 'tags'), 'plan'), 'metrics'), 'arrivals')
  const file = path('damaged.json')
  await writeFile(file, JSON.stringify({ ...damaged, run: { ...ranIn(sound), seed: 'x' } }))
  const { code, stderr } = await cli(['compare', file, '--', file])
  expect(code).toBe(2)
  for (const place of ['tags', 'plan', 'metrics', 'arrivals', 'run.seed']) {
    expect(stderr).toContain(`damaged.json ${place}: the file is damaged: `)
  }
})

test('of a mix, the damaged part is named', async () => {
  const parts = [{ part: 'quiet', result: without(sound, 'tags') }]
  await mkdir(path('mix'))
  await writeFile(path('mix', 'result.json'), JSON.stringify({ schema: 'crewload/mix/1', parts }))
  const { code, stderr } = await cli(['compare', path('mix', 'quiet'), '--', path('sound.json')])
  expect([code, stderr]).toEqual([2, expect.stringContaining('result.json parts[0].result.tags: ')])
})

/** Every place of the value. */
const placesIn = (value: unknown, above: readonly string[] = []): (readonly string[])[] =>
  typeof value !== 'object' || value === null
    ? [above]
    : [above, ...Object.entries(value).flatMap(([key, each]) => placesIn(each, [...above, key]))]

const withOther = (value: unknown, [key, ...below]: readonly string[], other: unknown): unknown => {
  if (key === undefined) return other
  const changed = withOther((value as Json)[key], below, other)
  return Array.isArray(value)
    ? value.with(Number(key), changed)
    : { ...(value as Json), [key]: changed }
}

test('any value within a result may be another: compare never crashes', async () => {
  const needed = Object.fromEntries(Object.keys(keptResult.shape).map((key) => [key, sound[key]]))
  const places = fc.constantFrom(...placesIn(needed))
  await fc.assert(
    fc.asyncProperty(
      places,
      fc.constantFrom(...OTHERS, 'text', true, -1, 1e300),
      async (place, other) => {
        const told = await compared(withOther(needed, place, other) as Json)
        expect(told ?? 'damaged').toMatch(/damaged|this version|no run has|different|same run/)
      },
    ),
    { seed: 38, numRuns: 100 },
  )
})
