import {
  array,
  assert,
  constant,
  constantFrom,
  integer,
  nat,
  oneof,
  property,
  record,
  tuple,
} from 'fast-check'
import { expect, test } from 'vitest'
import { FAILURE_CLASSES } from '../../src/crew/answer.ts'
import { emptyColumns } from '../../src/execution/record/columns.ts'
import { requestFieldsOf } from '../../src/execution/record/request-fields.ts'
import { RequestLog, RequestMemory } from '../../src/execution/request-log.ts'

const micros = oneof(nat({ max: 300 }), nat(), nat({ max: 10 ** 12 }))
const flag = constantFrom<0 | 1>(0, 1)
/** Every field of a request but when it is due, which follows from the pause. */
const row = record({
  ...arbitraries('micros', micros),
  ...arbitraries('flag', flag),
  /** Half of the pauses are one of two. */
  pauseMicros: oneof(constantFrom(0, 2_000_000), integer({ min: -5_000 })),
  serviceMicros: oneof({ weight: 1, arbitrary: constant(-1) }, { weight: 4, arbitrary: micros }),
  answer: oneof(constantFrom(...FAILURE_CLASSES), integer({ min: 100, max: 599 })),
}).map(({ dueMicros: _due, ...rest }) => rest)

function arbitraries<Shape extends 'micros' | 'flag', Value>(shape: Shape, value: Value) {
  const names = requestFieldsOf(shape)
  return Object.fromEntries(names.map((name) => [name, value])) as Record<
    (typeof names)[number],
    Value
  >
}

test('logs that share a memory give back every field of their requests, kickoffs apart', () => {
  assert(
    property(array(tuple(nat({ max: 2 }), row), { maxLength: 90 }), nat(5), (rows, first) => {
      const memory = new RequestMemory()
      const logs = [0, 1, 2].map(() => new RequestLog(memory))
      const expected = logs.map(() => [emptyColumns(), emptyColumns()] as const)
      const ends = [0, 0, 0]
      for (const [which, { pauseMicros, ...rest }] of rows) {
        const log = logs[which]!
        const added = { dueMicros: ends[which]! + pauseMicros, ...rest }
        const into = expected[which]![log.count < first ? 0 : 1]
        for (const [name, value] of Object.entries(added)) {
          ;(into[name as 'dueMicros'] as unknown[]).push(value)
        }
        log.add(added)
        expect(log.last).toBe(added.answer)
        const { dueMicros, lateMicros, waitMicros, serviceMicros } = added
        ends[which] = dueMicros + lateMicros + waitMicros + Math.max(0, serviceMicros)
      }
      for (const [i, log] of logs.entries()) expect(log.columns(first)).toEqual(expected[i])
    }),
    { numRuns: 300, seed: 5 },
  )
})
