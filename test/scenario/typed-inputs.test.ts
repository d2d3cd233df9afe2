/** Scenarios whose inputs have a type of the author's: an interface has no index signature. */
import { expect, test } from 'vitest'
import { defineScenario } from '../../src/scenario/define.ts'
import type { AnyScenario } from '../../src/scenario/define.ts'

interface In {
  topic: string
  audience: 'experts' | 'children'
}

const base = { name: 'typed', arrivals: { clients: 1, iterations: 1 } }
const one: In = { topic: 'bees', audience: 'experts' }

/** What `run` takes. */
const taken: AnyScenario[] = []

test('an interface as the type of the inputs compiles, and types checks, tags and members', () => {
  taken.push(
    defineScenario<In>({
      ...base,
      inputs: one,
      kickoff: ({ inputs }) => ({ meta: { topic: inputs.topic.toUpperCase() } }),
      tags: ({ inputs }) => ({ audience: inputs.audience }),
      checks: { topical: ({ inputs, output }) => output.includes(inputs.topic) },
    }),
  )
  const made = (): In => one
  taken.push(
    defineScenario({
      ...base,
      inputs: made,
      checks: { topical: ({ inputs, output }) => output.includes(inputs.topic) },
    }),
  )
  taken.push(
    defineScenario({
      ...base,
      inputs: [one],
      checks: { topical: ({ inputs, output }) => output.includes(inputs.audience) },
    }),
  )
  expect(taken).toHaveLength(3)
})

test('the names of the inputs are still known, of an interface and of an object', () => {
  // @ts-expect-error: there is no such input
  defineScenario<In>({ ...base, inputs: one, checks: { x: ({ inputs }) => inputs.tone === 'a' } })
  defineScenario({
    ...base,
    inputs: ({ index, random }) => ({ topic: `topic ${index}`, draw: random.next() }),
    // @ts-expect-error: there is no such input
    checks: { x: ({ inputs }) => inputs.audience === 'a' },
  })
  // @ts-expect-error: an interface is complete or none
  defineScenario<In>({ ...base, inputs: { topic: 'bees' } })
  expect.assertions(0)
})
