/**
 * The ten tests of a client that the documents show: they pass under four runners, each with its
 * own first lines, and a client that does one thing wrong does not pass them.
 */
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execFile } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../support/cli.ts'
import { BLOCKS, ROOT, read } from '../documents/documents.ts'

/** All blocks that show a part of this file, one after another. */
function shown(file: string): string {
  const parts = BLOCKS.filter((block) => block.file === file).map(({ text }) => text)
  expect(parts).not.toEqual([])
  return parts.join('')
}

const TESTS = shown('the-tests.js')
const NAMES = [...TESTS.matchAll(/^test\('(.*)', async/gm)].map(([, name = '']) => name)
const CLIENT = shown('crew-client.js')
const OF_NODE = shown('client.node.test.mjs')

/** In place of what node:test gives, as the documents say. */
const OF_MOCHA = OF_NODE.replace("test } from 'node:test'", "it as test } from 'mocha'")

/** As the documents say: the end of the client that stands there, in place of `export`. */
const [, END_OF_JEST = ''] = /`(module\.exports = .*?)`/.exec(read('docs/your-tests.md'))!
const CLIENT_OF_JEST = `${CLIENT.replace('export ', '')}${END_OF_JEST}\n`

const tool = (name: string): string => join(ROOT, 'node_modules', name)

interface Runner {
  file: string
  head: string
  command: readonly string[]
  /** Which of its output counts what passed. */
  passed: RegExp
  /** Default: the one of the documents, an ES module. */
  client?: string
}

const TAP = '--test-reporter=tap'

const RUNNERS: Record<string, Runner> = {
  vitest: {
    file: 'client.test.js',
    head: shown('client.test.js'),
    command: [tool('vitest/vitest.mjs'), 'run', '--testTimeout=60000'],
    passed: /Tests +(\d+) passed \((\d+)\)/,
  },
  jest: {
    file: 'client.jest.test.js',
    head: shown('client.jest.test.js'),
    command: [tool('jest/bin/jest.js')],
    passed: /Tests: +(\d+) passed, (\d+) total/,
    client: CLIENT_OF_JEST,
  },
  'node:test': {
    file: 'client.node.test.mjs',
    head: OF_NODE,
    command: ['--test', TAP],
    passed: /^# tests (\d+)\n(?:.*\n)*?# pass (\d+)$/m,
  },
  mocha: {
    file: 'client.mocha.mjs',
    head: OF_MOCHA,
    command: [tool('mocha/bin/mocha.js'), 'client.mocha.mjs'],
    passed: /^ +(\d+) passing/m,
  },
}

const folders: Awaited<ReturnType<typeof temporaryFolder>>[] = []

afterAll(async () => {
  for (const folder of folders) await folder[Symbol.asyncDispose]()
})

/** A project that has crewload and the runners installed. */
async function projectOf({ file, head, client = CLIENT }: Runner): Promise<string> {
  const folder = await temporaryFolder()
  folders.push(folder)
  const modules = join(folder.path, 'node_modules')
  await mkdir(modules)
  await symlink(ROOT, join(modules, 'crewload'))
  for (const name of ['vitest', 'expect', 'mocha']) await symlink(tool(name), join(modules, name))
  const type = client === CLIENT_OF_JEST ? {} : { type: 'module' }
  await writeFile(join(folder.path, 'package.json'), JSON.stringify(type))
  await writeFile(join(folder.path, 'crew-client.js'), client)
  await writeFile(join(folder.path, file), head + TESTS)
  return folder.path
}

async function carriedOut(
  command: readonly string[],
  cwd: string,
): Promise<{ code: number; said: string }> {
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, VITEST: ___, ...env } = process.env
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...command],
      { cwd, env: { ...env, NO_COLOR: '1', FORCE_COLOR: '0' } },
      (error, out, err) => resolve({ code: Number(error?.code ?? 0), said: `${out}\n${err}` }),
    )
  })
}

test('there are ten, each of at most 15 lines', () => {
  expect(NAMES).toHaveLength(10)
  const each = BLOCKS.filter(({ file, text }) => file === 'the-tests.js' && /^test\(/m.test(text))
  for (const { text } of each) expect(text.trim().split('\n').length - 1).toBeLessThanOrEqual(15)
})

describe('they pass under', () => {
  test.each(Object.entries(RUNNERS))('%s', async (_, runner) => {
    const { code, said } = await carriedOut(runner.command, await projectOf(runner))
    expect(said).toMatch(runner.passed)
    const counts = runner.passed.exec(said)!.slice(1)
    expect({ code, counts }).toEqual({ code: 0, counts: counts.map(() => String(NAMES.length)) })
  })
})

/** What a client does wrong, and the tests that notice. */
const WRONG: [what: string, from: string, to: string, notice: number[]][] = [
  ['retries at once', 'await wait(Number', 'void (Number', [1]],
  ['never retries', 'answer.status === 503 ||', '', [0]],
  ['never gives up', 'waitedMs <= deadlineMs', 'waitedMs <= 10 * deadlineMs', [2, 6]],
  ['stumbles over what is not JSON', '.catch(() => ({}))', '', [4]],
  ['keeps the reason to itself', 'new Error(body.error)', "new Error('failed')", [5]],
  ['goes on without a token', 'poll.status === 401', 'false', [7]],
  ['polls in a hurry', 'await wait(1_000)\n    const', 'await wait(500)\n    const', [4, 6, 7, 8]],
  [
    'kicks off again after a reset',
    'let answer = await fetch(`${url}/kickoff`, kickoff)',
    'let answer = await fetch(`${url}/kickoff`, kickoff).catch(() => fetch(`${url}/kickoff`, kickoff))',
    [3],
  ],
]

describe('they notice a client that', () => {
  let ended: { code: number; said: string }

  /** In one process, the tests of one client after those of another. */
  beforeAll(async () => {
    const runner = RUNNERS['node:test']!
    const projects = await Promise.all(
      WRONG.map(async ([, from, to]) => projectOf({ ...runner, client: CLIENT.replace(from, to) })),
    )
    const imports = projects.map((project) => `import '${join(project, runner.file)}'\n`)
    await writeFile(join(projects[0]!, 'all.mjs'), imports.join(''))
    ended = await carriedOut([TAP, 'all.mjs'], projects[0]!)
  })

  test.each(WRONG.map((row, i) => [...row, i] as const))('%s', (_, from, __, notice, at) => {
    expect(CLIENT).toContain(from)
    const results = [...ended.said.matchAll(/^(not )?ok \d+ - (.*)$/gm)]
    expect(results.map(([, , name]) => name)).toEqual(WRONG.flatMap(() => NAMES))
    const own = results.slice(at * NAMES.length, (at + 1) * NAMES.length)
    const failed = own.flatMap(([, isFailed, name]) => (isFailed === undefined ? [] : [name]))
    expect(failed).toEqual(notice.map((n) => NAMES[n]))
  })

  test('with an exit code, and the timeline of the crew', () => {
    expect(ended.code).toBe(1)
    expect(ended.said).toContain('The client started 2 executions, not one.')
    expect(ended.said).toMatch(/> +[\d.]+ s {2}POST \/kickoff -> no answer, starts /)
  })
})
