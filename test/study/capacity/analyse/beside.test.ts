/** What is told of a crew beside its queue: limiters, failures, cold starts, drift. */
import { describe, expect, test } from 'vitest'
import type { Random } from '../../../../src/base/random.ts'
import {
  isSurelyLimited,
  kickoffRefusals,
} from '../../../../src/study/capacity/analyse/learn/besides-queue.ts'
import { learnLoads } from '../../../../src/study/capacity/analyse/learn/learn.ts'
import type { LoadSeen } from '../../../../src/study/capacity/analyse/seen.ts'
import type { TestCrew } from '../crew.ts'
import { put } from '../crew.ts'
import { causesIn, documentOfRuns, searched } from '../searched.ts'
import { MEAN_MICROS } from '../systems.ts'

const serviceMicros = (random: Random): number => MEAN_MICROS * (0.5 + random.next())

const LIMITED: TestCrew = { slots: 8, serviceMicros, perHour: 60 }

/** Two workers of eight busy, then all of them. */
function loadsOf(crew: TestCrew): LoadSeen[] {
  return [
    put(crew, { kind: 'closed', clients: 2, executions: 100 }, 1),
    put(crew, { kind: 'closed', clients: 12, executions: 400 }, 2),
  ]
}

function messagesOf(loads: readonly LoadSeen[]): string[] {
  const document = documentOfRuns(loads)
  const told = new Set([...document.findings, ...causesIn(document)])
  return [...told].map(({ message }) => message)
}

test.each([
  ['is nothing but a queue', {}],
  ['has a full queue, which is no limiter', { queueLimit: 2 }],
])('nothing is told of a crew that %s', (_, more) => {
  expect(messagesOf(loadsOf({ slots: 8, serviceMicros, ...more }))).toEqual([])
})

test('a limiter in front of it hands over to the study of limits', () => {
  const { verdict, findings } = documentOfRuns(loadsOf(LIMITED))
  expect([verdict.outcome, findings]).toEqual(['refused', []])
  expect(verdict.reasons[0]).toEqual({
    code: 'limiter',
    message: expect.stringMatching(/answered \d+ of 500 kickoffs with a refusal or 503/) as string,
    refused: expect.any(Number) as number,
    kickoffs: 500,
    remedy: expect.stringContaining('crewload limits --max-kickoffs') as string,
  })
})

describe('no further load is needed to tell a limiter', () => {
  const steady = { kind: 'closed', clients: 12, executions: 200 } as const
  const atOnce = { kind: 'closed', clients: 100, executions: 100 } as const

  test('where clients are refused that come one after the other, and the crew has room', () => {
    expect(isSurelyLimited(learnLoads([put(LIMITED, steady, 1)]))).toBe(true)
  })

  test.each([
    ['a crew whose queue is full', { slots: 8, serviceMicros, queueLimit: 2 }, steady],
    ['a crew without a queue', { slots: 8, serviceMicros, queueLimit: 0 }, steady],
    ['clients that all come at once', LIMITED, atOnce],
    ['few refusals', LIMITED, { ...steady, executions: 70 }],
  ])('but not where that are %s', (_, crew, load) => {
    const loads = [put(crew, load, 1), put(crew, load, 2)]
    expect(loads[0]!.executions.some(({ refusals }) => refusals.length > 0)).toBe(true)
    expect(isSurelyLimited(learnLoads(loads))).toBe(false)
  })
})

test('a search ends as soon as a limiter is sure', () => {
  const found = searched(LIMITED)
  const { kickoffs, isLimited } = kickoffRefusals(found.learned)
  expect(isLimited).toBe(true)
  expect(kickoffs).toBeLessThan(300)
})

test('failures that grow with load', () => {
  const [free, full] = loadsOf({ slots: 8, serviceMicros })
  full!.executions.forEach((each, i) => {
    if (i % 4 === 0) each.outcome = 'failed'
  })
  expect(messagesOf([free!, full!])).toEqual([
    expect.stringMatching(
      /^Failures grow with load: 0 % .* and 2\d\.\d % while all are busy\. Find/,
    ),
  ])
})

test('tasks that become slower while the crew is full', () => {
  const loads = loadsOf({ slots: 8, serviceMicros })
  loads.forEach(({ executions }, full) => {
    executions.forEach((each, i) => {
      const search = 10_000_000 + (i % 7) * 1_000_000
      each.tasks = [
        { task: 'search', micros: full === 1 ? 1.5 * search : search },
        { task: 'write', micros: 5_000_000 + (i % 5) * 1_000_000 },
      ]
    })
  })
  expect(messagesOf(loads)).toEqual([
    expect.stringMatching(
      /^In a full crew, task "search" takes (49|50|51)[.\d]* % longer: 19\.\d s on average, and 1[23]\.\d s in a half-empty one$/,
    ),
  ])
})

test('a crew that takes time to wake', () => {
  const loads = loadsOf({ slots: 8, serviceMicros })
  for (const { executions } of loads) executions[0]!.accepted! -= 20_000_000
  expect(messagesOf(loads)).toEqual([
    expect.stringMatching(/^An idle crew takes up to 20\.0 s to begin/),
  ])
})

test('error texts that speak of a quota are a hint, in quotes', () => {
  const [free, full] = loadsOf({ slots: 8, serviceMicros })
  for (const [i, each] of full!.executions.entries()) {
    if (i % 10 === 0) Object.assign(each, { outcome: 'failed', failure: 'The tool answered 500' })
    if (i % 40 !== 0) continue
    each.failure = `Error code: 429 - Request req_${i}a: limit of 10000 requests per day`
  }
  const [executions, failed] = [40, 10].map((part) => Math.ceil(full!.executions.length / part))
  expect(messagesOf([free!, full!])).toContainEqual(
    expect.stringContaining(
      `${executions} of ${failed} failed executions mention a quota that crewload did not measure: "Error ` +
        'code: 429 - Request req_0a: limit of 10000 requests per day". Look at the usage page',
    ),
  )
})

test('other error texts are no hint', () => {
  const loads = loadsOf({ slots: 8, serviceMicros })
  const failure = 'Error code: 500 - the corporate limits were elaborated after 4290 ms'
  for (const each of loads[1]!.executions.slice(0, 9)) {
    Object.assign(each, { outcome: 'failed', failure })
  }
  expect(messagesOf(loads)).toEqual([])
})

test('executions that never end', () => {
  const loads = loadsOf({ slots: 8, serviceMicros })
  loads[0]!.executions[3]!.ended = null
  expect(messagesOf(loads)).toEqual([
    expect.stringMatching(/^0\.2\d\d? % of the executions that began were not seen to end/),
  ])
})
