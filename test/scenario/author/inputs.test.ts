/**
 * Inputs: every form, the same for the same index and seed, in whatever order they are asked for.
 */
import type { InputsOption, TagsOption } from 'crewload'
import { array, assert, constantFrom, nat, property } from 'fast-check'
import { expect, test } from 'vitest'
import { createRandom } from '../../../src/base/random.ts'
import { createInputSource } from '../../../src/scenario/author/inputs.ts'

const source = (inputs: InputsOption, tags: TagsOption = {}, rows: Record<string, string>[] = []) =>
  createInputSource({ inputs, tags, rows }, createRandom(7))

const topics = (inputs: InputsOption, count: number) => {
  const at = source(inputs)
  return Array.from({ length: count }, (_, index) => at(index).inputs['topic'])
}

test('an object is the same for every arrival', () => {
  expect(source({ topic: 'bees' })(12)).toEqual({ inputs: { topic: 'bees' }, tags: {} })
})

test('a list is used in order, again and again', () => {
  expect(topics([{ topic: 'a' }, { topic: 'b' }], 5)).toEqual(['a', 'b', 'a', 'b', 'a'])
})

test('an input may be called like an option', () => {
  expect(source({ rows: 'many', topic: 'bees' })(0).inputs).toEqual({ rows: 'many', topic: 'bees' })
})

test('weights say how often an entry is drawn', () => {
  const list = [{ inputs: { topic: 'a' }, weight: 3 }, { topic: 'b' }]
  const drawn = topics({ list, order: 'weighted' }, 4_000)
  const share = drawn.filter((topic) => topic === 'a').length / drawn.length
  expect(share).toBeGreaterThan(0.72)
  expect(share).toBeLessThan(0.78)
})

test('an order at random ignores weights', () => {
  const list = [{ inputs: { topic: 'a' }, weight: 1_000 }, { topic: 'b' }]
  const drawn = topics({ list, order: 'random' }, 4_000)
  const share = drawn.filter((topic) => topic === 'a').length / drawn.length
  expect(share).toBeGreaterThan(0.46)
  expect(share).toBeLessThan(0.54)
})

test('rows of a file are used like a list', () => {
  const at = source({ rows: 'topics.csv' }, {}, [{ topic: 'a' }, { topic: 'b' }])
  expect([at(0).inputs, at(3).inputs]).toEqual([{ topic: 'a' }, { topic: 'b' }])
})

test('a function gets the index and a stream of its own', () => {
  const at = source(({ index, random }) => ({ topic: `${index}/${random.int(1_000_000)}` }))
  expect(at(5).inputs).toEqual(at(5).inputs)
  expect(at(5).inputs).not.toEqual(at(6).inputs)
})

/** As a scenario in JavaScript may have it. */
const untyped: unknown = () => 'bees'

test('what a function gives must be an object', () => {
  const at = source(untyped as InputsOption)
  expect(() => at(0)).toThrow('inputs() must return an object, not "bees"')
})

const tagsOf = (tags: unknown) => () => source({ topic: 'bees' }, (() => tags) as TagsOption)(0)

test('a tag that is no text is named, also one that is not there', () => {
  expect(tagsOf({ size: undefined })).toThrow('tags must be text by name, and "size" is undefined')
  expect(tagsOf({ size: 'small', number: 4 })).toThrow(
    'tags must be text by name, and "number" is 4',
  )
  expect(tagsOf({ 'a=b': 'c' })).toThrow('"a=b" cannot be the name of a tag, which has no "="')
  expect(tagsOf('small')).toThrow('tags() must return an object of text, not "small"')
})

test("an entry's tags win over the scenario's", () => {
  const list = [{ inputs: { topic: 'a' }, tags: { size: 'small' } }, { topic: 'b' }]
  const at = source({ list }, ({ inputs }) => ({ topic: String(inputs['topic']), size: 'any' }))
  expect(at(0).tags).toEqual({ topic: 'a', size: 'small' })
  expect(at(1).tags).toEqual({ topic: 'b', size: 'any' })
})

test('the order of calls changes nothing', () => {
  const options: InputsOption[] = [
    { list: [{ topic: 'a' }, { topic: 'b' }, { topic: 'c' }], order: 'random' },
    ({ random }) => ({ topic: random.next() }),
  ]
  const indexes = array(nat(1_000), { minLength: 1, maxLength: 20 })
  assert(
    property(constantFrom(...options), indexes, (inputs, order) => {
      const [forwards, backwards] = [source(inputs), source(inputs)]
      const there = order.map((index) => forwards(index))
      const back = order.toReversed().map((index) => backwards(index))
      expect(back.toReversed()).toEqual(there)
    }),
    { seed: 1, numRuns: 50 },
  )
})

test.each([
  [{ topic: 'a' }, 'the same for every arrival'],
  [[{ topic: 'a' }, { topic: 'b' }], '2 entries, in order'],
  [{ list: [{ topic: 'a' }], order: 'weighted' as const }, '1 entry, by weight'],
  [() => ({}), 'made by a function'],
])('it is described for people: %j', (inputs: InputsOption, description) => {
  expect(source(inputs).description).toBe(description)
})
