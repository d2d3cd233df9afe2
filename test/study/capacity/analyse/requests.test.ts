/** What requests add to executions, with few clients and under load. */
import { expect, test } from 'vitest'
import { learn } from '../../../../src/study/capacity/analyse/learn/learn.ts'
import type { Requests } from '../../../../src/study/capacity/analyse/learn/requests.ts'
import { requestsOf } from '../../../../src/study/capacity/analyse/learn/requests.ts'
import type { LoadSeen } from '../../../../src/study/capacity/analyse/learn/seen.ts'
import { knownAtOnce } from '../../../../src/study/capacity/analyse/model/detection.ts'
import { put } from '../crew.ts'
import { exponential } from '../searched.ts'
import { MEAN_MICROS } from '../systems.ts'

const SECOND = 1_000_000

/** Each execution of the load is accepted, and known to have ended, so much later. */
function loadOf(clients: number, [kickoff, late]: [kickoff: number, late: number]): LoadSeen {
  const crew = { slots: 8, serviceMicros: exponential }
  const seen = put(crew, { kind: 'closed', clients, executions: 20 * clients }, clients)
  for (const each of seen.executions) {
    each.kickoffMicros = kickoff
    each.known = each.ended! + late
  }
  return seen
}

function requests(loads: readonly LoadSeen[]): Requests | null {
  const polling = { detectionOf: () => knownAtOnce(Infinity), boundMicros: 5 * MEAN_MICROS }
  return requestsOf(learn(loads), polling)
}

const few = loadOf(2, [SECOND, 2 * SECOND])

test('add what kickoffs and the last polls take beyond a simulation without load', () => {
  const { fewMicros, manyMicros } = requests([few, loadOf(12, [3 * SECOND, 9 * SECOND])])!
  expect(fewMicros / SECOND).toBeCloseTo(1 + 2, 1)
  expect(manyMicros / SECOND).toBeCloseTo(3 + 9, 6)
})

test('are not known of a single load', () => {
  expect(requests([few])).toBeNull()
})
