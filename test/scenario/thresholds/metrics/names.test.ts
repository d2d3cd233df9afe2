/** Names of metrics as types: the compiler takes every name of the grammar, and no slip of one. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { OUTCOMES } from '../../../../src/scenario/outcomes.ts'
import { METRIC_FAMILIES, parseMetric } from '../../../../src/scenario/thresholds/metrics.ts'
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

const SLIPS = [
  'kickof.response.p95',
  'kickoff.respons.p95',
  'kickoff.response.95',
  'execution.complete.p95',
  'outcome.complete',
  'detectiondelay.p95',
  'polls.waste',
]

/** The names of all families, each once. */
const NAMES = [...new Set(METRIC_FAMILIES.flatMap(({ pattern }) => namesOf(pattern)))]

/** The scenarios, a file each, which the compiler reads together. */
const FILES = new Map([
  ['names.ts', scenarioOf(NAMES)],
  ...SLIPS.map((slip, i): [string, string] => [`slip-${i}.ts`, scenarioOf([slip])]),
])

function scenarioOf(metrics: readonly string[]): string {
  const lines = metrics.map((metric) => `    ${JSON.stringify(metric)}: '< 1',`)
  return `import { defineScenario } from 'crewload'
export default defineScenario({
  name: 'typed',
  arrivals: { clients: 1, iterations: 1 },
  inputs: { topic: 'bees' },
  thresholds: {
${lines.join('\n')}
  },
})
`
}

/** What the compiler says about each of `FILES`. */
async function typeErrors(): Promise<Map<string, string>> {
  await using folder = await temporaryFolder()
  for (const [name, text] of FILES) await writeFile(join(folder.path, name), text)
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
  const told = await promisify(execFile)(
    process.execPath,
    [compiler, '-p', folder.path, '--pretty', 'false'],
    { cwd: folder.path },
  ).then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  )
  const errors = told.split(/^(?=\S)/m)
  const errorsOf = (name: string): string =>
    errors.filter((error) => error.startsWith(`${name}(`)).join('')
  const others = errors.filter((error) => !/^(?:names|slip-\d)\.ts\(/.test(error))
  expect(others.join('')).toBe('')
  return new Map([...FILES.keys()].map((name) => [name, errorsOf(name)]))
}

let errors: ReadonlyMap<string, string>

beforeAll(async () => {
  errors = await typeErrors()
})

test('every name of the grammar compiles', () => {
  expect(NAMES.filter((name) => parseMetric(name) === undefined)).toEqual([])
  expect(NAMES.length).toBeGreaterThan(100)
  expect(errors.get('names.ts')).toBe('')
})

test.each(SLIPS.map((slip, i) => [slip, `slip-${i}.ts`] as const))('%s does not', (slip, file) => {
  expect(parseMetric(slip)).toBeUndefined()
  expect(errors.get(file)).toContain(`'"${slip}"' does not exist in type`)
})
