/**
 * The documents keep their word: their commands run, their examples compile and work, and what they
 * list is what there is.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { build } from 'esbuild'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { listProfiles } from '../../../fake-crew/profiles.ts'
import type { ResultDocument } from '../../../src/analysis/document.ts'
import { cli, temporaryFolder } from '../../support/cli.ts'
import { DIALECT } from '../../support/dialect.ts'
import { cleanEnv } from '../../support/program.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

const GENERATED = new Set(['reference.md'])
const IN_DOCS = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'))
const WRITTEN = [
  'README.md',
  ...IN_DOCS.filter((name) => !GENERATED.has(name)).map((name) => `docs/${name}`),
  'docs/ci/README.md',
]

interface Block {
  document: string
  language: string
  text: string
  /** What its first line names: `// crew.ts`. */
  file: string | null
}

const BLOCKS = WRITTEN.flatMap((document) =>
  [...read(document).matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', text = '']): Block => {
      const [first = ''] = text.split('\n', 1)
      const file = /^(?:\/\/|#) (\S+\.\w+)$/.exec(first)?.[1] ?? null
      return { document, language, text, file }
    },
  ),
)

/** A step is an `sh` block, with the `text` blocks behind it: lines that it must have printed. */
interface Step {
  script: string
  printed: string[]
}

function stepsOf(document: string): Step[] {
  const steps: Step[] = []
  for (const block of BLOCKS.filter((each) => each.document === document)) {
    if (block.language === 'sh') steps.push({ script: block.text, printed: [] })
    if (block.language === 'text') steps.at(-1)?.printed.push(block.text)
  }
  return steps
}

/** Commands behind a prompt: they need a deployment, or never end. */
const PROMPTED = BLOCKS.filter(({ language }) => language === 'console').flatMap(({ text }) =>
  [...text.matchAll(/^\$ crewload (.*?)(?:\s+#.*)?$/gm)].map(([, words = '']) => words),
)

function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

/** Code spans before the first colon of each item of the list under a heading. */
function listed(document: string, heading: string): string[] {
  const [, rest = ''] = read(document).split(new RegExp(`^#+ ${heading}\n`, 'm'))
  const [section = ''] = rest.split(/^#/m)
  return [...section.matchAll(/^- ((?:`[^`]+`(?:, )?)+):/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  )
}

/**
 * `carry` executes a command line. A busy machine must not make a run INVALID here; that is for
 * other tests.
 */
const shell = (carry: string): string => `
set -eu
crewload() {
  if [ "$1" = run ]; then set -- "$@" --set validity.lateness=5s --set validity.utilisation=1; fi
  ${carry}
}
node() { "${process.execPath}" "$@"; }
set -x
`

/** As a user's: each command is a process. */
const ALONE = shell(`"${process.execPath}" "${join(ROOT, 'dist/bin/crewload.js')}" "$@"`)

/**
 * Sends the number of its arguments and each of them through a pipe, ended by a NUL, and is
 * answered with the exit code when both outputs are in files.
 */
const SERVED = shell(`
  printf '%s\\0' "$#" "$@" >&3
  read -r code <&4
  cat served.err >&2
  cat served.out
  return "$code"`)

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

/**
 * A shell whose `crewload` is the long-lived program of other tests; what it printed on stdout, as
 * `program`.
 */
async function served(script: string, cwd: string): Promise<string> {
  const child = spawn('sh', ['-c', SERVED + script], {
    cwd,
    env: cleanEnv(),
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
  })
  const [, out, err, asked, answer] = child.stdio as unknown as [null, ...Socket[]]
  const printed = Promise.all([text(out!), text(err!)])
  let sent = ''
  asked!.setEncoding('utf8').on('data', async (part: string) => {
    sent += part
    const [count, ...words] = sent.split('\0')
    if (words.length <= Number(count)) return
    sent = ''
    const ended = await cli(words.slice(0, -1), { cwd })
    await writeFile(join(cwd, 'served.out'), ended.stdout)
    await writeFile(join(cwd, 'served.err'), ended.stderr)
    answer!.write(`${ended.code}\n`)
  })
  const [code] = (await once(child, 'close')) as [number | null]
  const [stdout, stderr] = await printed
  if (code !== 0) throw new Error(`${script}\n${stdout}\n${stderr}`)
  return stdout
}

async function node(args: readonly string[], cwd: string): Promise<string> {
  return program(process.execPath, args, cwd)
}

/** The files of all documents: a later one uses the scenario of the README. */
async function writeNamed(folder: string, languages: readonly string[]): Promise<void> {
  for (const { language, text, file } of BLOCKS) {
    if (file === null || !languages.includes(language)) continue
    await mkdir(join(folder, file, '..'), { recursive: true })
    await writeFile(join(folder, file), text)
  }
}

test('a file is shown in one place', () => {
  const files = BLOCKS.flatMap(({ file }) => file ?? [])
  expect(files.length).toBeGreaterThan(5)
  expect(new Set(files).size).toBe(files.length)
})

describe('commands of the documents', () => {
  test.each(WRITTEN.filter((document) => stepsOf(document).length > 0))(
    'run, in their order and in one empty folder: %s',
    async (document) => {
      await using folder = await temporaryFolder()
      await writeNamed(folder.path, ['ts', 'yaml'])
      for (const { script, printed } of stepsOf(document)) {
        const stdout =
          document === 'README.md'
            ? await program('sh', ['-c', ALONE + script], folder.path)
            : await served(script, folder.path)
        for (const text of printed) expect(stdout).toContain(text)
      }
    },
    300_000,
  )

  test('that load a deployment, or run for long, make a plan', async () => {
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
    const helps = new Map<string, string>()
    for (const words of PROMPTED) {
      const [command = ''] = words.split(' --')
      if (!helps.has(command)) {
        helps.set(command, (await cli([...command.split(' '), '--help'])).stdout)
      }
      const flags = words.split(' ').filter((word) => word.startsWith('--') && word !== '--')
      const known = helps.get(command)?.match(/--[\w-]+/g) ?? []
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

describe.concurrent('TypeScript of the documents, in a project that has crewload installed', () => {
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
    // All tests read these: esbuild too.
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
    return async () => project[Symbol.asyncDispose]()
  })

  test('compiles, strictly', async () => {
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

describe('lists of the documents', () => {
  test('name every profile', () => {
    expect(listed('docs/fake-crew.md', 'Shipped profiles').sort()).toEqual(listProfiles())
  })

  test('name every document', () => {
    const linked = [...read('docs/README.md').matchAll(/\]\(([\w-]+\.md)\)/g)]
    expect(linked.map(([, name = '']) => name).sort()).toEqual(
      IN_DOCS.filter((name) => name !== 'README.md').sort(),
    )
  })
})

/** A failing gate ends with 1, so no step can print it. */
test('the README answers its questions in words that a command of the documents prints', () => {
  const printed = BLOCKS.filter(({ language }) => language === 'text').map(({ text }) =>
    plain(text),
  )
  const quoted = [...read('README.md').matchAll(/^> (ANSWERED .*\n(?:> .*\n)*)/gm)]
  const answers = quoted.map(([, text = '']) => plain(text.replaceAll(/^> /gm, '')))
  expect(answers).toHaveLength(2)
  for (const answer of answers) expect(printed).toContainEqual(expect.stringContaining(answer))
})

const READ_BY_PEOPLE = [
  ...WRITTEN,
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'reports/README.md',
  'bench/README.md',
  'bench/results/README.md',
]

test('documents link only to files that there are', () => {
  const links = READ_BY_PEOPLE.flatMap((document) =>
    [...read(document).matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, link = '']) =>
      join(document, '..', link),
    ),
  )
  expect(links.length).toBeGreaterThan(30)
  expect(links.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
})

test('documents name only files that there are', () => {
  const named = READ_BY_PEOPLE.filter((document) => document !== 'CHANGELOG.md').flatMap(
    (document) =>
      read(document).match(/(?<=`)(src|test|fake-crew|bench|docs|tools)\/[\w./-]+(?=`)/g) ?? [],
  )
  expect(named.length).toBeGreaterThan(30)
  const missing = named.filter((path) => !existsSync(join(ROOT, path)))
  expect(missing.filter((path) => !path.includes('NAME') && path !== 'tools/k6/k6')).toEqual([])
})

test('documents say who does what, in plain words', () => {
  const found = READ_BY_PEOPLE.flatMap((document) => {
    const prose = plain(read(document).replaceAll(/```[\s\S]*?```|`[^`]*`/g, ''))
    const at = prose.search(DIALECT)
    return at === -1 ? [] : [`${document}: ${prose.slice(at, at + 60)}`]
  })
  expect(found).toEqual([])
})

test('documents are short enough to read: the README in lines, all of them in columns', () => {
  expect(read('README.md').split('\n').length).toBeLessThanOrEqual(101)
  const wide = WRITTEN.flatMap((document) =>
    read(document)
      .split('\n')
      .filter((line) => line.length > 140)
      .map((line) => `${document}: ${line}`),
  )
  expect(wide).toEqual([])
})

test('docs/ holds what users read, not the tables of benches: 130 kB and the reference', () => {
  const sizes = IN_DOCS.filter((name) => !GENERATED.has(name)).map((name) =>
    Buffer.byteLength(read(`docs/${name}`)),
  )
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(130_000)
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
