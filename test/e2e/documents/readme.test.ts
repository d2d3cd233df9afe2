/** The documents keep their word: their commands run, and their examples compile and work. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdir, symlink, writeFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { build } from 'esbuild'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { parseProfileText } from '../../../fake-crew/profiles.ts'
import type { ResultDocument } from '../../../src/result/document.ts'
import { areExperimentsRun } from '../../experiments.ts'
import { cli, temporaryFolder } from '../../support/cli.ts'
import { cleanEnv } from '../../support/program/program.ts'
import { BLOCKS, ROOT, WRITTEN, read } from './documents.ts'

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

/**
 * Goes before what else is run on the machine, where that is allowed: beside other tests a run would
 * be late.
 */
const URGENT =
  "data:text/javascript,import { setPriority } from 'node:os'; try { setPriority(-15) } catch {}"

/**
 * The files of all documents: a later one uses the scenario of the README. A document may show one
 * part after another of a file.
 */
async function writeNamed(folder: string, languages: readonly string[]): Promise<void> {
  for (const { language, text, file } of BLOCKS) {
    if (file === null || !languages.includes(language)) continue
    await mkdir(join(folder, file, '..'), { recursive: true })
    await appendFile(join(folder, file), text)
  }
}

test.each(
  BLOCKS.filter(({ document, text }) => document === 'docs/fake-crew.md' && /^tasks:/m.test(text)),
)('a profile that is shown is valid: $file', ({ text, file }) => {
  expect(parseProfileText(text, file!).tasks).not.toHaveLength(0)
})

test('a file is shown in one document', () => {
  const files = BLOCKS.flatMap(({ document, file }) => (file === null ? [] : { document, file }))
  const places = new Set(files.map(({ document, file }) => `${document} ${file}`))
  expect(places.size).toBeGreaterThan(5)
  expect(new Set(files.map(({ file }) => file)).size).toBe(places.size)
})

/** Their studies, runs and simulated hours take long: they are run with the experiments. */
const LONGEST = new Set([
  'docs/capacity.md',
  'docs/fake-crew.md',
  'docs/running.md',
  'docs/scenarios.md',
  'docs/studies.md',
])

function isRun(document: string): boolean {
  return stepsOf(document).length > 0 && (areExperimentsRun || !LONGEST.has(document))
}

describe('commands of the documents', () => {
  test.each(WRITTEN.filter(isRun))(
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

/** `npx --no -- crewload` in the steps of the workflow, its variables filled in. */
function workflowCommands(): string[] {
  const { text } = BLOCKS.find(({ file }) => file?.startsWith('.github/') === true)!
  const { jobs } = parse(text) as { jobs: { crew: { steps: { run?: string }[] } } }
  return jobs.crew.steps.flatMap(({ run = '' }) => {
    const [, words] = /^npx --no -- crewload (.*)$/.exec(run) ?? []
    return words?.replaceAll(/\$\{\{.*?\}\}/g, 'https://crew.example.com') ?? []
  })
}

// The run must not compete with the compiler: its generator would be late.
describe('TypeScript of the documents, in a project that has crewload installed', () => {
  let project: Awaited<ReturnType<typeof temporaryFolder>>

  beforeAll(async () => {
    project = await temporaryFolder()
    const modules = join(project.path, 'node_modules')
    await mkdir(modules)
    await symlink(ROOT, join(modules, 'crewload'))
    await symlink(join(ROOT, 'node_modules/@types'), join(modules, '@types'))
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

  // On a machine that is busy with other tests a run is INVALID, and rightly so.
  test('runs as a script', { retry: 4 }, async () => {
    await build({
      // Else that in which another test of this process has loaded esbuild.
      absWorkingDir: project.path,
      entryPoints: [join(project.path, 'nightly.ts')],
      outfile: join(project.path, 'nightly.mjs'),
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
    })
    expect(await node(['--import', URGENT, 'nightly.mjs'], project.path)).toMatch(
      /^passed \d+\.\d+ reports\/nightly-/,
    )
  })
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
