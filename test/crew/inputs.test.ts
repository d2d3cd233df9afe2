/** What an answer with 422 says about inputs, in each form that is known. */
import { expect, test } from 'vitest'
import { missingInputsIn } from '../../src/crew/inputs/refused.ts'
import { missingInputsOf, notGivenWords } from '../../src/crew/inputs/sentences.ts'
import { answer } from './support.ts'

const FASTAPI = {
  detail: [
    { type: 'missing', loc: ['body', 'inputs', 'topic'], msg: 'Field required' },
    { type: 'string_type', loc: ['body', 'inputs', 'tone'], msg: 'Input should be a string' },
    { type: 'missing', loc: ['body', 'inputs', 'audience'], msg: 'Field required' },
    { type: 'missing', loc: ['body'] },
  ],
}

test.each([
  [{ error: 'x', details: { missing_inputs: ['topic', 'tone'] } }, ['topic', 'tone']],
  [{ detail: 'Missing inputs: audience, topic' }, ['audience', 'topic']],
  [FASTAPI, ['topic', 'audience']],
  [{ detail: 'no' }, []],
  [{ details: { missing_inputs: [1, null, 'topic', 'x'.repeat(201)] } }, ['topic']],
  [{ details: 'topic' }, []],
  [['topic'], []],
  ['not JSON', []],
])('%j', (body, names) => {
  expect(missingInputsIn(answer(body, 422))).toEqual(names)
})

test('many names are read and shown in part', () => {
  const many = Array.from({ length: 5_000 }, (_, i) => `n${i}`)
  const read = missingInputsIn(answer({ details: { missing_inputs: many } }, 422))
  expect(read).toHaveLength(100)
  expect(notGivenWords(missingInputsOf(many))).toContain('and 4980 more')
})
