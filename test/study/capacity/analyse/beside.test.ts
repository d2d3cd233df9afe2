/** What is told of a crew beside its queue: limiters, failures, cold starts, drift. */
import { expect, test } from 'vitest'
import type { Random } from '../../../../src/base/random.ts'
import { causesOf } from '../../../../src/study/capacity/analyse/causes.ts'
import { findingsOf } from '../../../../src/study/capacity/analyse/findings.ts'
import { learn } from '../../../../src/study/capacity/analyse/learn/learn.ts'
import type { LoadSeen } from '../../../../src/study/capacity/analyse/learn/seen.ts'
import type { TestCrew } from '../crew.ts'
import { put } from '../crew.ts'
import { MEAN_MICROS } from '../systems.ts'

const serviceMicros = (random: Random): number => MEAN_MICROS * (0.5 + random.next())

/** Two workers of eight busy, then all of them. */
function loadsOf(crew: TestCrew): LoadSeen[] {
  return [
    put(crew, { kind: 'closed', clients: 2, executions: 100 }, 1),
    put(crew, { kind: 'closed', clients: 12, executions: 400 }, 2),
  ]
}

function messagesOf(loads: readonly LoadSeen[]): string[] {
  const learned = learn(loads)
  return [...findingsOf(learned), ...causesOf(learned)].map(({ message }) => message)
}

test('nothing is told of a crew that is nothing but a queue', () => {
  expect(messagesOf(loadsOf({ slots: 8, serviceMicros }))).toEqual([])
})

test('a limiter in front of it hands over to the study of limits', () => {
  const [message] = messagesOf(loadsOf({ slots: 8, serviceMicros, perHour: 60 }))
  expect(message).toMatch(/^\d+ kickoffs of 500 met a 429 or 503.*Run crewload limits/)
})

test('a full queue is no limiter', () => {
  expect(messagesOf(loadsOf({ slots: 8, serviceMicros, queueLimit: 2 }))).toEqual([])
})

test('failures that grow with load', () => {
  const [free, full] = loadsOf({ slots: 8, serviceMicros })
  full!.executions.forEach((each, i) => {
    if (i % 4 === 0) each.outcome = 'failed'
  })
  expect(messagesOf([free!, full!])).toEqual([
    expect.stringMatching(/^Failures grow with load: 0 % .* and 2\d\.\d % while all are busy$/),
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
      /^Task "search" takes (49|50|51)[.\d]* % longer while every worker is busy: 19\.\d s on average, and 1[23]\.\d s while at most half of them are$/,
    ),
  ])
})

test('a crew that takes time to wake', () => {
  const loads = loadsOf({ slots: 8, serviceMicros })
  for (const { executions } of loads) executions[0]!.accepted! -= 20_000_000
  expect(messagesOf(loads)).toEqual([expect.stringMatching(/idle takes up to 20\.0 s to begin/)])
})

test('a crew that drifts', () => {
  let calls = 0
  const slower = (random: Random): number => serviceMicros(random) * (1 + calls++ / 500)
  expect(messagesOf(loadsOf({ slots: 8, serviceMicros: slower }))).toEqual([
    expect.stringMatching(/longer from the first half of the search to the second/),
  ])
})

test('executions that never end', () => {
  const loads = loadsOf({ slots: 8, serviceMicros })
  loads[0]!.executions[3]!.ended = null
  expect(messagesOf(loads)).toEqual([
    expect.stringMatching(/^0\.2\d\d? % of the executions that began were not seen to end/),
  ])
})
