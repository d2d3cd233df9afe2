/** Paths and members by the rules of a scenario, with mistakes of the flags that give them. */
import { expect, test } from 'vitest'
import { wayFacts, waysOf } from '../../../src/run/target/ways.ts'

test('what is left out is as documented', () => {
  const paths = { inputs: '/inputs', kickoff: '/start', status: '/status/{id}' }
  expect(waysOf({ paths: { kickoff: '/start' } })).toEqual({ paths, members: {} })
  expect(wayFacts({})).toEqual({})
  expect(wayFacts({ members: { meta: { key: 'sesame' } } })).toEqual({ members: ['meta'] })
})

test('every mistake is told at once, at its flag', () => {
  const wrong = { paths: { status: '/status', kick: '/k' }, members: { inputs: {} } }
  expect(() => waysOf(wrong)).toThrow(/^--paths kick: unknown key/m)
  expect(() => waysOf(wrong)).toThrow(/^--paths status: expected a path with \{id\} once/m)
  expect(() => waysOf(wrong)).toThrow(/^--members: expected only what stands beside/m)
})
