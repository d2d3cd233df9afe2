import { describe, expect, test } from 'vitest'
import { UserError } from '../../src/base/mistakes.ts'
import { parseEngines } from '../../src/run/engines.ts'

function mistakesOf(text: string): string[] {
  try {
    parseEngines(text)
  } catch (error) {
    if (error instanceof UserError) return error.message.split('\n')
    throw error
  }
  return []
}

describe('a list of engines', () => {
  test('names each with its folder and what it adds to a run', () => {
    expect(parseEngines('node, node:2,k6')).toEqual([
      { name: 'node', folder: 'node', engine: { kind: 'node' } },
      { name: 'node:2', folder: 'node-2', engine: { kind: 'node', workers: 2 } },
      { name: 'k6', folder: 'k6', engine: { kind: 'k6' } },
    ])
  })

  test('may hold one several times: every name and every folder is unique', () => {
    const choices = parseEngines('node,node:2,node,node:2,node')
    expect(choices.map(({ name }) => name)).toEqual([
      'node',
      'node:2',
      'node #2',
      'node:2 #2',
      'node #3',
    ])
    expect(new Set(choices.map(({ folder }) => folder)).size).toBe(5)
    for (const { folder } of choices) expect(folder).toMatch(/^[a-z0-9.-]+$/)
  })

  test('tells every fault at once', () => {
    const mistakes = mistakesOf('nod,node:0,,k6:iterations,node:2:3')
    expect(mistakes).toHaveLength(5)
    expect(mistakes[0]).toMatch(/^--engine: expected one or several of .* \(found "nod"\); did you/)
    expect(mistakes[1]).toContain('(found "node:0")')
    expect(mistakes[3]).toContain('expected k6 (found "k6:iterations")')
  })

  test.each([
    'node:x',
    'node:',
    'node:1.5',
    'node:-1',
    'node:1e9',
    'toString',
    '__proto__',
    'Node',
  ])('%s is none', (text) => expect(mistakesOf(text)).toHaveLength(1))

  test('ends somewhere', () => {
    expect(mistakesOf(Array.from({ length: 17 }, () => 'node').join(','))).toEqual([
      '--engine: expected at most 16 (found 17 engines)',
    ])
  })
})
