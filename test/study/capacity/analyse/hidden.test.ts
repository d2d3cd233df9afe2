/** Workers of crews that report their times as if no execution ever waited. */
import { describe, expect, test } from 'vitest'
import type { Random } from '../../../../src/base/random.ts'
import { learn } from '../../../../src/study/capacity/analyse/learn/learn.ts'
import type { LoadSeen } from '../../../../src/study/capacity/analyse/learn/seen.ts'
import type { TestCrew } from '../crew.ts'
import { put } from '../crew.ts'

const SECOND = 1_000_000
const serviceMicros = (random: Random): number => SECOND * (20 + 20 * random.next())

/** What it reports of an execution begins with its acceptance. */
function reported(crew: TestCrew, clients: number, executions: number): LoadSeen {
  const seen = put(crew, { kind: 'closed', clients, executions }, clients)
  const fromAcceptance = seen.executions.map((each) =>
    Object.assign({}, each, { started: each.accepted }),
  )
  return { ...seen, executions: fromAcceptance, truth: 'reported' }
}

/** More workers than any load here has clients; service times are multiplied by this. */
function large(times: number): TestCrew {
  return { slots: 50, serviceMicros: (random) => times * serviceMicros(random) }
}

describe('a crew that reports its executions as begun when they are accepted', () => {
  test('has more workers than clients, whatever the first executions took by chance', () => {
    // The first four are short, those of the next rung are half as long again.
    const first = [reported(large(0.7), 1, 4), reported(large(1.2), 2, 6)]
    expect(learn(first).slots).toBeNull()
    const later = [reported(large(1.2), 1, 20), reported(large(1.2), 2, 68)]
    expect(learn([...first, ...later]).slots).toBeNull()
    expect(learn([...first, ...later, reported(large(1.2), 4, 10)]).slots).toBeNull()
  })
})
