/** What whoever installs the package gets, as far as its manifest decides it. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface Lock {
  packages: Record<string, { version: string; dev?: boolean; engines?: { node?: string } }>
}

function read(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'))
}

/** All others are in the bundles: an install is small, and meets no conflict of versions. */
test('what is installed beside crewload is a binary, types, and what k6 scripts are made of', () => {
  expect(read('package.json')).toMatchObject({
    dependencies: {
      esbuild: expect.anything(),
      'fastest-levenshtein': expect.anything(),
      zod: expect.anything(),
    },
  })
  const { dependencies } = read('package.json') as { dependencies: object }
  expect(Object.keys(dependencies)).toHaveLength(3)
  expect(read('package.json')).not.toHaveProperty('overrides')
})

test('no dependency asks for a newer Node than the package does', () => {
  const { packages } = read('package-lock.json') as Lock
  const newer = Object.entries(packages)
    .filter(([, { dev }]) => dev !== true)
    .filter(([, { engines }]) => /^>=? ?(2[1-9]|[3-9]\d)/.test(engines?.node ?? ''))
  expect(newer.map(([path]) => path)).toEqual([])
})

test('the documents that the README links to are in the package', () => {
  const { files } = read('package.json') as { files: string[] }
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const folders = [...readme.matchAll(/\]\((docs)\//g)].map(([, folder = '']) => folder)
  expect(folders.length).toBeGreaterThan(5)
  expect(files).toEqual(expect.arrayContaining(folders))
})

test.each(['report', 'ui'])('the script of the page "%s" carries no library of schemas', (page) => {
  const script = readFileSync(new URL(`../dist/browser/${page}.js`, import.meta.url), 'utf8')
  expect(script).not.toContain('ZodError')
  expect(script.length).toBeLessThan(50_000)
})
