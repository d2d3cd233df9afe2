/** The readers: any answer becomes one observation. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MAX_DEPTH } from '../../src/crew/json.ts'
import { readInputs, readKickoff, readStatus } from '../../src/crew/read.ts'
import { statusRequest } from '../../src/crew/crew-request.ts'
import { answer, COMPLETED, ERROR_BODY, FAILED, PLATFORM, RUNNING, TIMED_OUT } from './support.ts'

describe('status answers of the interface dialect', () => {
  test('running', () => {
    expect(readStatus(answer(RUNNING))).toMatchObject({
      phase: 'running',
      code: 200,
      dialect: 'interface',
      task: 'write',
      completedTasks: 1,
      totalTasks: 3,
    })
  })

  test('completed', () => {
    expect(readStatus(answer(COMPLETED))).toMatchObject({
      phase: 'completed',
      output: 'done',
      tasks: [{ taskId: 'write', output: 'text', agent: 'writer', executionTimeSeconds: 12.5 }],
      executionTimeSeconds: 108.5,
    })
  })

  test('error', () => {
    expect(readStatus(answer(FAILED))).toMatchObject({
      phase: 'failed',
      error: 'no luck',
      executionTimeSeconds: 3,
    })
  })

  test('a status alone is enough', () => {
    expect(readStatus(answer({ status: 'completed' }))).toMatchObject({
      phase: 'completed',
      output: null,
      executionTimeSeconds: null,
    })
  })

  test('numbers as strings are read, times that are none are not', () => {
    const progress = { completed_tasks: '1', total_tasks: null }
    expect(readStatus(answer({ status: 'running', progress }))).toMatchObject({
      completedTasks: 1,
      totalTasks: null,
    })
    for (const time of ['"NaN"', '1e999', 'null', '""', '[]', '{}', 'true']) {
      const body = `{"status":"completed","execution_time":${time}}`
      expect(readStatus(answer(body)).executionTimeSeconds).toBeNull()
    }
  })

  test('at most a thousand tasks are read', () => {
    const result = { output: 'x', tasks: Array.from({ length: 5_000 }, () => null) }
    expect(readStatus(answer({ status: 'completed', result })).tasks).toHaveLength(1_000)
  })

  test('a result that is no object is its own output', () => {
    expect(readStatus(answer({ status: 'completed', result: 'text' })).output).toBe('text')
    expect(readStatus(answer({ status: 'completed', result: [1] })).output).toBe('[1]')
  })
})

describe('status answers of the platform dialect', () => {
  test.each([
    ['PENDING', 'running'],
    ['STARTED', 'running'],
    ['running', 'running'],
    ['PAUSED', 'paused'],
    ['SUCCESS', 'completed'],
    ['Failed', 'failed'],
    ['REVOKED', 'failed'],
    ['FAILURE', 'failed'],
    ['NOT FOUND', 'not-found'],
  ])('%s is %s', (state, phase) => {
    expect(readStatus(answer({ ...PLATFORM, state }))).toMatchObject({ phase, dialect: 'platform' })
  })

  test('progress, and the execution time once it ended', () => {
    expect(readStatus(answer(PLATFORM))).toMatchObject({
      task: 'write',
      completedTasks: 1,
      totalTasks: 3,
      executionTimeSeconds: null,
    })
    const ended = { ...PLATFORM, state: 'SUCCESS', result: 'done' }
    expect(readStatus(answer(ended))).toMatchObject({ output: 'done', executionTimeSeconds: 4.5 })
  })

  test('a failed run says why in status', () => {
    const failed = { ...PLATFORM, state: 'FAILED', status: 'ValueError: x' }
    expect(readStatus(answer(failed)).error).toBe('ValueError: x')
  })

  test('a body in both dialects is mixed, and state decides', () => {
    expect(readStatus(answer({ ...PLATFORM, state: 'SUCCESS', status: 'running' }))).toMatchObject({
      phase: 'completed',
      dialect: 'mixed',
    })
  })

  test('an unknown state beside a known status is read by the status', () => {
    expect(readStatus(answer({ ...RUNNING, state: 'odd' }))).toMatchObject({
      phase: 'running',
      dialect: 'interface',
    })
  })
})

describe('answers that tell no state', () => {
  test.each([
    [401, 'denied'],
    [403, 'denied'],
    [404, 'not-found'],
    [429, 'limited'],
    [500, 'server-error'],
    [503, 'server-error'],
    [302, 'unexpected'],
    [418, 'unexpected'],
  ])('HTTP %i is %s', (status, phase) => {
    expect(readStatus(answer(ERROR_BODY, status))).toMatchObject({ phase, code: status })
  })

  test('the body of an error tells the dialect', () => {
    expect(readStatus(answer(ERROR_BODY, 404)).dialect).toBe('interface')
    expect(readStatus(answer({ detail: 'Not authenticated' }, 401)).dialect).toBe('platform')
    expect(readStatus(answer('Internal Server Error', 500)).dialect).toBeNull()
  })

  test.each([
    ['', 'not-json'],
    ['<html>', 'not-json'],
    ['{"status":"run', 'not-json'],
    ['{"status":"completed","execution_time":NaN}', 'not-json'],
    ['null', 'wrong-shape'],
    ['["running"]', 'wrong-shape'],
    ['{}', 'wrong-shape'],
    ['{"__proto__":{"status":"completed"}}', 'wrong-shape'],
    ['{"status":"queued"}', 'unknown-state'],
    ['{"status":null}', 'wrong-type'],
    ['{"status":{"status":"running"}}', 'wrong-type'],
  ])('%s is unreadable: %s', (body, code) => {
    expect(readStatus(answer(body))).toMatchObject({ phase: 'unreadable', code })
  })

  test('of duplicate keys the last counts', () => {
    expect(readStatus(answer('{"status":"running","status":"completed"}')).phase).toBe('completed')
  })

  test('a failure is no answer', () => {
    expect(readStatus(TIMED_OUT)).toMatchObject({ phase: 'no-answer', code: 'timeout' })
  })
})

describe('hostile bodies', () => {
  test('nesting is refused before it is parsed, however deep', () => {
    for (const body of [
      '['.repeat(5_000_000),
      '{"status":'.repeat(100_000),
      nested(MAX_DEPTH + 1),
    ]) {
      expect(readStatus(answer(body)).code).toBe('wrong-shape')
    }
  })

  test('brackets within strings are no nesting', () => {
    const output = `${'['.repeat(10_000)}"\\`
    const body = { status: 'completed', result: { output, tasks: [] } }
    expect(readStatus(answer(body)).output).toBe(output)
  })

  test('an output of 10 MB is read', () => {
    const output = 'x"'.repeat(5_000_000)
    const body = { status: 'completed', result: { output, tasks: [] } }
    expect(readStatus(answer(body)).output).toHaveLength(10_000_000)
  })

  test('no answer makes a reader throw', () => {
    const body = fc.oneof(
      fc.string(),
      fc.json(),
      fc.anything().map((value) => JSON.stringify(value) ?? ''),
      fc.dictionary(
        fc.constantFrom('status', 'state', 'result', 'progress', 'error', 'kickoff_id', 'inputs'),
        fc.oneof(fc.constantFrom('running', 'completed', 'SUCCESS', 'error'), fc.jsonValue()),
      ),
    )
    fc.assert(
      fc.property(body, fc.integer({ min: 100, max: 599 }), (content, status) => {
        const given = answer(content, status)
        expect(readStatus(given).code).toBeDefined()
        expect(readInputs(given).code).toBeDefined()
        const kickoffId = readKickoff(given).kickoffId ?? 'none'
        expect(statusRequest({ index: 0, kickoffId, correlation: '' }).path).toMatch(/^\/status\/./)
      }),
      { seed: 3, numRuns: 1_000 },
    )
  })
})

describe('kickoff answers', () => {
  test.each([
    ['a UUID', '5c0f5f0e-0d5c-4f0e-9d5e-3c1b2a4d6e7f'],
    ['what the vendor shows, which is none', 'abcd1234-5678-90ef-ghij-klmnopqrstuv'],
    ['any text', 'run #1/ü'],
  ])('an id may be %s', (_, id) => {
    expect(readKickoff(answer({ kickoff_id: id }))).toMatchObject({ code: 200, kickoffId: id })
  })

  test('a whole number stands for its digits', () => {
    expect(readKickoff(answer({ kickoff_id: 17 })).kickoffId).toBe('17')
  })

  test.each([
    ['{}', 'no-id'],
    ['{"kickoff_id":null}', 'no-id'],
    ['{"kickoff_id":""}', 'no-id'],
    ['{"kickoff_id":" "}', 'no-id'],
    ['{"kickoff_id":".."}', 'no-id'],
    ['{"kickoff_id":"\\ud800"}', 'no-id'],
    [JSON.stringify({ kickoff_id: 'x'.repeat(257) }), 'no-id'],
    ['{"kickoff_id":1.5}', 'wrong-type'],
    ['{"kickoff_id":["x"]}', 'wrong-type'],
    ['[]', 'wrong-shape'],
    ['accepted', 'not-json'],
  ])('%s holds no usable id: %s', (body, code) => {
    expect(readKickoff(answer(body))).toMatchObject({ code, kickoffId: null })
  })

  test('an id beside an error code is none', () => {
    expect(readKickoff(answer({ kickoff_id: 'x' }, 500))).toMatchObject({
      code: 500,
      kickoffId: null,
    })
  })
})

describe('inputs answers', () => {
  test.each([
    [{ inputs: ['topic', 'audience'] }, ['topic', 'audience']],
    [{ inputs: [] }, []],
    [['topic'], ['topic']],
    [{ inputs: [{ name: 'topic', type: 'string' }] }, ['topic']],
  ])('%j', (body, names) => {
    const listed = names.map((name) => ({ name, required: null }))
    expect(readInputs(answer(body)).listed).toEqual(listed)
  })

  test('are required or optional where the crew says so', () => {
    const inputs = [
      { name: 'topic', required: true },
      { name: 'history', required: false },
      { name: 'tone', required: 'no' },
      'audience',
    ]
    expect(readInputs(answer({ inputs })).listed).toEqual([
      { name: 'topic', required: true },
      { name: 'history', required: false },
      { name: 'tone', required: null },
      { name: 'audience', required: null },
    ])
  })

  test('what is no list of names is not read', () => {
    expect(readInputs(answer({ inputs: 'topic' }))).toMatchObject({
      listed: null,
      code: 'wrong-shape',
    })
    expect(readInputs(answer('nope'))).toMatchObject({ listed: null, code: 'not-json' })
    expect(readInputs(answer({ inputs: [] }, 401))).toMatchObject({ listed: null, code: 401 })
    expect(readInputs(TIMED_OUT)).toMatchObject({ listed: null, code: 'timeout' })
  })
})

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth)
}
