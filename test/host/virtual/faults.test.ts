/** What faults of the crew do to requests on the simulated network. */
import { describe, expect, test } from 'vitest'
import { parseFaults, parseProfileText } from '../../../fake-crew/profiles.ts'
import type { Answer } from '../../../src/crew/answer.ts'
import type { VirtualHost, VirtualHostOptions } from '../../../src/host/virtual/index.ts'
import { MICROS_PER_MS } from '../../../src/base/units.ts'
import { ask, kickoff, plainNetwork, plainProfile, status, virtualHost } from './support.ts'

function hostWith(
  faults: string,
  latencyMs = 0,
  options: Partial<Omit<VirtualHostOptions, 'http'>> = {},
): VirtualHost {
  const profile = plainProfile(latencyMs, { faults: parseFaults(faults, 'faults') })
  return virtualHost({ profile, network: plainNetwork(10), ...options })
}

/** Its kind or class, its status, and how long it took in milliseconds. */
function told(answer: Answer): [string, number | null, number] {
  const { releasedMicros, doneMicros } = answer.timing
  const name = answer.kind === 'answer' ? 'answer' : answer.class
  return [name, answer.status, (doneMicros - releasedMicros) / MICROS_PER_MS]
}

describe('an answer', () => {
  test.each<[string, [string, number | null, number]]>([
    ['reset: { at: before }', ['reset', null, 60]],
    ['reset: { at: during }', ['reset', 200, 60]],
    ['reset: { at: after }', ['answer', 200, 60]],
    ['empty: {}', ['closed', null, 60]],
    ['truncate: {}', ['truncated', 200, 60]],
    ['hang: {}', ['timeout', null, 5_000]],
    ['stall: {}', ['timeout', 200, 5_000]],
    ['drip: { over: 300ms }', ['answer', 200, 360]],
    ['latency: 100ms', ['answer', 200, 160]],
    ['restart: { loses: none }\nwindow: { from: 30ms }', ['reset', null, 35]],
  ])('%s', (fault, wanted) => {
    expect(told(ask(hostWith(fault, 50), kickoff()))).toEqual(wanted)
  })

  test('is delayed by faults alone where the round trip holds the time of the server', () => {
    const network = plainNetwork(10, 0, { serverTime: 'included' })
    expect(told(ask(hostWith('latency: 100ms', 50, { network }), kickoff()))).toEqual([
      'answer',
      200,
      110,
    ])
  })
})

describe('a connection', () => {
  test('that was reset behind an answer carries no other', () => {
    const host = hostWith('reset: { at: after }')
    const answers = [ask(host, kickoff()), ask(host, status())]
    expect(answers.map(({ timing }) => timing.newConnection)).toEqual([true, true])
  })

  test('closed when idle takes the request down with it', () => {
    const host = hostWith('closeIdle: { after: 0s }')
    const answers = [1, 2, 3].map(() => told(ask(host, status()))[0])
    expect(answers).toEqual(['answer', 'closed', 'answer'])
  })

  test.each([
    [504, ['reset', null, 499]],
    [506, ['answer', 404, 500]],
  ])(
    'is cut by a restart after %d ms, also under a request that a limit holds back',
    (ms, wanted) => {
      const yaml = `tasks: [{ id: a, agent: A, duration: 1s }]
limits: { rules: [{ name: a, leakyBucket: { rate: 2/s, burst: 9, excess: delayed } }] }
faults: [{ restart: { loses: none }, window: { from: ${ms}ms } }]`
      const { limits, faults } = parseProfileText(yaml, 'x.yaml')
      const profile = plainProfile(0, { limits, faults })
      const host = virtualHost({ profile, network: plainNetwork(10) })
      expect(told(ask(host, status()))).toEqual(['answer', 404, 10])
      expect(told(ask(host, status()))).toEqual(wanted)
    },
  )

  test('is cut by a restart, and refused while that lasts', () => {
    const host = hostWith('restart: { loses: none }\nwindow: { from: 12ms, for: 1s }')
    expect(told(ask(host, status()))).toEqual(['answer', 404, 10])
    const second = ask(host, status())
    expect([told(second)[0], second.timing.sentMicros === null]).toEqual(['reset', false])
    const third = ask(host, status())
    expect([told(third)[0], third.timing.sentMicros]).toEqual(['refused', null])
  })
})
