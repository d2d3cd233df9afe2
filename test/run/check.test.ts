/** What `check` finds out about a target, in which time, and what it says to do about it. */
import { describe, expect, test, vi } from 'vitest'
import type { CheckOptions, CheckResult } from '../../src/run/check/index.ts'
import { check } from '../../src/run/check/index.ts'
import type { Diagnosis } from '../../src/run/check/diagnosis.ts'
import type { Act, Behaviour } from '../hostile/server.ts'
import * as acts from '../hostile/acts.ts'
import { startHostile } from '../hostile/server.ts'

const TOKEN = 'sesame-4711'

/** Only with our token; without it 401. */
function guarded(act: Act): Act {
  return (socket, call) =>
    call.headers['authorization'] === `Bearer ${TOKEN}`
      ? act(socket, call)
      : acts.errorBody(401)(socket, call)
}

/** The execution that was started is done at once; no other is known. */
function statusOf(act: Act): Act {
  return (socket, call) => (call.path.endsWith('/known') ? act : acts.notFound)(socket, call)
}

const HEALTHY: Behaviour = {
  inputs: guarded(acts.json({ inputs: ['topic'] })),
  kickoff: guarded(acts.json({ kickoff_id: 'known' })),
  status: guarded(statusOf(acts.completed())),
}

async function checked(
  behaviour: Partial<Behaviour>,
  options: Partial<CheckOptions> = {},
): Promise<CheckResult & { find: (name: string) => Diagnosis; kickoffs: number }> {
  const target = await startHostile({ ...HEALTHY, ...behaviour })
  try {
    const result = await check({
      target: new URL(target.url),
      tokens: [TOKEN],
      headers: {},
      tls: {},
      env: {},
      wait: '5s',
      firstCall: '2s',
      inputs: null,
      confirmKickoff: async () => true,
      ...options,
    })
    return {
      ...result,
      find: (name) => result.diagnoses.find((diagnosis) => diagnosis.name === name)!,
      kickoffs: target.calls.filter(({ operation }) => operation === 'kickoff').length,
    }
  } finally {
    await target.close()
  }
}

test('a healthy crew shows no problem, and its execution was seen to end', async () => {
  const { diagnoses, kickoff: kicked, kickoffs } = await checked({})
  expect(kicked).toBe('ended')
  expect(kickoffs).toBe(1)
  expect(diagnoses.filter(({ state }) => state !== 'ok' && state !== 'absent')).toEqual([])
  expect(diagnoses.map(({ code }) => code)).toEqual([
    'connection-answered',
    'connection-kept',
    'clock-unknown',
    'inputs-listed',
    'unknown-id-named',
    'no-token-refused',
    'wrong-token-refused',
    'inputs-sent',
    'execution-completed',
    'dialect-known',
    'contract-kept',
    'shape-known',
  ])
})

test.each([
  ['platform', {}],
  ['platform-2026-10', { triggered_by: 'api', execution_origin: 'deployment' }],
])('the dialect %s is told by the members of a status', async (dialect, members) => {
  const progress = { unit: 'step', completed: 3, total: null }
  const done = { state: 'SUCCESS', status: null, result: 'text', progress, ...members }
  const { find } = await checked({ status: guarded(statusOf(acts.json(done))) })
  const { code, message, meaning } = find('dialect')
  expect(code).toBe(dialect === 'platform' ? 'dialect-known' : 'dialect-2026-10')
  expect(message.split(':')[0]).toBe(dialect)
  expect(meaning.includes('POST /resume takes executionId')).toBe(dialect !== 'platform')
})

describe.concurrent('a kickoff that starts nothing is a problem with its own remedy', () => {
  test.each<[string, Act, string]>([
    ['400', acts.errorBody(400), '--inputs'],
    ['402', acts.errorBody(402), 'payment'],
    ['403', acts.errorBody(403), 'token'],
    ['404', acts.errorBody(404), 'base URL'],
    ['405', acts.errorBody(405), 'base URL'],
    ['409', acts.errorBody(409), 'conflict'],
    ['415', acts.errorBody(415), 'JSON'],
    ['429', acts.errorBody(429), 'rate limit'],
    ['500', acts.errorBody(500), 'log of the crew'],
    ['502', acts.errorBody(502), 'log of the crew'],
    ['418', acts.errorBody(418), 'log of the crew'],
    ['a page', acts.answer('<html>', 200, { 'content-type': 'text/html' }), 'no JSON'],
    ['a reset', acts.resetAtOnce, 'may have started'],
    ['silence', acts.silence, 'may have started'],
  ])('%s', async (_, act, words) => {
    // Of an answer that is slow on a busy machine, silence alone must not wait for long.
    const wait = act === acts.silence ? '300ms' : '30s'
    const { find, kickoff: kicked } = await checked({ kickoff: guarded(act) }, { wait })
    expect(kicked).toBe('not-ended')
    const { code, state, remedy } = find('execution')
    expect(state).toBe('problem')
    expect(code).toMatch(/^execution-(rejected|unknown)$/)
    expect(remedy).toContain(words)
    expect(remedy).not.toContain('--wait')
    expect(find('contract').message).not.toContain('0 answers')
  })
})

describe.concurrent('an execution whose end nobody sees is never good', () => {
  test.each<[string, Act, string, Diagnosis['state'], string]>([
    ['runs on', acts.running(), 'runs-on', 'warning', '--wait'],
    ['answers cannot be read', acts.answer('nonsense'), 'unreadable', 'problem', 'no JSON'],
    ['answers 500', acts.errorBody(500), 'unreadable', 'problem', 'log of the crew'],
    ['is mute', acts.silence, 'unreadable', 'problem', 'log of the crew'],
    ['drips', acts.drip(acts.completedText, 200), 'unreadable', 'problem', 'log of the crew'],
  ])('status %s', async (_, act, code, state, words) => {
    const status = guarded(statusOf(act))
    const { find, kickoff: kicked } = await checked({ status }, { wait: '3s' })
    expect(kicked).toBe('not-ended')
    expect(find('execution')).toMatchObject({
      code: `execution-${code}`,
      state,
      remedy: expect.stringContaining(words),
    })
  })
})

describe.concurrent('the time of a check is bounded', () => {
  const SHORT = { wait: '300ms', firstCall: '400ms' }

  test('a crew that never answers is given up after --first-call', async () => {
    const began = performance.now()
    await expect(checked({ inputs: acts.silence }, SHORT)).rejects.toThrow('no answer')
    expect(performance.now() - began).toBeLessThan(5_000)
  })

  test('a crew that is mute after one answer gets no kickoff', async () => {
    const inputs = acts.inTurn(acts.json({ inputs: [] }), acts.silence)
    const silent = { inputs, kickoff: acts.silence, status: acts.silence }
    const { kickoff: kicked, kickoffs, find } = await checked(silent, SHORT)
    expect(kicked).toBe('skipped')
    expect(kickoffs).toBe(0)
    expect(find('keep-alive')).toMatchObject({ code: 'second-unanswered', state: 'problem' })
  })

  test('whatever stays mute, the bounds that are told are kept', async () => {
    const onFree = vi.fn<NonNullable<CheckOptions['onFree']>>()
    const mute = { status: acts.silence, kickoff: acts.silence }
    const began = performance.now()
    // The inputs of the run are answered late on a busy machine.
    await checked(mute, { ...SHORT, wait: '1s', onFree })

    expect(performance.now() - began).toBeLessThan(10_000)
    expect(onFree).toHaveBeenCalledExactlyOnceWith({ firstMicros: 400_000, restMicros: 400_000 })
  })
})

test('a kickoff that nobody confirms has a row that says so', async () => {
  const {
    find,
    kickoff: kicked,
    kickoffs,
  } = await checked({}, { confirmKickoff: async () => false })
  expect([kicked, kickoffs]).toEqual(['declined', 0])
  expect(find('execution')).toMatchObject({
    code: 'kickoff-declined',
    state: 'absent',
    remedy: expect.stringContaining('--yes'),
  })
})

test('none is wanted: no row, nothing sent', async () => {
  const { find, kickoff: kicked, kickoffs } = await checked({}, { confirmKickoff: null })
  expect([kicked, kickoffs, find('execution')]).toEqual(['skipped', 0, undefined])
})

/** Answers after a while with the `Date` of `atMs`, counted from when the request came. */
function dated(delayMs: number, atMs: number): Act {
  return (socket, call) => {
    const date = new Date(Date.now() + atMs).toUTCString()
    const act = acts.json({ inputs: [] }, 200, { date })
    setTimeout(() => act(socket, call), call.nth === 0 ? delayMs : 0)
  }
}

describe.concurrent('the clock of the target', () => {
  test.each<[string, number, number, Diagnosis['state']]>([
    ['written when a slow request came', 3_500, 0, 'ok'],
    ['written when it was answered', 3_500, 3_500, 'ok'],
    ['a minute behind', 0, -60_000, 'warning'],
    ['a minute ahead', 0, 60_000, 'warning'],
    ['a minute behind a slow answer', 3_500, -60_000, 'warning'],
  ])('%s', async (_, delayMs, atMs, state) => {
    const { find } = await checked(
      { inputs: dated(delayMs, atMs) },
      { confirmKickoff: null, firstCall: '20s' },
    )
    expect(find('clock')).toMatchObject({
      code: state === 'ok' ? 'clock-close' : 'clock-off',
      state,
      message: expect.stringMatching(
        state === 'ok' ? /^within/ : atMs < 0 ? /^\d.* behind ours$/ : /^\d.* ahead of ours$/,
      ) as string,
    })
    expect(find('connection')).toMatchObject(
      delayMs > 3_000
        ? { code: 'connection-cold', state: 'warning' }
        : { code: 'connection-answered', state: 'ok' },
    )
  })
})

test.each([
  ['PAUSED', 'PAUSED'],
  ['NOT FOUND', 'STARTED'],
])(
  'a crew that asks a person, and answers %s meanwhile, is told as paused',
  async (state, first) => {
    let polls = 0
    const status: Act = (socket, call) =>
      acts.json({ state: polls++ === 0 ? first : state, status: null, progress: null })(
        socket,
        call,
      )
    const { find } = await checked({ status: guarded(statusOf(status)) }, { wait: '5s' })
    const { code, message, remedy, state: judged } = find('execution')
    expect(code).toBe('execution-paused')
    expect(message).toMatch(new RegExp(`^paused \\(${state}\\)`))
    expect({ judged, remedy }).toEqual({
      judged: 'warning',
      remedy: expect.stringContaining('a person is asked') as string,
    })
  },
)
