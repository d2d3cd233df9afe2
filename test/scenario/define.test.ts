/**
 * `defineScenario` types its checks by its inputs; the compiler is the test, and the values come
 * back as they were given.
 */
import type { Scenario } from 'crewload'
import { defineScenario } from 'crewload'
import { expect, expectTypeOf, test } from 'vitest'
import type { AnyScenario, ReplayedScenario } from '../../src/scenario/define.ts'

const arrivals = { rate: '2/s', for: '1m' }

test('a check sees the inputs of a function, with names and types', () => {
  defineScenario({
    name: 'function',
    arrivals,
    inputs: ({ index, random }) => ({ topic: `topic ${index}`, level: random.int(3) }),
    tags: ({ inputs }) => ({ level: String(inputs.level) }),
    checks: {
      'mentions the topic': ({ inputs, output }) => {
        expectTypeOf(inputs.topic).toEqualTypeOf<string>()
        expectTypeOf(inputs.level).toEqualTypeOf<number>()
        return output.includes(inputs.topic)
      },
      'has no such input': ({ inputs }) => {
        // @ts-expect-error: no input of this name
        return inputs.subject === undefined
      },
    },
  })
})

test('a check sees the inputs of a plain object', () => {
  const typed = defineScenario({
    name: 'object',
    arrivals,
    inputs: { topic: 'bees' },
    checks: {
      mentions: ({ inputs, output }) => {
        expectTypeOf(inputs.topic).toEqualTypeOf<string>()
        return output.includes(inputs.topic)
      },
    },
  })
  expectTypeOf(typed).toExtend<Scenario>()
})

test('a check sees the inputs of list entries, with and without weights', () => {
  defineScenario({
    name: 'list',
    arrivals,
    inputs: {
      list: [{ inputs: { topic: 'bees' }, weight: 3, tags: { size: 'small' } }, { topic: 'wasps' }],
      order: 'weighted',
    },
    checks: {
      mentions: ({ inputs, output }) => {
        expectTypeOf(inputs.topic).toEqualTypeOf<string>()
        return output.includes(inputs.topic)
      },
    },
  })
  defineScenario({
    name: 'array',
    arrivals,
    inputs: [{ topic: 'bees' }, { topic: 'wasps' }],
    checks: { mentions: ({ inputs, output }) => output.includes(inputs.topic) },
  })
})

test('rows of a file are strings by column', () => {
  defineScenario({
    name: 'rows',
    arrivals,
    inputs: { rows: 'topics.csv' },
    checks: {
      mentions: ({ inputs, output }) => {
        expectTypeOf(inputs['topic']).toEqualTypeOf<string | undefined>()
        return output.includes(inputs['topic'] ?? '')
      },
    },
  })
})

test('a recording brings the inputs, or some of them', () => {
  const recorded = { replay: 'access.log', inputs: { topic: 'q' } }
  const taken: AnyScenario[] = [
    {
      name: 'recorded',
      arrivals: recorded,
      tags: ({ inputs }) => ({ topic: String(inputs['topic']) }),
      checks: { mentions: ({ inputs, output }) => output.includes(String(inputs['topic'])) },
    } satisfies ReplayedScenario,
    defineScenario({
      name: 'both',
      arrivals: recorded,
      inputs: { audience: 'experts' },
      checks: { mentions: ({ inputs, output }) => output.includes(inputs.audience) },
    }),
  ]
  expect(taken).toHaveLength(2)
  // @ts-expect-error: neither has inputs
  defineScenario({ name: 'none', arrivals: { replay: 'access.log' } })
  // @ts-expect-error: nor do these arrivals bring any
  const none: ReplayedScenario = { name: 'none', arrivals: { replay: 'access.log' } }
  expect(none.inputs).toBeUndefined()
  // @ts-expect-error: nor has this
  defineScenario({ name: 'none', arrivals })
})

interface In {
  topic: string
  audience: 'experts' | 'children'
}

const base = { name: 'typed', arrivals }
const one: In = { topic: 'bees', audience: 'experts' }

test('an interface as the type of the inputs compiles, and types checks, tags and members', () => {
  /** What `run` takes. */
  const taken: AnyScenario[] = [
    defineScenario<In>({
      ...base,
      inputs: one,
      kickoff: ({ inputs }) => ({ meta: { topic: inputs.topic.toUpperCase() } }),
      tags: ({ inputs }) => ({ audience: inputs.audience }),
      checks: { topical: ({ inputs, output }) => output.includes(inputs.topic) },
    }),
    defineScenario({
      ...base,
      inputs: (): In => one,
      checks: { topical: ({ inputs, output }) => output.includes(inputs.topic) },
    }),
    defineScenario({
      ...base,
      inputs: [one],
      checks: { topical: ({ inputs, output }) => output.includes(inputs.audience) },
    }),
  ]
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
