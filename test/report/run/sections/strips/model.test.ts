import { describe, expect, test } from 'vitest'
import { readStrip } from '../../../../../src/report/run/sections/strips/model.ts'
import { steadyDocument } from '../../sample-document.ts'
import { runFile } from '../../../../support/run-shown.ts'

/** Completed and failed, some after a wait. */
const { samples } = steadyDocument()

describe('with a ledger', () => {
  test('tasks fill the time from the worker to the true end', () => {
    for (const sample of samples) {
      const { tasks, trueEndMs } = readStrip(sample)
      const ends = tasks.slice(0, -1).map(({ toMs }) => toMs)
      expect(tasks.slice(1).map(({ fromMs }) => fromMs)).toEqual(ends)
      expect(tasks.at(-1)?.toMs).toBeCloseTo(trueEndMs ?? -1, -1)
    }
  })

  test.each([
    ['quota_wait', 'quotaMs', 'a quota'],
    ['slowed', 'slowedMs', 'a processor'],
  ] as const)('a task says its %s, and in words', (key, drawnKey, what) => {
    const sample = samples[0]!
    const tasks = sample.ledger!.tasks.map(({ task_id, execution_time }) => ({
      task_id,
      execution_time,
      [key]: 0.25,
    }))
    const waited = { ...sample, ledger: { ...sample.ledger!, tasks } }
    const strip = readStrip(waited)
    expect(strip.tasks[0]![drawnKey]).toBe(250)
    expect(strip.tasks[0]!.toMs).toBe(readStrip(sample).tasks[0]!.toMs)
    const drawn = (each: typeof sample): string =>
      runFile({ ...steadyDocument(), samples: [each] }, 'report.html')
        .split('id="strips"')[1]!
        .split('</figure>')[0]!
        .replaceAll('\u00A0', ' ')
    expect(drawn(waited)).toContain(`waiting for ${what} 250 ms`)
    expect(drawn(waited)).toContain(`(250 ms of it waiting for ${what})`)
    expect(drawn(sample)).not.toContain(`waiting for ${what}`)
  })

  test('what runs outside of tasks is drawn as none', () => {
    const { ledger, ...others } = samples.find(({ record }) => record.outcome === 'completed')!
    const tasks = ledger!.tasks.map(({ task_id, execution_time: seconds }) => {
      return { task_id, execution_time: seconds - 0.1 }
    })
    const { tasks: drawn, trueEndMs } = readStrip({ ...others, ledger: { ...ledger!, tasks } })
    for (const [i, { fromMs }] of drawn.slice(1).entries()) {
      expect(fromMs - drawn[i]!.toMs).toBeCloseTo(100, 0)
    }
    expect(drawn.at(-1)!.toMs).toBeCloseTo(trueEndMs!, 6)
  })

  test('waiting ends where the first task begins', () => {
    const waited = samples.map(readStrip).filter(({ waiting }) => waiting !== null)
    expect(waited.length).toBeGreaterThan(0)
    for (const { waiting, tasks } of waited) expect(waiting?.toMs).toBe(tasks[0]?.fromMs)
  })

  test('detection lasts from the true end to the moment the client knew', () => {
    for (const sample of samples) {
      const { detection, trueEndMs, totalMs } = readStrip(sample)
      expect(detection).toEqual({ fromMs: trueEndMs, toMs: totalMs })
    }
  })
})

describe('an execution that the client gave up', () => {
  const given = samples[0]!
  const { record } = given
  const watchedMs = (record.endedMicros - record.intendedMicros) / 1_000
  const acceptedMs = (record.acceptedMicros! - record.intendedMicros) / 1_000
  const unended = { ...given.ledger!, accepted_ms: 0, ended_ms: null, tasks: [] }
  const strip = (ledger: Partial<NonNullable<typeof given.ledger>>) =>
    readStrip({ ...given, ledger: { ...unended, ...ledger }, trueEndMicros: null })

  test.each([null, watchedMs + 1_000])(
    'waits, and does no work, with a start at %s',
    (started_ms) => {
      const { waiting, tasks } = strip({ started_ms })
      expect(waiting).toEqual({ fromMs: acceptedMs, toMs: watchedMs })
      expect(tasks).toEqual([])
    },
  )

  test('is at work from its start by the ledger on, and to the edge of the page at most', () => {
    const tasks = [{ task_id: 'research', execution_time: watchedMs }]
    const { waiting, tasks: drawn } = strip({ started_ms: 5, tasks })
    expect(waiting).toEqual({ fromMs: acceptedMs, toMs: acceptedMs + 5 })
    expect(drawn).toEqual([
      {
        name: 'research',
        fromMs: acceptedMs + 5,
        toMs: watchedMs,
        source: 'ledger',
        quotaMs: 0,
        slowedMs: 0,
      },
    ])
  })

  test('and that ended afterwards, stays within the page', () => {
    const late = { ...given, trueEndMicros: record.endedMicros + 60_000_000 }
    for (const { fromMs, toMs } of readStrip(late).tasks) {
      expect(fromMs).toBeLessThan(watchedMs)
      expect(toMs).toBeLessThanOrEqual(watchedMs)
    }
  })
})

test('a poll is an error if its answer is none, and not by another code of success', () => {
  const sample = samples[0]!
  const { polls } = sample.record
  const answers = [202, 503, 'cancelled'] as const
  const answer = polls.answer.map((code, at) => answers[at] ?? code)
  const strip = readStrip({ ...sample, record: { ...sample.record, polls: { ...polls, answer } } })
  const isError = strip.polls.slice(0, answers.length).map(({ kind }) => kind === 'error')
  expect(isError).toEqual([false, true, true])
})

describe('without a ledger', () => {
  const strips = samples.map((sample) =>
    readStrip({ ...sample, ledger: null, trueEndMicros: null }),
  )

  test('tasks are those that polls saw, and are called so', () => {
    for (const { tasks } of strips) for (const { source } of tasks) expect(source).toBe('observed')
  })

  test('the end lies between two polls', () => {
    for (const { endBetween, totalMs } of strips) {
      expect(endBetween?.toMs).toBe(totalMs)
      expect(endBetween?.fromMs).toBeLessThan(totalMs)
    }
  })
})

test('the poll that said done brought news', () => {
  for (const sample of samples) {
    expect(readStrip(sample).polls.at(-1)?.kind).toBe('news')
  }
})
