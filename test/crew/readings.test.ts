/** Status answers that repeat are read once. */
import { expect, test } from 'vitest'
import type { Answer } from '../../src/crew/answer.ts'
import type { StatusObservation } from '../../src/crew/observation.ts'
import { readStatus } from '../../src/crew/read.ts'
import { StatusReader } from '../../src/crew/status-reader.ts'
import { answer, COMPLETED, PLATFORM, RUNNING, TIMED_OUT } from './support.ts'

function running(completed: number, task = 'write'): object {
  const progress = { completed_tasks: completed, total_tasks: 1_000_000 }
  return { status: 'running', current_task: task, progress }
}

function valued(json: object): Answer {
  return { ...answer(''), json } as Answer
}

function kept(readings: StatusReader): StatusObservation {
  return readings.read(answer(running(-1)))
}

/** Whether the second of two such answers is told by the first. */
function isReadOnce(of: () => ReturnType<typeof answer>): boolean {
  const readings = new StatusReader()
  const first = readings.read(of())
  const second = readings.read(of())
  expect(second).toEqual(first)
  expect({ ...second, interned: false }).toEqual(readStatus(of()))
  expect(second.interned).toBe(second === first)
  return second === first
}

test('an answer of an execution in progress is read once, in both dialects', () => {
  expect(isReadOnce(() => answer(RUNNING))).toBe(true)
  expect(isReadOnce(() => answer(PLATFORM))).toBe(true)
})

test('a value that the host has instead of a text is known by its identity', () => {
  const json = running(1)
  expect(isReadOnce(() => valued(json))).toBe(true)
  const readings = new StatusReader()
  expect(readings.read(valued(json))).not.toBe(readings.read(valued({ ...json })))
})

test.each<[string, () => ReturnType<typeof answer>]>([
  ['an end', () => answer(COMPLETED)],
  ['a failure', () => TIMED_OUT],
  ['another status code', () => answer(RUNNING, 202)],
  ['another type of content', () => answer(RUNNING, 200, { 'content-type': 'text/plain' })],
  ['no type of content', () => answer(RUNNING, 200, {})],
  ['a text that is not JSON', () => answer('running')],
  ['a long body', () => answer(running(1, 'x'.repeat(1_000)))],
])('%s is read each time', (_, of) => {
  expect(isReadOnce(of)).toBe(false)
})

test('a value that is a text is not taken for a body of that text', () => {
  const readings = new StatusReader()
  expect(readings.read(answer(RUNNING)).phase).toBe('running')
  const told = { ...answer(''), json: JSON.stringify(RUNNING) }
  expect(readings.read(told).phase).toBe('unreadable')
})

test('readings are kept up to a number, and not at all for bodies that never repeat', () => {
  const repeating = new StatusReader()
  const alone = new StatusReader()
  for (let i = 0; i < 5_000; i++) {
    alone.read(answer(running(i)))
    repeating.read(answer(running(i)))
    expect(repeating.read(answer(running(i))).interned).toBe(true)
  }
  expect(kept(repeating)).toBe(kept(repeating))
  expect(kept(alone)).not.toBe(kept(alone))
  expect(kept(alone).interned).toBe(false)
})
