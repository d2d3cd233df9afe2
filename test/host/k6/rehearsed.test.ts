/**
 * The author's functions in k6's init context: what is missing there ends the script, once a
 * process and before any VU begins.
 */
import { expect, test } from 'vitest'
import { demandRehearsed } from '../../../src/host/k6/script.ts'
import { rehearse } from '../../../src/scenario/author/rehearsal.ts'
import { planScenario } from '../../../src/scenario/schema/index.ts'
import { StillWorld } from './world.ts'

/** Stands for what Node has and k6 has not. */
let isNode = true

function missing(name: string): void {
  if (!isNode) throw new ReferenceError(`${name} is not defined`)
}

const SCENARIO = {
  name: 'mine',
  arrivals: { rate: '1/s', for: '1m' },
  inputs: () => {
    missing('Intl')
    return { topic: 'bees' }
  },
  checks: {
    plain: () => true,
    grouped: () => {
      if (!isNode) throw new TypeError("Object has no member 'groupBy'")
      return true
    },
    json: ({ output }: { output: string }) => JSON.parse(output).steps.length > 0,
  },
}

function demanded(inNode: boolean, firstReading = true): () => void {
  isNode = true
  const plan = planScenario(SCENARIO, { source: 'mine' })
  const { mistakes, answered } = rehearse(plan)
  expect(mistakes).toEqual([])
  expect(answered).toEqual([
    ['plain', [0, 1, 2]],
    ['grouped', [0, 1, 2]],
    ['json', []],
  ])
  const world = new StillWorld()
  world.firstReading = firstReading
  return () => {
    isNode = inNode
    demandRehearsed(world, plan, { rehearsed: answered })
  }
}

test('each function that fails there and not elsewhere is named, with what is missing', () => {
  expect(demanded(false)).toThrow(
    /^the scenario does not work in k6: inputs: ReferenceError: Intl is not defined .*: k6's JavaScript engine has no Intl; checks\.grouped: TypeError: .*: k6's JavaScript engine has no groupBy$/,
  )
})

test('a check that throws for made-up results elsewhere too is left to the run', () => {
  expect(demanded(true)).not.toThrow()
})

test('a VU that begins tries nothing again', () => {
  expect(demanded(false, false)).not.toThrow()
})
