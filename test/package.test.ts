/** What whoever installs the package gets, as far as its manifest decides it. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface Lock {
  packages: Record<string, { version: string; dev?: boolean; engines?: { node?: string } }>
}

function read(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'))
}

/**
 * Fastify's own range would bring a light-my-request whose cookie package needs Node 22: a
 * dependency of ours holds it back.
 */
test('versions are held by dependencies, since overrides do not travel with a package', () => {
  expect(read('package.json')).not.toHaveProperty('overrides')
  const { packages } = read('package-lock.json') as Lock
  expect(packages['node_modules/light-my-request']?.version).toBe('6.6.0')
  const nested = Object.keys(packages).filter((path) => path.endsWith('/light-my-request'))
  expect(nested).toEqual(['node_modules/light-my-request'])
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
