/** What a k6 script takes from its environment, and when it refuses to begin. */
import { describe, expect, test } from 'vitest'
import { readSettings } from '../../../src/host/k6/settings.ts'
import { testPlan } from '../../support/plan.ts'
import { StillWorld } from './world.ts'

const world = new StillWorld()
const plan = testPlan({})
const here = { CREWLOAD_TARGET: 'http://127.0.0.1:8000/base' }
const there = { CREWLOAD_TARGET: 'https://crew.example.com' }

describe('readSettings', () => {
  test('takes the target of the environment, else the one that the script was made for', () => {
    expect(readSettings(world, here, plan, 'http://localhost').target).toBe(
      'http://127.0.0.1:8000/base',
    )
    expect(readSettings(world, {}, plan, 'http://localhost').target).toBe('http://localhost')
    expect(() => readSettings(world, {}, plan)).toThrow(
      'CREWLOAD_TARGET: expected the base URL of a crew',
    )
  })

  test.each([
    'crew.example.com',
    'ftp://127.0.0.1',
    'http://user:secret@127.0.0.1',
    'http://127.0.0.1/?a',
  ])('refuses %s, and does not repeat it', (target) => {
    const read = (): unknown => readSettings(world, { CREWLOAD_TARGET: target }, plan)
    expect(read).toThrow('CREWLOAD_TARGET: expected the base URL of a crew')
    expect(read).not.toThrow(target)
  })

  test.each(['http://localhost', 'http://127.0.0.1:1/x', 'http://[::1]:8000'])(
    'needs no budget for %s',
    (target) => {
      expect(readSettings(world, { CREWLOAD_TARGET: target }, plan).target).toBe(target)
    },
  )

  test('needs a script with a budget of kickoffs where they may cost money', () => {
    expect(() => readSettings(world, there, plan)).toThrow(
      'so the script must be made with a budget of kickoffs',
    )
    const budget = { kickoffs: 10, requests: null, wallMicros: null }
    expect(readSettings(world, there, testPlan({ budget })).target).toBe('https://crew.example.com')
  })

  test('reads tokens and header values line by line', () => {
    const headers = { 'x-api-key': '', 'x-tenant': '' }
    const withHeaders = testPlan({ http: { ...plan.http, headers } })
    const told = {
      ...here,
      CREWLOAD_TOKEN: 'one\n two \n',
      CREWLOAD_HEADERS: 'X-API-Key: a: b\nx-tenant:t',
    }
    expect(readSettings(world, told, withHeaders)).toMatchObject({
      tokens: ['one', 'two'],
      headers: { 'x-api-key': 'a: b', 'x-tenant': 't' },
    })
    expect(() =>
      readSettings(world, { ...told, CREWLOAD_HEADERS: 'x-tenant: t' }, withHeaders),
    ).toThrow('CREWLOAD_HEADERS: missing line "x-api-key: ..."')
  })
})
