/** The shipped profiles are found, and behave as the figures that they cite. */
import { parseDocument } from 'yaml'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { Profile } from '../../../fake-crew/model/profile.ts'
import { listProfiles, loadProfile } from '../../../fake-crew/profiles.ts'
import { draw } from '../../../src/base/distribution.ts'
import { UserError } from '../../../src/base/mistakes.ts'
import { createRandom } from '../../../src/base/random.ts'
import { MICROS_PER_SECOND } from '../../../src/base/units.ts'

const MINUTE = 60 * MICROS_PER_SECOND
const root = fileURLToPath(new URL('../../..', import.meta.url))
const SHIPPED = [
  'chaos',
  'cold-start',
  'default',
  'fast',
  'flaky',
  'metastable',
  'rate-limited',
  'slow-report',
  'travel-planner',
]

/** Seconds that executions without a failure take, in rising order. */
function sampleSeconds({ tasks }: Profile, count: number): number[] {
  const random = createRandom(1)
  const total = (n: number): number => {
    const execution = random.fork('execution', n)
    return tasks.reduce((sum, { duration }, i) => sum + draw(duration, execution.fork('', i)), 0)
  }
  return Array.from({ length: count }, (_, n) => total(n) / MICROS_PER_SECOND).sort((a, b) => a - b)
}

function failureShare({ tasks }: Profile): number {
  return 1 - tasks.reduce((share, { failure }) => share * (1 - failure.chance), 1)
}

test('all of them are listed', () => {
  expect(listProfiles()).toEqual(SHIPPED)
})

describe.each(SHIPPED)('%s', (name) => {
  const file = `${root}fake-crew/profiles/${name}.yaml`

  test('loads by its name, which is its own', () => {
    expect(loadProfile(name)).toMatchObject({ name, speed: 1, dialect: 'interface' })
  })

  test('reads the same where off and on are truth values', () => {
    const text = readFileSync(file, 'utf8')
    expect(parseDocument(text, { version: '1.1' }).toJS()).toEqual(parseDocument(text).toJS())
  })

  test('tells editors where its schema is', () => {
    const [line] = readFileSync(file, 'utf8').split('\n')
    expect(line).toBe('# yaml-language-server: $schema=../../schemas/profile.schema.json')
    expect(existsSync(`${root}schemas/profile.schema.json`)).toBe(true)
  })
})

describe('figures of the whole crew', () => {
  const COUNT = 20_000

  test.each([
    ['default', 60, 210],
    ['travel-planner', 108, 166],
    ['slow-report', 1_810, 2_440],
  ])('%s: median %d s, p95 %d s', (name, median, p95) => {
    const seconds = sampleSeconds(loadProfile(name), COUNT)
    expect(Math.abs(seconds[COUNT * 0.5]! / median - 1)).toBeLessThan(0.02)
    expect(Math.abs(seconds[COUNT * 0.95]! / p95 - 1)).toBeLessThan(0.04)
  })

  test('default fails in 2 % and has 10 workers', () => {
    const profile = loadProfile('default')
    expect(failureShare(profile)).toBeCloseTo(0.02, 3)
    expect(profile.capacity).toMatchObject({ workers: 10, queueLimit: null, coldStart: null })
  })

  test('default writes 4 kB in the median and 64 kB at p99', () => {
    const [{ output } = { output: undefined }] = loadProfile('default').tasks
    const random = createRandom(2)
    const sizes = Array.from({ length: COUNT }, () => draw(output!, random)).sort((a, b) => a - b)
    expect(Math.abs(sizes[COUNT * 0.5]! / 4_000 - 1)).toBeLessThan(0.05)
    expect(Math.abs(sizes[COUNT * 0.99]! / 64_000 - 1)).toBeLessThan(0.1)
  })

  test('fast takes 100 to 400 ms a task and never fails', () => {
    const profile = loadProfile('fast')
    expect(failureShare(profile)).toBe(0)
    for (const { duration } of profile.tasks) {
      expect(duration).toEqual({ kind: 'uniform', min: 100_000, max: 400_000 })
    }
  })

  test('cold-start is default but for its sleep', () => {
    const { capacity, ...rest } = loadProfile('cold-start')
    const base = loadProfile('default')
    expect(rest).toMatchObject({ tasks: base.tasks, http: base.http, inputs: base.inputs })
    expect(capacity.coldStart?.idleMicros).toBe(300 * MICROS_PER_SECOND)
  })
})

test('rate-limited: 600 kickoffs and 3,000 polls a minute for each token, else as default', () => {
  const { limits, tasks, http } = loadProfile('rate-limited')
  const base = loadProfile('default')
  expect({ tasks, http }).toEqual({ tasks: base.tasks, http: base.http })
  expect(limits.rules).toMatchObject([
    { operations: ['kickoff'], per: 'token', algorithm: { limit: 600, windowMicros: MINUTE } },
    { operations: ['status'], per: 'token', algorithm: { limit: 3_000, windowMicros: MINUTE } },
  ])
})

describe('a profile that is not there', () => {
  test('an unknown name gets the nearest one and the list', () => {
    expect(() => loadProfile('defualt')).toThrow(
      new UserError({
        source: 'profile',
        path: '',
        problem: `not a shipped profile (${SHIPPED.join(', ')}), a YAML file, nor the text of one`,
        found: '"defualt"',
        nearest: 'default',
      }),
    )
  })

  test('a file that does not exist is named', () => {
    for (const file of ['./none.yaml', 'C:\\none.yaml', 'none: at all.yml', 'C:\\none']) {
      expect(() => loadProfile(file)).toThrow(`${file}: there is no such file`)
    }
  })

  test('a folder is no file', () => {
    expect(() => loadProfile(`${root}schemas/`)).toThrow('cannot be read: EISDIR')
  })
})

test('who loads a profile owns it: what is changed there is not seen by the next', () => {
  const mine = loadProfile('fast')
  mine.tasks[0]!.id = 'changed'
  expect(loadProfile('fast').tasks[0]!.id).not.toBe('changed')
})
