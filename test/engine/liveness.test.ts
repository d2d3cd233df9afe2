/** Whether the target is still there when everything has ended, and what it costs to know. */
import { describe, expect, test } from 'vitest'
import type { CrewRequest } from '../../src/crew/crew-request.ts'
import type { TargetProbed } from '../../src/execution/record/journal-lines.ts'
import type { Plan } from '../../src/scenario/plan.ts'
import type { Drive } from './plans.ts'
import { drive, planOf, SECOND } from './plans.ts'
import type { SimulatedHost, SimulatedTarget } from './simulated-host.ts'
import { crew, json, refusing, silent } from './targets.ts'

const DURATION = 2 * SECOND

/** Ten arrivals, one a second: the last of them ends in the twelfth. */
const GONE_AT = 10 * SECOND
const plan = planOf({ deadlineMicros: 5 * SECOND })

/** A crew in whose place this one answers from a point on. */
function dying(instead: SimulatedTarget, probed: SimulatedTarget = instead): SimulatedTarget {
  const well = crew({ durationMicros: DURATION })
  return (request, now) => {
    if (isProbe(request)) return probed(request, now)
    const reply = well(request, now)
    return now >= GONE_AT ? instead(request, now) : reply
  }
}

function found(host: SimulatedHost): TargetProbed | null {
  const all = host
    .linesOf('incident')
    .flatMap(({ incident }) => (incident.kind === 'target-probed' ? [incident] : []))
  expect(all.length).toBeLessThanOrEqual(1)
  return all[0] ?? null
}

function isProbe({ correlation }: CrewRequest): boolean {
  return correlation.endsWith('/probe')
}

function probes(host: SimulatedHost): { atMicros: number; execution: number; path: string }[] {
  return host.requests
    .filter(({ request }) => isProbe(request))
    .map(({ atMicros, request: { execution, path } }) => ({ atMicros, execution, path }))
}

function run(target: SimulatedTarget, options: Drive = {}, changes: Partial<Plan> = {}) {
  const host = drive({ ...plan, ...changes }, target, options)
  return { host, found: found(host), probes: probes(host) }
}

const answers = (status: number, headers = {}): SimulatedTarget => {
  return () => ({ kind: 'reply', afterMicros: 1_000, status, body: '{}', headers })
}

describe('a target whose last answer was usable', () => {
  test('is asked nothing', () => {
    const seen = run(crew({ durationMicros: DURATION }))
    expect(seen.found).toEqual({ kind: 'target-probed', usable: true, probes: 0, last: 200 })
    expect(seen.probes).toEqual([])
  })

  test.each([404, 429])('be it %i', (status) => {
    expect(run(dying(answers(status))).found).toMatchObject({ probes: 0, last: status })
  })
})

describe('a target whose last answer was of no use', () => {
  test.each([
    ['refuses connections', refusing(), 'refused'],
    ['answers 502', answers(502), 502],
    ['takes no token of ours', answers(401), 401],
    ['forbids', answers(403), 403],
  ])('and that %s is asked three times', (_, instead, last) => {
    const seen = run(dying(instead))
    expect(seen.found).toEqual({ kind: 'target-probed', usable: false, probes: 3, last })
    expect(seen.probes.map(({ execution }) => execution)).toEqual([9, 8, 2])
    const [first, second] = seen.probes
    expect(second!.atMicros - first!.atMicros).toBeGreaterThanOrEqual(SECOND)
    expect(second!.atMicros - first!.atMicros).toBeLessThan(1.1 * SECOND)
  })

  test('is waited for no longer than a request may take, and never longer than 5 s', () => {
    const seen = run(dying(silent))
    expect(seen.found).toMatchObject({ usable: false, probes: 3, last: 'timeout' })
    const gaps = ({ probes: all }: typeof seen) => all[1]!.atMicros - all[0]!.atMicros
    expect(gaps(seen)).toBe(6 * SECOND)
    const http = { ...plan.http, requestTimeoutMicros: SECOND }
    expect(gaps(run(dying(silent), {}, { http }))).toBe(2 * SECOND)
    const long = { ...plan.http, requestTimeoutMicros: 60 * SECOND }
    expect(gaps(run(dying(silent), {}, { http: long }))).toBe(6 * SECOND)
  })

  test('is alive when one of them is answered', () => {
    let asked = 0
    const back = dying(refusing(), () =>
      ++asked < 2 ? json(503, '{}', 1_000) : json(200, '[]', 1_000),
    )
    expect(run(back).found).toMatchObject({ usable: true, probes: 2, last: 200 })
  })

  test.each([
    ['429', answers(429)],
    ['a 403 that asks for a wait', answers(403, { 'retry-after': '5' })],
    ['404', answers(404)],
  ])('is alive when it answers %s', (_, probed) => {
    expect(run(dying(refusing(), probed)).found).toMatchObject({ usable: true, probes: 1 })
  })
})

test('a target that never gave a usable answer is asked', () => {
  expect(run(refusing()).found).toMatchObject({ usable: false, probes: 3, last: 'refused' })
})

/** What stands in front of the crew goes on answering. */
const onlyInputs: SimulatedTarget = (request, now) =>
  request.operation === 'inputs' ? json(200, '{"inputs":[]}', 1_000) : answers(503)(request, now)

/** Takes no kickoff, and has none to tell of. */
const full: SimulatedTarget = (request, now) =>
  answers(request.operation === 'kickoff' ? 503 : 404)(request, now)

describe('the operations of the crew itself', () => {
  test('are asked, by ids of two executions and of none', () => {
    const seen = run(dying(onlyInputs))
    expect(seen.found).toMatchObject({ usable: false, probes: 3, last: 503 })
    expect(seen.probes.map(({ path }) => path)).toEqual([
      '/status/00000000-0000-4000-8000-000000000009',
      '/status/00000000-0000-4000-8000-000000000008',
      '/status/00000000-0000-4000-8000-000000000000',
    ])
  })

  test('are dead where a healthy /inputs stands before kickoffs and polls that all get 503', () => {
    const seen = run(onlyInputs)
    expect(seen.found).toMatchObject({ usable: false, probes: 3, last: 503 })
  })

  test('are alive where polls about nobody are answered, though kickoffs all get 503', () => {
    expect(run(full).found).toMatchObject({ usable: true, probes: 1, last: 404 })
  })

  test('are alive where one execution alone cannot be asked about', () => {
    const well = crew({ durationMicros: DURATION })
    const poisoned: SimulatedTarget = (request, now) =>
      request.operation === 'status' && request.execution === 9
        ? answers(500)(request, now)
        : well(request, now)
    expect(run(poisoned).found).toMatchObject({ usable: true, probes: 2, last: 200 })
  })
})

test('a target that was given up is asked, whatever came last', () => {
  const circuit = { afterMicros: SECOND, requests: 2 }
  const well = crew({ durationMicros: 40 * SECOND })
  const noKickoffs: SimulatedTarget = (request, now) => {
    const reply = well(request, now)
    return request.operation === 'kickoff' && now > 2 * SECOND ? json(500, '{}', 1_000) : reply
  }
  const seen = run(noKickoffs, {}, { circuit, deadlineMicros: 60 * SECOND })
  expect(seen.found).toMatchObject({ usable: true, probes: 1, last: 200 })
})

describe('probes', () => {
  test('stand in no count, and before the last line', () => {
    const { host } = run(dying(refusing()))
    expect(
      host.records.flatMap(({ polls, kickoff }) => [...polls.answer, ...kickoff.answer]),
    ).toHaveLength(host.sent - 3)
    expect(host.lines.at(-1)).toMatchObject({ type: 'finished', engine: { confirmations: 0 } })
  })

  test('are paid from the budget of requests, and tell nothing where none is left', () => {
    const all = run(dying(refusing())).host.sent - 3
    const spent = run(dying(refusing()), { requests: all })
    expect(spent.probes).toEqual([])
    expect(spent.found).toBeNull()
    const one = run(dying(refusing()), { requests: all + 1 })
    expect(one.found).toMatchObject({ usable: false, probes: 1 })
    expect(one.host.linesOf('incident').filter(({ incident }) => incident.kind === 'note')).toEqual(
      [],
    )
  })

  test('are not sent when a second stop ended the run', () => {
    const seen = run(dying(refusing()), {
      meanwhile: (engine, host) => host.at(11 * SECOND, () => engine.stop('now')),
    })
    expect(seen.probes).toEqual([])
    expect(seen.found).toBeNull()
  })

  test('are sent after a drain, one that ran out too', () => {
    const seen = run(
      dying(refusing()),
      {
        meanwhile: (engine, host) => host.at(9 * SECOND, () => engine.stop('drain')),
      },
      { drainMicros: 2 * SECOND },
    )
    expect(seen.found).toMatchObject({ usable: false, probes: 3 })
  })

  test('go on after a first stop, and end at once with a second', () => {
    const first = run(dying(silent), {
      meanwhile: (engine, host) => host.at(18 * SECOND, () => engine.stop('drain')),
    })
    expect(first.probes[0]!.atMicros).toBeLessThan(18 * SECOND)
    expect(first.found).toMatchObject({ probes: 3 })
    const second = run(dying(silent), {
      meanwhile: (engine, host) => host.at(18 * SECOND, () => engine.stop('now')),
    })
    expect(second.found).toBeNull()
    expect(second.host.linesOf('finished')[0]!.atMicros).toBe(18 * SECOND)
    expect(second.host.cancelled).toBe(1)
  })

  test('take no time that a budget does not give', () => {
    const budget = { kickoffs: null, requests: null, wallMicros: 18 * SECOND }
    const seen = run(dying(silent), {}, { budget })
    expect(seen.host.linesOf('finished')[0]!.atMicros).toBeLessThanOrEqual(18 * SECOND)
    expect(seen.found).toBeNull()
  })

  test('are not sent by an engine that asked nothing', () => {
    const seen = run(
      refusing(),
      { meanwhile: (engine) => engine.stop('drain') },
      {
        arrivals: { kind: 'replay', offsetsMicros: [SECOND] },
      },
    )
    expect(seen.host.sent).toBe(0)
    expect(seen.found).toBeNull()
  })
})
