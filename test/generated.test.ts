/** What is generated is what the code generates: `npm run generate` writes it anew. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { generatedFiles } from '../tools/generate/files.ts'

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

test.each([...generatedFiles(read)])('%s', (path, text) => {
  expect(read(path)).toBe(text)
})

test('no schema is left of what is no longer generated', () => {
  const generated = [...generatedFiles(read).keys()].filter((path) => path.startsWith('schemas/'))
  const schemas = readdirSync(new URL('../schemas', import.meta.url))
  expect(schemas.map((name) => `schemas/${name}`).sort()).toEqual(generated.sort())
})
