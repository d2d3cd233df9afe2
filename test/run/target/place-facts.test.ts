/** What every plan says of its place: a pure function of options and environment. */
import { describe, expect, test } from 'vitest'
import type { PlanText } from '../../../src/report/frame/render/terminal.ts'
import { placeFacts, plannedPlace } from '../../../src/run/target/chosen-place.ts'
import { placeNotes } from '../../../src/run/target/place-notes.ts'
import { designCapacity } from '../../../src/study/capacity/plan/plan.ts'
import { capacity } from '../../../src/study/capacity/study.ts'
import { designGate } from '../../../src/study/comparing/gate/plan/plan.ts'
import { gate } from '../../../src/study/comparing/gate/study.ts'
import { planLimits } from '../../../src/study/limits/plan.ts'
import { limits } from '../../../src/study/limits/study.ts'
import { designPolling } from '../../../src/study/polling/plan/plan.ts'
import { polling } from '../../../src/study/polling/study.ts'
import { designRecovery } from '../../../src/study/recovery/plan/plan.ts'
import { recovery } from '../../../src/study/recovery/study.ts'
import { designSaturation } from '../../../src/study/saturation/plan/plan.ts'
import { saturation } from '../../../src/study/saturation/study.ts'

const env = { HTTPS_PROXY: 'http://owner:sesame@proxy.example:3128' }
const target = 'https://crew.example/'
const tokens = ['short', 'long-enough']

test.each([
  [{ target, env }, 'http://proxy.example:3128'],
  [{ target, env: { ...env, NO_PROXY: '.example' } }, undefined],
  [{ target: 'http://127.0.0.1:8000', env: { HTTP_PROXY: 'http://proxy.example' } }, undefined],
  [{ profile: 'fast', env: { ALL_PROXY: 'http://proxy.example' } }, undefined],
])('the proxy of %j is %s', (options, proxy) => {
  expect(placeFacts(options).proxy).toBe(proxy)
})

test.each([
  ['fast', 'fast'],
  ['./fast.yaml', './fast.yaml'],
  ['{"name":"bees","tasks":[]}', 'bees'],
  ['tasks: [{ id: write, agent: W, duration: 1s }]', 'profile'],
])('the crew of the profile %s is called %s', (profile, name) => {
  const isSimulated = { engine: { kind: 'virtual' } } as const
  expect(plannedPlace({ profile })).toEqual({ kind: 'fake', profile: name, own: true })
  expect(plannedPlace({ profile, ...isSimulated })).toEqual({ kind: 'virtual', profile: name })
})

test('a target is a deployment, at its base URL without a slash at the end', () => {
  expect(plannedPlace({ target })).toEqual({ kind: 'deployment', target: 'https://crew.example' })
})

test('tokens count that are sent and too short to be taken out', () => {
  expect(placeFacts({ target, tokens, env: {} }).shortTokens).toBe(1)
  expect(placeFacts({ profile: 'fast', tokens, env: {} }).shortTokens).toBeUndefined()
})

test('headers count that are named as credentials and too short to be taken out', () => {
  const headers = { 'x-api-key': 'sesame', authorization: 'ApiKey tiny', 'x-tenant': 'north' }
  const facts = placeFacts({ target, tokens, env: {}, headers })
  expect(facts).toMatchObject({ shortTokens: 1, shortHeaders: 2 })
  expect(placeNotes(facts)).toEqual([
    '1 token and 2 credential headers of fewer than 8 characters: if the target repeats one, ' +
      'journal and reports show it',
  ])
  // A scenario may add some.
  expect(placeFacts({ target, env: {} }, { cookie: 'a=b' }).shortHeaders).toBe(1)
  const long = { 'x-api-key': 'long-enough', authorization: 'ApiKey long-enough' }
  expect(placeFacts({ target, env: {}, headers: long }).shortHeaders).toBeUndefined()
  expect(placeFacts({ profile: 'fast', env: {}, headers }).shortHeaders).toBeUndefined()
})

const reach = { target, tokens, env }
const there = { run: { ...reach, budget: { kickoffs: 500, requests: 90_000 } } }
const scenario = 'steady'
const PLANS: [string, () => PlanText | Promise<PlanText>][] = [
  ['limits', () => limits.planText(planLimits({ run: reach, maxKickoffs: 1 }))],
  [
    'capacity',
    async () =>
      capacity.planText(
        (await designCapacity({ ...there, scenario, slo: 'execution.p95 < 5m' })).facts,
      ),
  ],
  [
    'gate',
    async () =>
      gate.planText((await designGate({ ...there, scenario, baseline: 'none-yet' })).plan),
  ],
  ['polling', async () => polling.planText((await designPolling(there)).facts)],
  ['recovery', async () => recovery.planText((await designRecovery({ ...there, scenario })).facts)],
]

describe.each(PLANS)('the plan of %s', (_, planOf) => {
  test('names the proxy, without its password, and counts short tokens', async () => {
    const { rows, notes } = await planOf()
    const [, where] = rows.find(([name]) => name === 'target')!
    expect(where).toContain('through the proxy http://proxy.example:3128')
    expect(notes).toContainEqual(expect.stringContaining('1 token of fewer than 8 characters'))
  })
})

test('the plan of saturate, which no proxy serves, counts short tokens', () => {
  const run = { ...reach, env: {} }
  const given = { run, endpoint: 'inputs', maxRequests: 100 } as const
  const { notes } = saturation.planText(designSaturation(given).plan)
  expect(notes).toContainEqual(expect.stringContaining('1 token of fewer than 8 characters'))
})
