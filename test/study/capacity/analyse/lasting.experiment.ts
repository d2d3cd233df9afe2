/** Crews that live on between the loads of a search, and whose workers follow these loads. */
import { allText } from '../../../../src/report/frame/report.ts'
import { expect, test } from 'vitest'
import type { Random } from '../../../../src/base/random.ts'
import type { CapacityDocument } from '../../../../src/study/capacity/document.ts'
import { learnLoads } from '../../../../src/study/capacity/analyse/learn/learn.ts'
import { put } from '../crew.ts'
import { LastingStaff } from '../lasting-staff.ts'
import { documentOf } from '../searched.ts'
import { MEAN_MICROS } from '../systems.ts'

const MINUTE = 60_000_000
const uniform = (random: Random): number => MEAN_MICROS * (0.5 + random.next())

/** One more after `up` minutes, one fewer after `down`; a `pause` is between two loads. */
interface Row {
  from: number
  to: number
  up: number
  down?: number
  pause?: number
  seed?: number
}

function found({ from, to, up, down = 600, pause = 0, seed = 1 }: Row, pollMicros?: number) {
  const minutes = { upAfterMicros: up * MINUTE, downAfterMicros: down * MINUTE }
  const staff = new LastingStaff({ fewest: from, most: to, ...minutes }, pause * MINUTE)
  const crew = { slots: to, serviceMicros: uniform, staff, seed }
  const seenBy = pollMicros === undefined ? {} : { pollMicros }
  const changes = { budget: 3_000, within: 0.1, simulated: 20_000 }
  return { staff, document: documentOf({ ...crew, ...seenBy }, changes) }
}

function isAnsweredFor({ from, to }: Row, document: CapacityDocument): void {
  const { verdict, model, scaling, capacity } = document
  expect([verdict.outcome, model!.slots.value]).toEqual(['answered', to])
  expect(scaling).toMatchObject({ from, to, stands: true })
  // Each worker finishes one a minute.
  expect(capacity!.perHour / (60 * to)).toBeGreaterThan(0.8)
  expect(capacity!.perHour / (60 * to)).toBeLessThan(1)
  expect(allText(verdict)).toContain(`as scaled: it grew from ${from} to ${to} workers in `)
}

/** The crew is without work between loads, so that it begins again to count the time of a wait. */
const GROWING: [string, Row][] = [
  ['in one step', { from: 2, to: 3, up: 4 }],
  ['in two steps, each longer than the first loads', { from: 1, to: 3, up: 10 }],
  ['in three steps over several loads', { from: 2, to: 5, up: 3 }],
  ['in four steps of eight workers', { from: 8, to: 12, up: 3, seed: 2 }],
]

test.each(GROWING)('a crew that grows %s is answered as scaled, by its ledger', (_, row) => {
  const { document, staff } = found(row)
  isAnsweredFor(row, document)
  const waited = staff.waitedUntil.get(row.to)! / MINUTE
  expect(waited).toBeGreaterThanOrEqual((row.to - row.from) * row.up * 0.9)
  expect(document.scaling!.tookMs / 60_000).toBeCloseTo(waited, 1)
})

test.each(GROWING)('a crew that grows %s is answered as scaled, by polls', (_, row) => {
  const { document, staff } = found(row, 10_000_000)
  isAnsweredFor(row, document)
  const waited = staff.waitedUntil.get(row.to)! / MINUTE
  expect(document.scaling!.tookMs / 60_000 / waited).toBeGreaterThan(0.75)
  expect(document.scaling!.tookMs / 60_000 / waited).toBeLessThan(1.3)
})

test.each<[string, Row]>([
  ['two', { from: 2, to: 4, up: 3, down: 2, pause: 10 }],
  ['three', { from: 3, to: 6, up: 2, down: 3, pause: 10, seed: 2 }],
])('a crew that shrinks between loads takes %s steps each time, and not their sum', (_, row) => {
  for (const pollMicros of [undefined, 10_000_000]) {
    const { scaling } = found(row, pollMicros).document
    expect(scaling).toMatchObject({ from: row.from, to: row.to, stands: true })
    const each = (row.to - row.from) * row.up
    expect(scaling!.tookMs / 60_000 / each).toBeGreaterThan(0.9)
    expect(scaling!.tookMs / 60_000 / each).toBeLessThan(1.1)
  }
})

test('a growth that never came is not told: the answer is for the workers that were seen', () => {
  const { document, staff } = found({ from: 3, to: 6, up: 45 })
  expect(staff.waitedUntil.size).toBe(0)
  expect([document.verdict.outcome, document.scaling, document.model!.slots.value]).toEqual([
    'answered',
    null,
    3,
  ])
})

function ran(slots: number, clients: number, executions: number, lasts: boolean, run: number) {
  const seen = put({ slots, serviceMicros: uniform }, { kind: 'closed', clients, executions }, run)
  return lasts ? { ...seen, lasts: true as const } : seen
}

test('what a recorded run of another day shows is no beginning of a growth', () => {
  // A single client tells nothing of workers: it neither ends a growth nor begins one.
  const loads = [ran(4, 10, 60, false, 1), ran(6, 1, 2, true, 2), ran(6, 15, 90, true, 3)]
  expect(learnLoads(loads).scaling).toBeNull()
})
