/** Retries: which answers are asked again. */
import { describe, expect, test } from 'vitest'
import { FAILURE_CLASSES } from '../../../src/crew/answer.ts'
import type { Answer, FailureClass, Operation } from '../../../src/crew/answer.ts'
import { isRetriable } from '../../../src/scenario/retry.ts'

const LEAVE = { unknownKickoffs: 'leave' } as const
const REPEAT = { unknownKickoffs: 'repeat' } as const
const TIMING = { releasedMicros: 0, sentMicros: 1, doneMicros: 2, newConnection: false }

describe('asked again', () => {
  test.each([
    ['status', [429, 502, 503, 504]],
    ['inputs', [429, 502, 503, 504]],
    ['kickoff', [429, 503]],
    ['resume', [429, 503]],
  ] as [Operation, number[]][])('%s: after %j', (operation, codes) => {
    const all = Array.from({ length: 400 }, (_, i) => 200 + i)
    expect(all.filter((status) => isRetriable(operation, answered(status), LEAVE))).toEqual(codes)
  })

  test('anything that found no connection', () => {
    for (const operation of ['status', 'kickoff'] as const) {
      const found = FAILURE_CLASSES.filter((name) =>
        isRetriable(operation, failed(name, false), LEAVE),
      )
      expect(found).toEqual(['refused', 'dns', 'tls', 'connect-timeout', 'unreachable'])
    }
  })

  test('never what was written', () => {
    for (const name of FAILURE_CLASSES) {
      expect(isRetriable('kickoff', failed(name, true), LEAVE)).toBe(false)
    }
  })

  test('with `repeat`, a kickoff that may have started; what nobody waits for any more is not', () => {
    const all = Array.from({ length: 400 }, (_, i) => 200 + i)
    const repeated = all.filter((status) => isRetriable('kickoff', answered(status), REPEAT))
    expect(repeated.filter((status) => status < 500)).toEqual([
      ...Array.from({ length: 100 }, (_, i) => 200 + i),
      303,
      429,
    ])
    expect(repeated.filter((status) => status >= 500)).toHaveLength(100)
    const written = FAILURE_CLASSES.filter((name) =>
      isRetriable('kickoff', failed(name, true), REPEAT),
    )
    expect(written).toEqual(FAILURE_CLASSES.filter((name) => name !== 'cancelled'))
    expect(isRetriable('status', failed('timeout', true), REPEAT)).toBe(false)
  })
})

function answered(status: number): Answer {
  return { kind: 'answer', status, headers: {}, body: '', timing: TIMING }
}

function failed(name: FailureClass, written: boolean): Answer {
  return { kind: 'failure', class: name, detail: '', written, status: null, timing: TIMING }
}
