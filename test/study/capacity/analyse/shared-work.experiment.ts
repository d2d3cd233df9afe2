/** Crews whose executions share something beside workers, or hide which of them wait. */
import { allText } from '../../../../src/report/frame/report.ts'
import { describe, expect, test } from 'vitest'
import type { Random } from '../../../../src/base/random.ts'
import { learnLoads } from '../../../../src/study/capacity/analyse/learn/learn.ts'
import type { LoadSeen } from '../../../../src/study/capacity/analyse/seen.ts'
import type { TestCrew } from '../crew.ts'
import { put } from '../crew.ts'
import { documentOf } from '../searched.ts'

const SECOND = 1_000_000
const own = (random: Random): number => SECOND * (20 + 20 * random.next())

/** Takes `most` times as long while all four workers are busy as alone. */
function sharing(most: number): TestCrew {
  return {
    slots: 4,
    serviceMicros: (random, busy) => own(random) * (1 + ((most - 1) * (busy - 1)) / 3),
  }
}

describe('a crew of four workers whose executions become slower beside each other', () => {
  test('three times: they share something, and one more worker is bounded', () => {
    const most = 3
    const { binding, limit, oneMoreWorker, capacity, verdict } = documentOf(sharing(most))
    expect(['shared', 'both']).toContain(limit!.kind)
    expect(limit!.slowdown.low).toBeLessThan(most)
    expect(limit!.slowdown.high).toBeGreaterThan(most)
    // A processor that is not yet full looks like one that is: here 17 % or less would be true.
    expect(oneMoreWorker!.high / capacity!.perHour).toBeGreaterThanOrEqual(1)
    expect(oneMoreWorker!.high / capacity!.perHour).toBeLessThan(1.2)
    expect(oneMoreWorker!.low).toBeLessThanOrEqual(capacity!.perHour)
    expect(binding?.why?.message).toContain('executions wait')
    expect(allText(verdict)).toContain('longer while all 4 workers are busy')
  })

  test('not at all: its workers are the limit', () => {
    const { binding, limit, sharedPerHour, oneMoreWorker, capacity } = documentOf(sharing(1))
    expect(binding?.why).toEqual({ code: 'worker', message: 'executions wait for a worker' })
    expect([limit!.kind, sharedPerHour]).toEqual(['workers', null])
    expect(oneMoreWorker!.high).toBeGreaterThan(1.15 * capacity!.perHour)
  })
})

/** As a crew reports it that has more workers than clients, or hides which executions wait. */
function reported(crew: TestCrew, clients: number, executions: number): LoadSeen {
  const seen = put(crew, { kind: 'closed', clients, executions }, clients)
  const told = seen.executions.map((each) =>
    Object.assign({}, each, {
      started: each.accepted,
      tasks: [0.25, 0.75].map((share, i) => ({
        task: `task ${i}`,
        micros: share * (each.ended! - each.started!),
      })),
    }),
  )
  return { ...seen, executions: told, truth: 'reported' }
}

const RUNGS = [
  [1, 20],
  [2, 20],
  [4, 30],
  [8, 40],
  [16, 60],
] as const

describe('times of tasks', () => {
  test.each([1, 3])('contradict no queue for %i workers that is there', (slots) => {
    const crew = { slots, serviceMicros: own }
    const learned = learnLoads(
      RUNGS.map(([clients, executions]) => reported(crew, clients, executions)),
    )
    expect(learned.slots).toBe(slots)
    expect(learned.contradiction).toBeNull()
  })

  test.each([1, 3])('contradict a queue for %i workers that is none', (width) => {
    const crew: TestCrew = {
      slots: 50,
      serviceMicros: (random, busy) => own(random) * Math.max(1, busy / width),
    }
    const learned = learnLoads(
      RUNGS.map(([clients, executions]) => reported(crew, clients, executions)),
    )
    expect(learned.slots).not.toBeNull()
    const { inferredMicros, reportedMicros } = learned.contradiction!
    expect(reportedMicros).toBeGreaterThan(1.25 * inferredMicros)
  })
})

/** More workers than any load here has clients; service times are multiplied by this. */
function large(times: number): TestCrew {
  return { slots: 50, serviceMicros: (random) => times * own(random) }
}

test('a crew of free workers has more than clients, whatever its first executions took by chance', () => {
  // The first four are short, those of the next rung are half as long again.
  const first = [reported(large(0.7), 1, 4), reported(large(1.2), 2, 6)]
  expect(learnLoads(first).slots).toBeNull()
  const later = [reported(large(1.2), 1, 20), reported(large(1.2), 2, 68)]
  expect(learnLoads([...first, ...later]).slots).toBeNull()
  expect(learnLoads([...first, ...later, reported(large(1.2), 4, 10)]).slots).toBeNull()
})
