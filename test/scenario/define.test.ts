/**
 * `defineScenario` types its checks by its inputs; the compiler is the test, and the values come
 * back as they were given.
 */
import type { Scenario } from 'crewload'
import { defineScenario } from 'crewload'
import { expect, expectTypeOf, test } from 'vitest'

const arrivals = { rate: '2/s', for: '1m' }

test('it returns what it was given', () => {
  const scenario = { name: 'same', arrivals, inputs: { topic: 'bees' } }
  expect(defineScenario(scenario)).toBe(scenario)
})

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
