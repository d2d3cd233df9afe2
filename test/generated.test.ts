/** What is generated is what the code generates: `npm run generate` writes it anew. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { generatedFiles } from '../tools/generate/files.ts'

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

test.each([...generatedFiles(read)])('%s', (path, text) => {
  expect(read(path)).toBe(text)
})
