/** Names that every object has, wherever a target or an author may write one. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ResultDocument } from '../../../src/result/document.ts'
import { cli, temporaryFolder } from '../../support/cli.ts'
import { OBJECT_NAMES } from '../../support/object-names.ts'

/** JavaScript itself keeps this one from being a key like the others. */
const KEYS = OBJECT_NAMES.filter((name) => name !== '__proto__')

const CREW = `name: constructor
inputs: ${JSON.stringify(OBJECT_NAMES)}
tasks:
${OBJECT_NAMES.map((name) => `  - { id: ${name}, agent: ${name}, duration: 200ms, output: 20B }`).join('\n')}
capacity: { workers: 2 }
`

const SCENARIO = `import { defineScenario } from 'crewload'
const names = ${JSON.stringify(OBJECT_NAMES)}
const keys = ${JSON.stringify(KEYS)}
const record = (of, value) => Object.fromEntries(of.map((name) => [name, value(name)]))
export default defineScenario({
  name: '__proto__',
  arrivals: { rate: '1/s', for: '40s' },
  inputs: () => record(names, (name) => name),
  tags: record(keys, (name) => name),
  headers: record(keys.map((name) => name.toLowerCase()), (name) => name),
  checks: record(keys, () => () => true),
  thresholds: record(keys.map((name) => 'checks.' + name), () => '>= 100%'),
  polling: { fixed: '500ms' },
  deadline: '1m',
})
`

test('a run of such names is measured, reported, rendered, compared and learned from', async () => {
  await using folder = await temporaryFolder()
  const at = (name: string): string => join(folder.path, name)
  await writeFile(at('crew.yaml'), CREW)
  await writeFile(at('toString.ts'), SCENARIO)
  const call = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await cli(args, { cwd: folder.path })
    expect(code, `${args.join(' ')}\n${stdout}\n${stderr}`).not.toBe(70)
    expect(code, `${args.join(' ')}\n${stdout}\n${stderr}`).not.toBe(2)
    return stdout
  }
  for (const seed of ['1', '2']) {
    const options = ['--profile', 'crew.yaml', '--engine', 'virtual', '--seed', seed]
    await call('run', 'toString.ts', ...options, '--out', at(`run-${seed}/`))
  }
  const folders = await Promise.all(['run-1', 'run-2'].map(async (each) => runFolder(at(each))))
  const result = JSON.parse(
    await readFile(join(folders[0]!, 'result.json'), 'utf8'),
  ) as ResultDocument
  expect(result.checks.map(({ name, passed }) => [name, passed])).toEqual(
    KEYS.toSorted().map((name) => [name, 40]),
  )
  expect(Object.keys(result.tags).toSorted()).toEqual(
    KEYS.map((name) => `${name}=${name}`).toSorted(),
  )
  const tasks = new Set(result.breakdown[0]!.parts.map(({ name }) => name))
  expect(OBJECT_NAMES.filter((name) => !tasks.has(name))).toEqual([])
  expect(result.thresholds.filter(({ status }) => status === 'met').length).toBeGreaterThanOrEqual(
    KEYS.length,
  )

  await call('report', 'render', folders[0]!)
  await call('twin', folders[0]!, '--out', at('twin.yaml'))
  await call('compare', folders[0]!, folders[1]!, '--out', at('compare/'))
  await call('polling', folders[0]!, '--out', at('polling/'))
})

test.each(['checks', 'tags', 'headers'])(
  '%s refuse the name __proto__ with words',
  async (part) => {
    await using folder = await temporaryFolder()
    const value = part === 'checks' ? '() => true' : '"text"'
    const scenario = `import { defineScenario } from 'crewload'
export default defineScenario({ name: 'a', arrivals: { clients: 1, iterations: 1 }, inputs: {},
  ${part}: { ['__proto__']: ${value} } })`
    await writeFile(join(folder.path, 'a.ts'), scenario)
    const { code, stderr } = await cli(['run', 'a.ts', '--profile', 'fast', '--dry-run'], {
      cwd: folder.path,
    })
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('__proto__'),
    })
  },
)

async function runFolder(parent: string): Promise<string> {
  return (await readdir(parent)).includes('result.json')
    ? parent
    : join(
        parent,
        (await readdir(parent)).find((each) => !each.startsWith('.'))!,
      )
}
