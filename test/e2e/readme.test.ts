/** The documents keep their word: the README's commands run, its examples compile and work, and what it lists is what there is. */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { build } from 'esbuild'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { listProfiles } from '../../fake-crew/profiles.ts'
import type { ResultDocument } from '../../src/analysis/document.ts'
import { METRIC_FAMILIES, familyOf, parseMetric } from '../../src/scenario/thresholds/metrics.ts'
import { cli, temporaryFolder } from '../support/cli.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const README = read('README.md')

interface Block {
  language: string
  text: string
  /** What its first line names: `// crew.ts`. */
  file: string | null
}

const BLOCKS = [...README.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
  ([, language = '', text = '']): Block => {
    const [first = ''] = text.split('\n', 1)
    return { language, text, file: /^(?:\/\/|#) (\S+\.\w+)$/.exec(first)?.[1] ?? null }
  },
)

/** Commands behind a prompt: they need a deployment, or never end. */
const PROMPTED = BLOCKS.filter(({ language }) => language === 'console').flatMap(({ text }) =>
  [...text.matchAll(/^\$ crewload (.*?)(?:\s+#.*)?$/gm)].map(([, words = '']) => words),
)

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

/** Code spans of the first column of the table under a heading. */
function firstColumn(heading: string): string[] {
  const [, section = ''] = README.split(new RegExp(`^#+ ${heading}\n`, 'm'))
  const [table = ''] = /(^\|.*\n)+/m.exec(section) ?? []
  const cells = table.split('\n').map((row) => row.split(' | ')[0] ?? '')
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code))
}

/** A busy machine must not make a run INVALID here; that is for other tests. */
const SHELL = `
set -eu
crewload() {
  if [ "$1" = run ]; then set -- "$@" --set validity.lateness=5s --set validity.utilisation=1; fi
  "${process.execPath}" "${join(ROOT, 'dist/src/cli/main.js')}" "$@"
}
node() { "${process.execPath}" "$@"; }
set -x
`

/** What it printed on stdout; an exit code other than 0 throws with all that it said. */
async function program(file: string, args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      file,
      [...args],
      { cwd, env: { ...process.env, NO_COLOR: '1' } },
      (failure, out, err) =>
        failure === null ? resolve(out) : reject(new Error(`${args.join(' ')}\n${out}\n${err}`)),
    )
  })
}

async function node(args: readonly string[], cwd: string): Promise<string> {
  return program(process.execPath, args, cwd)
}

async function writeNamed(folder: string, languages: readonly string[]): Promise<void> {
  for (const { language, text, file } of BLOCKS) {
    if (file === null || !languages.includes(language)) continue
    await mkdir(join(folder, file, '..'), { recursive: true })
    await writeFile(join(folder, file), text)
  }
}

describe.concurrent('commands of the README', () => {
  test('run, in their order and in one empty folder', async () => {
    await using folder = await temporaryFolder()
    await writeNamed(folder.path, ['ts', 'yaml'])
    const scripts = BLOCKS.filter(({ language }) => language === 'sh')
    expect(scripts.length).toBeGreaterThan(2)
    for (const { text } of scripts) await program('sh', ['-c', SHELL + text], folder.path)
  }, 300_000)

  test('that load a deployment make a plan', async () => {
    await using folder = await temporaryFolder()
    await writeNamed(folder.path, ['ts'])
    const runs = [...PROMPTED, ...workflowCommands()].filter((words) => words.startsWith('run '))
    expect(runs.length).toBeGreaterThan(2)
    for (const words of runs) {
      const plan = await cli([...words.split(' '), '--dry-run'], {
        cwd: folder.path,
        env: { CREWLOAD_TOKEN: 'token' },
      })
      expect(plan).toMatchObject({ code: 0, stdout: expect.stringContaining('kickoffs') })
    }
  })

  test('that stand behind a prompt use options that there are', async () => {
    for (const words of PROMPTED) {
      const [command = ''] = words.split(' --')
      const { stdout } = await cli([...command.split(' '), '--help'])
      const flags = words.split(' ').filter((word) => word.startsWith('--'))
      const known = stdout.match(/--[\w-]+/g) ?? []
      expect(known).toEqual(expect.arrayContaining(flags))
    }
  })
})

/** `npx crewload` in the steps of the workflow, its variables filled in. */
function workflowCommands(): string[] {
  const { text } = BLOCKS.find(({ file }) => file?.startsWith('.github/') === true)!
  const { jobs } = parse(text) as { jobs: { crew: { steps: { run?: string }[] } } }
  return jobs.crew.steps.flatMap(({ run = '' }) => {
    const [, words] = /^npx crewload (.*)$/.exec(run) ?? []
    return words?.replaceAll(/\$\{\{.*?\}\}/g, 'https://crew.example.com') ?? []
  })
}

describe.concurrent('TypeScript of the README, in a project that has crewload installed', () => {
  let project: Awaited<ReturnType<typeof temporaryFolder>>

  beforeAll(async () => {
    project = await temporaryFolder()
    const modules = join(project.path, 'node_modules')
    await mkdir(modules)
    await symlink(ROOT, join(modules, 'crewload'))
    for (const name of ['vitest', '@types']) {
      await symlink(join(ROOT, 'node_modules', name), join(modules, name))
    }
    await writeNamed(project.path, ['ts'])
    return async () => project[Symbol.asyncDispose]()
  })

  test('compiles, strictly', async () => {
    const compilerOptions = {
      target: 'es2023',
      module: 'nodenext',
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: true,
      noEmit: true,
      types: ['node'],
    }
    const config = JSON.stringify({ compilerOptions, include: ['*.ts'] })
    await writeFile(join(project.path, 'tsconfig.json'), config)
    await writeFile(join(project.path, 'package.json'), '{"type":"module"}')
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
    expect(await node([compiler, '-p', '.'], project.path)).toBe('')
  })

  test('passes as a test', async () => {
    const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
    expect(await node([vitest, 'run'], project.path)).toContain('1 passed')
  })

  test('runs as a script', async () => {
    await build({
      entryPoints: [join(project.path, 'nightly.ts')],
      outfile: join(project.path, 'nightly.mjs'),
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
    })
    expect(await node(['nightly.mjs'], project.path)).toContain('6 executions')
  })
})

describe('lists of the README', () => {
  test('name every profile', () => {
    expect(firstColumn('The fake crew').sort()).toEqual(listProfiles())
  })

  test('name every family of metrics, and none that is not one', () => {
    const families = firstColumn('Thresholds').map((pattern) => {
      const name = pattern.replace('outcome.NAME', 'outcome.lost').replace('NAME', 'mine')
      const reference = parseMetric(name.replace('STAT', 'p95'))
      return reference === undefined ? pattern : familyOf(reference).kind
    })
    expect([...new Set(families)].sort()).toEqual(METRIC_FAMILIES.map(({ kind }) => kind).sort())
  })

  test('link only to files that there are', () => {
    const documents = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'reports/README.md']
    const links = documents.flatMap((document) =>
      [...read(document).matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, link = '']) =>
        join(document, '..', link),
      ),
    )
    expect(links.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
  })
})

test('CONTRIBUTING names only files that there are', () => {
  const named =
    read('CONTRIBUTING.md').match(/(?<=`)(src|test|fake-crew|bench)\/[\w./-]+(?=`)/g) ?? []
  expect(named.length).toBeGreaterThan(10)
  const missing = named.filter((path) => !existsSync(join(ROOT, path)))
  expect(missing.filter((path) => !path.includes('NAME'))).toEqual([])
})

test('the example is a run that passed, on a valid measurement, by the published schema', () => {
  const example = JSON.parse(read('reports/example/result.json')) as ResultDocument
  expect(example.verdict).toMatchObject({ outcome: 'passed', valid: true })
  expect(example.run.command).toBe('crewload demo')
  expect(read('reports/example/report.html').includes(`run ${example.run.id}`)).toBe(true)
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true })
  addFormats.default(ajv)
  const follows = ajv.compile(JSON.parse(read('schemas/result.schema.json')) as object)
  follows(example)
  expect(follows.errors).toBeNull()
})
