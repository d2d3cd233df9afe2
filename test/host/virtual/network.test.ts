/** Networks: drawn as they say, told in words, learned from what a client saw. */
import { describe, expect, test } from 'vitest'
import type { Network } from '../../../src/host/virtual/network.ts'
import type { ExecutionRecord } from '../../../src/execution/record/record.ts'
import { emptyColumns } from '../../../src/execution/record/columns.ts'
import {
  NetworkDraws,
  describeNetwork,
  networkNamed,
  NETWORKS,
} from '../../../src/host/virtual/network.ts'
import { NetworkLearner } from '../../../src/host/virtual/learn.ts'
import { createRandom } from '../../../src/base/random.ts'
import { notReached, unsentRecord } from '../../../src/execution/machine.ts'
import { kickoff } from './support.ts'
import { spent } from '../../support/reasons.ts'

const TRIPS = 20_000

function trips(network: Network): { takes: number[]; there: number; back: number } {
  const draws = new NetworkDraws(network, createRandom(5))
  const drawn = Array.from({ length: TRIPS }, (_, i) => draws.trip(kickoff(i), i * 1_000))
  return {
    takes: drawn
      .map(({ thereMicros, backMicros }) => thereMicros + backMicros)
      .sort((a, b) => a - b),
    there: drawn.filter(({ lost }) => lost === 'there').length / TRIPS,
    back: drawn.filter(({ lost }) => lost === 'back').length / TRIPS,
  }
}

describe('drawn trips', () => {
  test('have the quantiles that the network says', () => {
    const { takes } = trips(NETWORKS.lan)
    expect(takes[TRIPS * 0.5]! / 1_000).toBeCloseTo(1, 1)
    expect(takes[TRIPS * 0.95]! / 2_000).toBeCloseTo(1, 1)
  })

  test('are lost as often as it says, and each way', () => {
    const loss = { connection: 0, request: 0.1, answer: 0.05 }
    const { there, back } = trips({ ...NETWORKS.lan, loss })
    expect([there, back]).toEqual([expect.closeTo(0.1, 2), expect.closeTo(0.05, 2)])
  })

  test('belong to an execution and its time, whatever was drawn before', () => {
    const [one, other] = [0, 1].map(() => new NetworkDraws(NETWORKS.wan, createRandom(5)))
    other!.trip(kickoff(8), 3)
    expect(other!.trip(kickoff(7), 5)).toEqual(one!.trip(kickoff(7), 5))
    expect(one!.trip(kickoff(7), 6)).not.toEqual(one!.trip(kickoff(7), 5))
  })
})

test('every preset is told in one line of words', () => {
  expect(Object.values(NETWORKS).map(describeNetwork)).toEqual([
    "none: round trip 0 ms; connection set-up 0 ms; nothing lost; plus the profile's HTTP " +
      'latency (by definition: bytes arrive instantly)',
    'loopback: round trip median 1.00 ms, p95 3.50 ms; connection set-up median 630 us, p95 ' +
      "1.30 ms; nothing lost; plus the profile's HTTP latency (measured on a busy two-core machine)",
    'lan: round trip median 1.00 ms, p95 2.00 ms; connection set-up median 2.00 ms, p95 4.00 ' +
      "ms; nothing lost; plus the profile's HTTP latency (published values between zones of " +
      'one cloud region are 0.8 to 1.1 ms; the tail is our assumption)',
    'wan: round trip median 40.0 ms, p95 90.0 ms; connection set-up median 80.0 ms, p95 180 ' +
      'ms; lost: 0.100 % of new connections, 0.0100 % of requests, 0.0100 % of answers; plus ' +
      "the profile's HTTP latency (our assumption: a client elsewhere on the same continent)",
  ])
})

test('an unknown name gets the known ones', () => {
  expect(() => networkNamed('toString')).toThrow(/expected none, loopback, lan, wan/)
})

/** Polls of 10 us, 20 us ... 1 ms; every tenth opened a connection within 5 ms. */
function record(changes: Partial<ExecutionRecord['polls']> = {}): ExecutionRecord {
  const polls = emptyColumns()
  for (let i = 0; i < 100; i++) {
    polls.dueMicros.push(i * 10_000)
    polls.lateMicros.push(0)
    polls.waitMicros.push(i % 10 === 0 ? 5_000 : 0)
    polls.serviceMicros.push((i + 1) * 10)
    polls.answer.push(200)
    polls.fresh.push(i % 10 === 0 ? 1 : 0)
    polls.retry.push(0)
  }
  const arrival = { index: 0, instance: 0, intendedMicros: 0, warmUp: false }
  const columns = { ...polls, ...changes }
  return {
    ...unsentRecord(arrival, notReached(spent('kickoff')), 0),
    kickoff: polls,
    polls: columns,
  }
}

function learn(records: readonly ExecutionRecord[], openedAhead = 0): Network {
  const learner = new NetworkLearner({ run: 'r', random: createRandom(1) })
  learner.openedAhead(openedAhead)
  for (const each of records) learner.add(each)
  return learner.network()
}

function leastSetUp({ setUp }: Network): number | null {
  return setUp.kind === 'quantiles' ? setUp.points[0]!.value : null
}

describe('learned from records', () => {
  test('round trips are the service times, with the time of the server in them', () => {
    const { roundTrip, serverTime, name } = learn([record()])
    expect({ name, serverTime }).toEqual({ name: 'run r', serverTime: 'included' })
    const points = roundTrip.status.kind === 'quantiles' ? roundTrip.status.points : []
    expect(points.at(0)).toEqual({ q: 0, value: 10 })
    expect(points.at(-1)).toEqual({ q: 1, value: 1_000 })
    expect(points.find(({ q }) => q === 0.5)?.value).toBe(500)
  })

  test('setting up is the wait of first requests, but for connections opened ahead', () => {
    const first = { waitMicros: record().polls.waitMicros.map((wait, i) => (i === 0 ? 1 : wait)) }
    expect(leastSetUp(learn([{ ...record(first), kickoff: record().kickoff }]))).toBe(1)
    const late = { ...record(first), kickoff: { ...record().kickoff, fresh: Array(100).fill(0) } }
    expect(leastSetUp(learn([late], 1))).toBe(5_000)
  })

  test('losses are shares: half on each way, and connections that could not be opened', () => {
    const answer = record().polls.answer.map((code, i) => (i < 20 ? 'reset' : code))
    const service = record().polls.serviceMicros
    const unopened = { answer: ['refused' as const], serviceMicros: [-1], fresh: [0 as const] }
    const refused = { ...record(), polls: { ...emptyColumns(), ...unopened } }
    const lossy = record({ answer, serviceMicros: service })
    const { loss } = learn([lossy, refused])
    // 20 of 300 requests; 1 attempt of 1 + 30.
    expect(loss.request).toBeCloseTo(20 / 300 / 2, 6)
    expect(loss.answer).toBe(loss.request)
    expect(loss.connection).toBeCloseTo(1 / 31, 6)
  })

  test('a request that timed out counts with the time it was waited for', () => {
    const answer = record().polls.answer.map((code, i) => (i === 0 ? 'timeout' : code))
    const serviceMicros = record().polls.serviceMicros.map((micros, i) => (i === 0 ? 3e7 : micros))
    const { roundTrip } = learn([record({ answer, serviceMicros })])
    const points = roundTrip.status.kind === 'quantiles' ? roundTrip.status.points : []
    expect(points.at(-1)?.value).toBe(3e7)
  })

  test('too few answers are too few', () => {
    expect(() => learn([])).toThrow(/too few answered kickoffs .*20 are needed/)
  })
})
