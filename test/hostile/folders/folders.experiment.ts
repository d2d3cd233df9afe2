/**
 * A file of a folder may be damaged in any way: a command that reads the folder ends in time with a
 * documented exit code, and either says which file is damaged, or answers as if it were sound.
 */
import { cp, mkdtemp, readdir } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FakeCrew } from 'crewload/fake-crew'
import { startFakeCrew } from 'crewload/fake-crew'
import { createRandom } from '../../../src/base/random.ts'
import type { Finished } from '../../support/cli.ts'
import { cli, temporaryFolder } from '../../support/cli.ts'
import type { Reading } from './commands.ts'
import { READINGS } from './commands.ts'
import type { Damage } from './damages.ts'
import { DAMAGES } from './damages.ts'
import type { Samples } from './samples.ts'
import { makeSamples } from './samples.ts'

/** Set to look at every case of the product, which takes some minutes. */
const IS_WHOLE = process.env['CREWLOAD_SWEEP'] === 'whole'
const CASES = 160
const WITHIN_MS = 10_000
const DOCUMENTED: ReadonlySet<number | null> = new Set([0, 1, 2, 3, 4, 5])

const root = await temporaryFolder()
afterAll(async () => root[Symbol.asyncDispose]())
let crew: FakeCrew
let samples: Samples
beforeAll(async () => {
  crew = await startFakeCrew({ profile: 'fast', speed: 60 })
  samples = await makeSamples(root.path, crew)
})
afterAll(async () => crew.stop())

interface Case {
  reading: Reading
  /** Relative to the folder. */
  file: string
  damage: Damage
}

async function filesOf(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  return found
    .filter((entry) => entry.isFile() && !/\.(md|html|xml|hlog)$/.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort()
}

async function allCases(): Promise<Case[]> {
  const cases: Case[] = []
  for (const reading of READINGS) {
    const files = await filesOf(samples[reading.of])
    for (const file of files.filter((name) => reading.only?.includes(name) ?? true)) {
      for (const damage of DAMAGES) cases.push({ reading, file, damage })
    }
  }
  return cases
}

interface Ended extends Finished {
  /** What it answers, without what differs from call to call. */
  answer: string
}

async function carry(reading: Reading, damaged: string): Promise<Ended> {
  const out = join(damaged, '..', 'out')
  const [command = '', ...others] = reading.words(damaged, out, samples)
  const words =
    command === 'report' ? [command, ...others, '--json'] : [command, '--json', ...others]
  const ended = await cli(words, {
    withinMs: WITHIN_MS,
    env: { CREWLOAD_TOKEN: crew.token },
  })
  const { isTimed = false } = reading
  const answer = isTimed ? '' : answerOf(ended.stdout.replaceAll(dirname(damaged), ''))
  return { ...ended, answer: `${ended.code} ${answer}` }
}

/** What differs from call to call. */
const OF_THE_CALL: ReadonlySet<string> = new Set(['id', 'startedAt', 'durationMs', 'command'])

function answerOf(stdout: string): string {
  try {
    return JSON.stringify(JSON.parse(stdout), (key, value: unknown) =>
      OF_THE_CALL.has(key) ? undefined : value,
    )
  } catch {
    return stdout
  }
}

async function copyOf(folder: string): Promise<string> {
  const place = join(await mkdtemp(join(root.path, 'case-')), basename(folder))
  await cp(folder, place, { recursive: true })
  return place
}

const sound = new Map<Reading, Promise<string>>()

async function soundAnswer(reading: Reading): Promise<string> {
  const known = sound.get(reading)
  if (known !== undefined) return known
  const asked = copyOf(samples[reading.of]).then(async (copy) => {
    const { answer } = await carry(reading, copy)
    return answer
  })
  sound.set(reading, asked)
  return asked
}

/** Some need not be there, and without them nobody can tell that they were. */
const OPTIONAL = /^(?:result|run|study|baseline|run-\d+|polling|limits|gate)\.json$/

function isUnseen(file: string, { name }: Damage): boolean {
  if (name === 'deleted') return OPTIONAL.test(basename(file))
  // What is left is a history of fewer gates.
  const isShorter = name === 'empty' || name === 'without a line' || name === 'cut behind a line'
  return isShorter && file === 'history.ndjson'
}

/** Without the name of the file: a history is all that its command reads, and a run's record. */
const SAYS_SO = /of the file could not be read as a gate|"code": ?"(?:records|journal)"/
const SAYS_CUT = /\bcut\b|too few|has no run line/

/** What is wrong with how the command ended; null when nothing is. */
async function wrongWith({ reading, file, damage }: Case, number: number): Promise<string | null> {
  const copy = await copyOf(samples[reading.of])
  const left = await damage.make(join(copy, file), createRandom(number))
  if (left === 'same') return null
  const expected = await soundAnswer(reading)
  let ended: Ended
  try {
    ended = await carry(reading, copy)
  } catch (error) {
    return (error as Error).message
  }
  const { code, stderr, stdout, answer } = ended
  if (!DOCUMENTED.has(code)) return `exit code ${code}: ${stderr}`
  if (damage.mayBeSound === true || isUnseen(file, damage)) return null
  if (answer === expected && (reading.demands !== file || damage.name === 'without a line'))
    return null
  const said = `${stderr}${stdout}`
  if (said.includes(basename(file)) || SAYS_SO.test(said)) return null
  if (left === 'cut' && SAYS_CUT.test(said)) return null
  return `exit code ${code} does not name the file: ${stderr}`
}

/** Studies learn from lines. */
function weightOf(file: string): number {
  return file.endsWith('.ndjson') ? 1.5 : 0.5
}

test(
  'a damaged file is named, or its damage changes nothing',
  async () => {
    const all = await allCases()
    const random = createRandom(IS_WHOLE ? 1 : 20_261_126)
    const cases = all.filter(
      ({ file }) => IS_WHOLE || random.next() < (weightOf(file) * CASES) / all.length,
    )
    const wrong: string[] = []
    for (const [number, each] of cases.entries()) {
      const problem = await wrongWith(each, number)
      const { reading, file, damage } = each
      if (problem !== null) wrong.push(`${reading.name}: ${file} ${damage.name}: ${problem}`)
    }
    process.stdout.write(
      `${cases.length} of ${all.length} damaged folders, ${wrong.length} wrong\n`,
    )
    expect(wrong).toEqual([])
  },
  IS_WHOLE ? 3_600_000 : 180_000,
)
