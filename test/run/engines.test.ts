import { describe, expect, test } from 'vitest'
import { UserError } from '../../src/base/mistakes.ts'
import { parseEngine } from '../../src/run/engines.ts'

function mistakesOf(text: string): string[] {
  try {
    parseEngine(text)
  } catch (error) {
    if (error instanceof UserError) return error.message.split('\n')
    throw error
  }
  return []
}

describe('the name of an engine', () => {
  test.each([
    ['node', { kind: 'node' }],
    ['virtual', { kind: 'virtual' }],
    ['k6', { kind: 'k6' }],
  ])('%s', (text, engine) => {
    expect(parseEngine(text)).toEqual(engine)
  })

  test.each([
    ['nod', /^--engine: expected one of node, virtual, k6 \(found "nod"\); did you mean "node"/],
    ['node:2', /^--engine: expected one of .* \(found "node:2"\)/],
    ['k6:iterations', /^--engine: expected one of .* \(found "k6:iterations"\)/],
    ['node,virtual', /^--engine: expected one of .* \(found "node,virtual"\)/],
  ])('%s is refused with what is allowed', (text, told) => {
    expect(mistakesOf(text)).toEqual([expect.stringMatching(told)])
  })

  test.each(['', 'node:', 'toString', '__proto__', 'Node'])('%j is none', (text) =>
    expect(mistakesOf(text)).toHaveLength(1),
  )
})
