/**
 * A crew's limits in virtual time: the same refusals, and requests held back by the network's own
 * queue.
 */
import { describe, expect, test } from 'vitest'
import type { LimitProfile } from '../../../fake-crew/model/limits/profile.ts'
import type { Profile } from '../../../fake-crew/model/profile.ts'
import type { WholeAnswer } from '../../../src/crew/answer.ts'
import type { VirtualHost } from '../../../src/host/virtual/index.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../../src/base/units.ts'
import type { Box } from './support.ts'
import {
  ask,
  kickoff,
  plainNetwork,
  plainProfile,
  send,
  settle,
  status,
  virtualHost,
} from './support.ts'

const MS = MICROS_PER_MS

function limited(algorithm: LimitProfile['algorithm'], latencyMs = 0): Profile {
  const rule: LimitProfile = {
    name: 'default',
    operations: ['kickoff', 'status'],
    quota: 'shared',
    per: 'address',
    algorithm,
    rejected: 'free',
    blockMicros: 0,
    refusal: { status: 429, retryAfter: 'date' },
  }
  const { limits } = plainProfile()
  const headers = 'x-ratelimit-epoch'
  return plainProfile(latencyMs, { limits: { ...limits, headers, rules: [rule] } })
}

const SLOW = limited({
  kind: 'leaky-bucket',
  rate: { count: 1, perMicros: MICROS_PER_SECOND },
  burst: 3,
  excess: 'delayed',
})

function statusOf({ answer }: Box): number | null {
  return answer?.kind === 'answer' ? answer.status : null
}

test('a refusal tells times of the wall clock that virtual runs begin on', () => {
  const window = { limit: 1, windowMicros: 60 * MICROS_PER_SECOND }
  const host = virtualHost({ profile: limited({ kind: 'sliding-log', ...window }) })
  ask(host, kickoff())
  const refused = ask(host, status())
  expect(refused).toMatchObject({
    status: 429,
    headers: {
      'retry-after': 'Sat, 01 Jan 2000 00:01:01 GMT',
      'x-ratelimit-reset': '946684861',
      'x-ratelimit-remaining': '0',
    },
  })
})

describe('a request held back', () => {
  test.each(['profile', 'included'] as const)(
    'waits its turn, with server time: %s',
    (serverTime) => {
      const network = plainNetwork(10, 0, { serverTime })
      const host = virtualHost({ profile: SLOW, network })
      const boxes = [0, 1, 2].map((execution) => send(host, kickoff(execution)))
      settle(host)
      expect(boxes.map(({ answer }) => answer?.timing.doneMicros)).toEqual([
        10 * MS,
        1_010 * MS,
        2_010 * MS,
      ])
    },
  )

  test('is looked at then: the execution has ended in the meantime', () => {
    const host = virtualHost({ profile: SLOW })
    const started = ask(host, kickoff()) as WholeAnswer
    const { kickoff_id: id } = JSON.parse(started.body) as { kickoff_id: string }
    expect(ask(host, status(id))).toMatchObject({ json: { status: 'completed' } })
  })

  test('is taken back when its client gives up: no execution starts', () => {
    const host = virtualHost({ profile: SLOW })
    const first = send(host, kickoff(0))
    const second = send(host, kickoff(1), { timeoutMs: 500 })
    settle(host)
    expect(statusOf(first)).toBe(200)
    expect(second.answer).toMatchObject({ kind: 'failure', class: 'timeout' })
    expect([...host.ledger()]).toHaveLength(1)
  })
})

test('a request makes room when its answer has left, or its client', () => {
  const host = virtualHost({ profile: limited({ kind: 'concurrency', limit: 1 }, 100) })
  const boxes = sendAt(host, [0, 50 * MS, 99 * MS, 101 * MS])
  settle(host)
  expect(boxes.map(statusOf)).toEqual([200, 429, 429, 200])
})

/** One execution after another. The boxes come while the host goes on. */
function sendAt(host: VirtualHost, [first, ...rest]: readonly number[], boxes: Box[] = []): Box[] {
  if (first === undefined) return boxes
  host.wakeAt(first, () => {
    boxes.push(send(host, kickoff(boxes.length)))
    sendAt(host, rest, boxes)
  })
  return boxes
}
