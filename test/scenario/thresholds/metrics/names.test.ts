/** Names of metrics as types: the compiler takes every name of the grammar, and no slip of one. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { OUTCOMES } from '../../../../src/scenario/outcomes.ts'
import { METRIC_FAMILIES, parseMetric } from '../../../../src/scenario/thresholds/metrics/index.ts'
import { temporaryFolder } from '../../../support/cli.ts'

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))

const WORDS: Readonly<Record<string, readonly string[]>> = {
  operation: ['inputs', 'kickoff', 'status'],
  statistic: ['p50', 'p99.9', 'p12.5', 'min', 'max', 'mean'],
  quantile: ['p50', 'p99.9'],
  outcome: OUTCOMES,
  name: ['mine', 'mentions the topic'],
}

/** All names of a pattern: `<operation>.error` is three. */
function namesOf(pattern: string): string[] {
  const [all, inner] = /<([^>]+)>/.exec(pattern) ?? []
  if (all === undefined || inner === undefined) return [pattern]
  const words = WORDS[inner] ?? inner.split('|')
  return words.flatMap((word) => namesOf(pattern.replace(all, word)))
}

async function typeErrors(metrics: readonly string[]): Promise<string> {
  await using folder = await temporaryFolder()
  const lines = metrics.map((metric) => `    ${JSON.stringify(metric)}: '< 1',`)
  const text = `import { defineScenario } from 'crewload'
export default defineScenario({
  name: 'typed',
  arrivals: { clients: 1, iterations: 1 },
  inputs: { topic: 'bees' },
  thresholds: {
${lines.join('\n')}
  },
})
`
  await writeFile(join(folder.path, 'typed.ts'), text)
  const compilerOptions = {
    target: 'es2022',
    module: 'preserve',
    moduleResolution: 'bundler',
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: true,
    paths: { crewload: [join(ROOT, 'dist/src/index.d.ts')] },
  }
  await writeFile(join(folder.path, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
  const told = await promisify(execFile)(process.execPath, [compiler, '-p', folder.path]).then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  )
  return told
}

test('every name of the grammar compiles', async () => {
  const names = METRIC_FAMILIES.flatMap(({ pattern }) => namesOf(pattern))
  expect(names.filter((name) => parseMetric(name) === undefined)).toEqual([])
  expect(names.length).toBeGreaterThan(100)
  expect(await typeErrors([...new Set(names)])).toBe('')
})

test.each([
  'kickof.response.p95',
  'kickoff.respons.p95',
  'kickoff.response.95',
  'execution.complete.p95',
  'outcome.complete',
  'detectiondelay.p95',
  'polls.waste',
])('%s does not', async (slip) => {
  expect(parseMetric(slip)).toBeUndefined()
  expect(await typeErrors([slip])).toContain(`'"${slip}"' does not exist in type`)
})
