/**
 * A profile is read with every default filled in; a wrong one names each fault and where it stands.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { profileJsonSchema } from '../../../fake-crew/model/profile.ts'
import { parseProfileText } from '../../../fake-crew/profiles.ts'
import { pinned, pinnedValues, toldMistakes } from '../../support/mistakes.ts'

const TASK = 'tasks: [{ id: a, agent: A, duration: 1s }]'

function told(text: string): string[] {
  return toldMistakes(() => parseProfileText(text, 'busy.yaml'))
}

function taskOf(duration: string, output = '4kB') {
  const [task] = parseProfileText(
    `tasks: [{ id: a, agent: A, duration: ${duration}, output: ${output} }]`,
    'x.yaml',
  ).tasks
  return task!
}

const COLD_STARTS = [
  '',
  'requests: at once',
  'requests: late',
  'requests: refused',
  'requests: refused, refusal: { status: 502, retryAfter: none }',
]
const DURATIONS = [
  '2s',
  '{ constant: 2s }',
  '{ uniform: { min: 0, max: 1m } }',
  '{ lognormal: { median: 1s, p95: 4s } }',
  '{ lognormal: { median: 1s, p95: 4s, cap: 1h } }',
  '{ gamma: { mean: 1s, cv: 0.5 } }',
  '{ quantiles: { 0%: 1s, 50%: 2s, 100%: 9s } }',
]

describe('what is read', () => {
  test('has every default, the name of the file, and each form of a distribution', async () => {
    const starts = COLD_STARTS.map((more) => {
      const coldStart = `capacity: { coldStart: { delay: 2s, idle: 1m, ${more} } }`
      return [
        coldStart,
        parseProfileText(`${TASK}\n${coldStart}`, 'x.yaml').capacity.coldStart,
      ] as const
    })
    const whole = [TASK, parseProfileText(TASK, 'some/folder/busy.yaml')] as const
    const durations = DURATIONS.map((written) => [written, taskOf(written).duration] as const)
    await expect(pinnedValues([whole, ...starts, ...durations])).toMatchFileSnapshot(
      '../../golden/fake-crew/profiles.txt',
    )
  })

  test('sizes take the same shapes in bytes', () => {
    const output = { kind: 'uniform', min: 512, max: 1_048_576 }
    expect(taskOf('1s', '{ uniform: { min: 512, max: 1MiB } }').output).toEqual(output)
  })

  test('words that stand for no limit, and what they replace', () => {
    const none = 'capacity: { workers: unlimited, overLimit: { retryAfter: none } }'
    const some = 'capacity: { queueLimit: 0, overLimit: { status: 429, retryAfter: 2m } }'
    expect(parseProfileText(`${TASK}\n${none}\nretention: forever`, 'x')).toMatchObject({
      capacity: { workers: null, queueLimit: null, overLimit: { retryAfterSeconds: null } },
      retentionMicros: null,
    })
    expect(parseProfileText(`${TASK}\n${some}\nretention: 1d`, 'x')).toMatchObject({
      capacity: { queueLimit: 0, overLimit: { status: 429, retryAfterSeconds: 120 } },
      retentionMicros: 86_400_000_000,
    })
  })

  test('anchors are resolved', () => {
    const text = `tasks:\n  - &t { id: a, agent: A, duration: 1s, output: &o 8kB }\n  - { id: b, agent: A, duration: 1s, output: *o }`
    expect(parseProfileText(text, 'x').tasks[1]?.output).toEqual({ kind: 'constant', value: 8_000 })
  })
})

const WRONG = [
  `name: busy
tasks:
  - id: a
    agent: A
    duration: { lognormal: { median: 60s, p95: 30s, cp: 3h } }
  - id: a
    agent: A
    duration: 60
    failure: { chance: 3 }
speeed: 2
capacity: { workers: 0 }
`,
  '',
  '7',
  'name: x',
  'tasks: []',
  'tasks: [7]',
  'tasks: [',
  'a: 1\na: 2',
  'a: *b',
  `${TASK}\ndialect: both`,
  `${TASK}\nspeed: 0`,
  `${TASK}\nseed: 0.5`,
  `${TASK}\ninputs: [a, a]`,
  `${TASK}\nstuck: 101%`,
  `${TASK}\nretention: long`,
  `${TASK}\nhttp: { pool: { size: 0 } }`,
  `${TASK}\ntokens: { user: { kickoff: yes } }`,
  `${TASK}\ncapacity: { overLimit: { retryAfter: 1.5s } }`,
]
const DISTRIBUTIONS = [
  '{ lognormal: { median: 0, p95: 3s } }',
  '{ lognormal: { median: 3s, p95: 3s } }',
  '{ lognormal: { median: 3s, p95: 4s, cap: 2s } }',
  '{ gamma: { mean: 3s, cv: 0 } }',
  '{ gamma: { mean: 3s, cv: 1, cap: 1s } }',
  '{ uniform: { min: 2s, max: 1s } }',
  '{ quantiles: { 0%: 1s, 90%: 2s } }',
  '{ quantiles: { 0%: 2s, 100%: 1s } }',
  '{ quantiles: { 0%: 1s, p50: 1s, 100%: 1s } }',
  '{ constant: 1s, gamma: { mean: 1s, cv: 1 } }',
  '-3s',
]

describe('what is refused', () => {
  test('is told with its place, every fault at once in the order of the file', async () => {
    const profiles = pinned(WRONG, told)
    await expect(profiles).toMatchFileSnapshot('../../golden/mistakes/profile.txt')
    const distributions = pinned(DISTRIBUTIONS, (written) =>
      told(`tasks: [{ id: a, agent: A, duration: ${written} }]`),
    )
    await expect(distributions).toMatchFileSnapshot('../../golden/mistakes/distribution.txt')
  })

  test('whatever is written, there is a profile or a list of mistakes with their place', () => {
    const keys = fc.constantFrom('tasks', 'capacity', 'http', 'inputs', 'speed', 'more')
    fc.assert(
      fc.property(fc.dictionary(keys, fc.jsonValue({ maxDepth: 2 })), (value) => {
        for (const message of told(stringify(value))) {
          expect(message).toMatch(/^busy\.yaml:\d+:\d+[: ]/)
        }
      }),
      { seed: 1, numRuns: 60 },
    )
  })
})

test('the published JSON Schema accepts and refuses what the parser does', () => {
  const validate = new Ajv2020({ strict: false }).compile(profileJsonSchema())
  const task = { id: 'a', agent: 'A', duration: '1s' }
  expect(validate({ tasks: [task], stuck: '2%', retention: 'forever' })).toBe(true)
  expect(validate({ tasks: [{ ...task, duration: '1 fortnight' }] })).toBe(false)
  expect(validate({ tasks: [task], speeed: 2 })).toBe(false)
})
