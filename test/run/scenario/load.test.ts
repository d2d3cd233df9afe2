/** Scenario files from any folder: what loads, and how every failure is told. */
import { mkdtemp, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { loadScenario, shippedScenarios } from '../../../src/run/scenario/load.ts'
import { planLoaded } from '../../../src/run/scenario/files.ts'
import { describe as describeArrivals } from '../../../src/scenario/arrivals/index.ts'
import { decidability, decidabilityNotes } from '../../../src/result/verdict/decidable.ts'
import { temporaryFolder } from '../../support/cli.ts'

const { path: folder, [Symbol.asyncDispose]: remove } = await temporaryFolder()
afterAll(remove)

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}

const SCENARIO = `{ name: 'mine', arrivals: { rate: '1/s', for: '1m' }, inputs: { topic: 'bees' } }`

test('TypeScript outside any project may import crewload', async () => {
  const path = await file(
    'mine.ts',
    `import { defineScenario } from 'crewload'\nconst name: string = 'typed'\n` +
      `export default defineScenario({ ...${SCENARIO}, name })`,
  )
  expect(await loadScenario(path)).toMatchObject({
    scenario: { name: 'typed' },
    source: path,
    folder,
  })
})

test.each([
  ['plain.mjs', `export default ${SCENARIO}`],
  ['common.cjs', `const { join } = require('node:path'); module.exports = ${SCENARIO}`],
  ['data.json', `{ "name": "mine" }`],
])('%s loads', async (name, text) => {
  expect(await loadScenario(await file(name, text))).toMatchObject({ scenario: { name: 'mine' } })
})

test('what is named .json is data, wherever its link leads', async () => {
  const program = await file('program.mjs', 'export default { name: String(1 + 1) }')
  const path = join(folder, 'linked.json')
  await symlink(program, path)
  await expect(loadScenario(path)).rejects.toThrow(/linked\.json:1:1: /)
})

test('a file sees its own place', async () => {
  const path = await file('place.mjs', 'export default { name: import.meta.url }')
  const { scenario } = await loadScenario(path)
  expect(scenario).toEqual({ name: `file://${path}` })
})

test('a syntax error is told with file, line and column', async () => {
  const path = await file('broken.ts', 'export default {\n  name: ,\n}')
  await expect(loadScenario(path)).rejects.toMatchObject({
    name: 'UserError',
    mistakes: [
      {
        source: expect.stringMatching(/broken\.ts$/),
        line: 2,
        column: 9,
        problem: 'Unexpected ","',
      },
    ],
  })
})

test('an import that is not there is told with its place', async () => {
  const path = await file('lonely.ts', `import 'no-such-package-anywhere'\nexport default {}`)
  await expect(loadScenario(path)).rejects.toThrow(/lonely\.ts:1:8: Could not resolve/)
})

test('an exception is told with the place in the source, not in the bundle', async () => {
  const path = await file(
    'throws.ts',
    'interface Unused { a: 1 }\n\nfunction fail(): never {\n  throw new Error("no luck")\n}\nexport default fail()',
  )
  await expect(loadScenario(path)).rejects.toMatchObject({
    mistakes: [
      {
        source: expect.stringMatching(/throws\.ts$/),
        line: 4,
        column: 9,
        problem: 'it threw Error: no luck',
      },
    ],
  })
})

test('anything may be thrown', async () => {
  const path = await file('odd.mjs', 'throw null')
  await expect(loadScenario(path)).rejects.toThrow('it threw null')
})

test('a file without a default export is told what to write', async () => {
  const path = await file('nothing.ts', 'export const scenario = {}')
  await expect(loadScenario(path)).rejects.toThrow('no default export: write "export default')
})

test('a name that is nearly right gets the nearest, and the list', async () => {
  await expect(loadScenario('stedy')).rejects.toThrow(
    /^stedy: no such file, and no shipped scenario of this name \(chaos, closed, demo, .*steady\); did you mean "steady"\?$/,
  )
})

test('nothing is left behind', async () => {
  const path = await file('again.mjs', 'throw new Error("x")')
  const temporary = await mkdtemp(join(folder, 'temporary-'))
  vi.stubEnv('TMPDIR', temporary)
  await loadScenario('smoke')
  await loadScenario(path).catch(() => null)
  vi.unstubAllEnvs()
  expect(await readdir(temporary)).toEqual([])
})

const SHIPPED = [
  'chaos',
  'closed',
  'demo',
  'ramp',
  'rate-limit',
  'recovery',
  'retry-storm',
  'smoke',
  'soak',
  'spike',
  'steady',
]

test('a scenario ships for each use', async () => {
  expect(await shippedScenarios()).toEqual(SHIPPED)
})

test.each(SHIPPED)(
  'the shipped %s has a plan under its own name, with thresholds that it can measure',
  async (name) => {
    const plan = await planLoaded(await loadScenario(name))
    expect(plan.name).toBe(name)
    expect(plan.thresholds.length).toBeGreaterThan(2)
    expect(decidabilityNotes(decidability(plan))).toEqual([])
  },
)

test('in a time-lapse of 120 the demo kicks off for 28 s, at half of what ten workers can do', async () => {
  const { arrivals } = await planLoaded(await loadScenario('demo'), { speed: 120 })
  const { durationMicros, peakPerSecond } = describeArrivals(arrivals)
  expect(durationMicros).toBe(28_000_000)
  expect(peakPerSecond).toBeCloseTo(8)
})
