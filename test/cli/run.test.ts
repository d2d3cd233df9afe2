/**
 * `crewload init`, and `crewload run` as a user and scripts rely on it: without a file, its lines,
 * keys and exit codes.
 */
import { startFakeCrew } from 'crewload/fake-crew'
import type { ResultDocument } from 'crewload/run'
import { execFile } from 'node:child_process'
import { mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { cli, documentOf, temporaryFolder } from '../support/cli.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')

test('writes a scenario and a profile with their hints, suggests a command that passes, and overwrites nothing', async () => {
  await using folder = await temporaryFolder()
  const here = { cwd: folder.path }
  const written = await cli(['init'], here)
  expect(written).toMatchObject({ code: 0, stderr: '' })
  expect(written.stdout).toContain('tsconfig.json')
  const [, command] = /^ {2}crewload (.*)$/m.exec(written.stdout)!
  const run = await cli(command!.split(' '), here)
  expect(run.stderr).not.toContain('crewload:')
  expect([run.code, run.stdout]).toEqual([0, expect.stringContaining('PASSED')])

  const profile = await readFile(join(folder.path, 'crewload.profile.yaml'), 'utf8')
  const [, url] = /^# yaml-language-server: \$schema=(\S+)$/m.exec(profile)!
  const schema = JSON.parse(await readFile(fileURLToPath(url!), 'utf8')) as object
  expect(schema).toHaveProperty('properties.tasks')

  const scenario = join(folder.path, 'crewload.scenario.ts')
  const before = await readFile(scenario, 'utf8')
  const again = await cli(['init'], here)
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('already exists')])
  expect(await readFile(scenario, 'utf8')).toBe(before)
  // A mistake in it shows that an editor outside any project knows the types.
  await writeFile(scenario, before.replace('clients:', 'klients:'))
  expect(await typeErrors(folder.path)).toMatch(/^[^\n]*'klients' does not exist[^\n]*\n[^\n]*$/)
})

test('calls a file that cannot be written no bug, and says why', async () => {
  await using folder = await temporaryFolder()
  await symlink('/nowhere/at/all', join(folder.path, 'crewload.scenario.ts'))
  const refused = await cli(['init'], { cwd: folder.path })
  expect(refused.code).toBe(2)
  expect(refused.stderr).toBe('crewload: crewload.scenario.ts: cannot be written (ENOENT)\n')
})

test('names the package by a path that holds on every machine where the project depends on it', async () => {
  await using folder = await temporaryFolder()
  await mkdir(join(folder.path, 'node_modules'))
  await symlink(ROOT, join(folder.path, 'node_modules/crewload'))
  await writeFile(join(folder.path, 'package.json'), '{}')
  await cli(['init', 'load'], { cwd: folder.path })
  const written = await Promise.all(
    ['tsconfig.json', 'crewload.profile.yaml'].map((name) =>
      readFile(join(folder.path, 'load', name), 'utf8'),
    ),
  )
  expect(written.join('\n')).not.toContain(ROOT)
  expect(written[1]).toContain('$schema=../node_modules/crewload/schemas/profile.schema.json')
  expect(await typeErrors(join(folder.path, 'load'))).toBe('')
})

test('leaves a tsconfig.json alone, and says what it needs', async () => {
  await using folder = await temporaryFolder()
  const own = join(folder.path, 'tsconfig.json')
  await writeFile(own, '{}')
  const { stdout } = await cli(['init'], { cwd: folder.path })
  expect(await readFile(own, 'utf8')).toBe('{}')
  expect(stdout).toMatch(/tsconfig\.json .* "paths": \{ "crewload": \[".*index\.d\.ts"\]/s)
})

async function typeErrors(folder: string): Promise<string> {
  const check = promisify(execFile)(process.execPath, [TSC, '--noEmit', '-p', folder])
  return check.then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  )
}

const INPUTS = '{"topic":"bees","audience":"children"}'
const PLACE = ['--profile', 'fast', '--engine', 'virtual']

describe('without a file', () => {
  test.each([
    ['a rate', ['--rate', '5/s', '--for', '20s'], { rate: '5/s', for: '20s' }],
    ['clients', ['--clients', '3', '--for', '5s'], { clients: 3, for: '5s' }],
  ])('%s: what it prints is a file of the same run', async (_, load, arrivals) => {
    await using folder = await temporaryFolder()
    const common = [...PLACE, '--out', join(folder.path, 'out')]
    const typed = ['run', ...load, '--inputs', INPUTS, ...common]
    const { stderr, stdout } = await cli(typed)
    const [, printed = ''] = /changed:\n(\{.*?\n\})\n/s.exec(stderr) ?? []
    expect(JSON.parse(printed)).toEqual({
      name: 'command-line',
      arrivals,
      inputs: JSON.parse(INPUTS) as unknown,
    })
    expect(stdout).toContain('PASSED')
    const file = join(folder.path, 'saved.json')
    await writeFile(file, printed)
    const [flags, saved] = [
      await cli([...typed, '--json']),
      await cli(['run', file, ...common, '--json']),
    ]
    expect(flags.stderr).not.toContain('"command-line"')
    expect(documentOf(flags).metrics).toEqual(documentOf(saved).metrics)
    expect(documentOf(flags).outcomes).toEqual(documentOf(saved).outcomes)
  })

  test('--dry-run prints it beside the plan', async () => {
    const { code, stdout, stderr } = await cli([
      'run',
      '--rate',
      '5/m',
      '--for',
      '10m',
      '--dry-run',
      ...PLACE,
    ])
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining('300/h') as unknown,
    })
    expect(stderr).toContain('"rate": "5/m"')
  })

  test.each([
    [['--rate', '5/m'], ['--for: missing: how long shall executions arrive?']],
    [
      ['--rate', '5/m', '--clients', '2'],
      ['--clients: not allowed beside --rate', '--for: missing'],
    ],
    [
      ['smoke', '--rate', '5/m', '--inputs', '{}'],
      ['--rate: only allowed without a scenario', '--inputs: only'],
    ],
    [['--rate', '0/m', '--for', '5m'], ['expected a rate like "2/s"']],
    [['--rate', '1/m', '--for', 'soon'], ['expected a duration like']],
    [['--rate', '1/m', '--for', '1m', '--inputs', '[]'], ['--inputs: expected a JSON object']],
  ])('%j is refused with every mistake', async (words, mistakes) => {
    const { code, stderr } = await cli(['run', ...words, ...PLACE])
    expect(code).toBe(2)
    for (const mistake of mistakes) expect(stderr).toContain(mistake)
  })

  test.each([[[]], [['--inputs', '{}']]])('%j lacks only the scenario', async (words) => {
    const { stderr } = await cli(['run', ...words, ...PLACE])
    expect(stderr).toMatch(/^crewload: scenario: missing: give a file, [^\n]+ --for TIME\n$/)
  })
})

describe('--help', () => {
  test.each(['run', 'gate', 'capacity', 'limits'])(
    '%s: three examples first, and flags below headings',
    async (name) => {
      const { stdout } = await cli([name, '--help'])
      expect(stdout).toMatch(
        new RegExp(`^Examples:\n(?:  crewload ${name} .*\n(?:    .*\n)?){3}\nUsage:`),
      )
      const headings = [...stdout.matchAll(/^([A-Z]\w+):$/gm)].map(([, heading]) => heading)
      const all = ['Target', 'Load', 'Budget', 'Judge', 'Output', 'Advanced']
      const known = headings.filter((heading) => all.includes(heading!))
      expect(known).toEqual(all.filter((heading) => known.includes(heading)))
      expect(known).toEqual(expect.arrayContaining(['Target', 'Budget', 'Output', 'Advanced']))
    },
  )
})

test('a scenario is bundled and executed once, also one whose text looks like a mix', async () => {
  await using folder = await temporaryFolder()
  const [file, log] = ['scenario.mjs', 'executed.txt'].map((name) => join(folder.path, name))
  const inputs = JSON.parse(INPUTS) as object
  const scenario = { name: 'one', arrivals: { rate: '1/s', for: '2s' }, inputs }
  await writeFile(
    file!,
    `// It has no parts.
import { appendFileSync } from 'node:fs'
appendFileSync(${JSON.stringify(log)}, '.')
export default ${JSON.stringify(scenario)}`,
  )
  const place = ['--profile', 'fast', '--engine', 'virtual', '--out', join(folder.path, 'out')]
  for (const [i, more] of [['--dry-run'], []].entries()) {
    expect((await cli(['run', file!, ...place, ...more])).code).toBe(0)
    expect(await readFile(log!, 'utf8')).toBe('.'.repeat(i + 1))
  }
})

test('a run and a study tell of themselves', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'job.md')
  const out = join(folder.path, 'out')
  const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: file }
  const place = ['--profile', 'fast', '--engine', 'virtual', '--quiet', '--out', out]
  const missed = ['--set', 'thresholds={"execution.max":"< 1ms"}']
  const run = await cli(['run', 'smoke', ...place, ...missed], { env })
  expect(run.stdout).toMatch(/^::error title=FAILED%3A smoke::[^\n]*execution\.max[^\n]*\n$/)
  const gate = await cli(
    ['gate', 'smoke', ...place, '--baseline', join(folder.path, 'base'), '--runs', '3'],
    { env },
  )
  expect([gate.code, gate.stderr]).toEqual([0, ''])
  expect(await readFile(file, 'utf8')).toMatch(/^## ✗ FAILED: smoke\n[^]*\n## \S+ BASELINE: /)
})

/** Of a scenario that is made for `crewload recovery`, put on by `run`. */
const METASTABLE = ['--profile', 'metastable', '--engine', 'virtual', '--set', 'arrivals.for=40s']

test('names the command that pulls the trigger', async () => {
  await using folder = await temporaryFolder()
  const { stdout } = await cli(['run', 'retry-storm', ...METASTABLE], { cwd: folder.path })
  expect(stdout).toContain('Nothing disturbed the crew in this run.')
  expect(stdout).toContain('next    crewload recovery retry-storm --profile metastable')
})

test('keeps silent of any other scenario, and where stdout is JSON', async () => {
  await using folder = await temporaryFolder()
  const smoke = ['run', 'smoke', '--profile', 'fast', '--engine', 'virtual']
  expect((await cli(smoke, { cwd: folder.path })).stdout).not.toContain('Nothing disturbed')
  const json = await cli(['run', 'retry-storm', ...METASTABLE, '--json'], { cwd: folder.path })
  expect(JSON.parse(json.stdout)).toHaveProperty('verdict')
})

/** For what needs neither sockets nor the machine's time. */
const VIRTUAL = ['--engine', 'virtual', '--profile', 'fast']

const OUTCOMES = [
  'completed',
  'failed',
  'rejected',
  'unknown',
  'lost',
  'paused',
  'stuck',
  'unreadable',
  'dropped',
  'notReached',
  'aborted',
]

describe('crewload run --json', () => {
  test('prints the document on stdout, with every promised key, and leaves the run folder', async () => {
    await using folder = await temporaryFolder()
    const args = ['run', 'smoke', ...VIRTUAL, '--out', folder.path, '--json']
    const { code, stdout } = await cli(args)
    const document = JSON.parse(stdout) as ResultDocument
    expect(code).toBe(0)
    expect(document.verdict).toMatchObject({ outcome: 'passed', valid: true, reasons: [] })
    expect(document.arrivals).toBeTypeOf('number')
    expect(Object.keys(document.outcomes)).toEqual(OUTCOMES)
    for (const key of ['metrics', 'contract', 'generator', 'ledger'] as const) {
      expect(document[key]).toBeTypeOf('object')
    }
    const [run] = await readdir(folder.path)
    const files = await readdir(join(folder.path, run!))
    expect(files).toEqual(
      expect.arrayContaining([
        'executions.ndjson',
        'histograms.hlog',
        'junit.xml',
        'report.html',
        'result.json',
        'summary.md',
      ]),
    )
  })

  test('exits with 1 when a threshold is missed', async () => {
    await using folder = await temporaryFolder()
    const args = ['run', 'smoke', ...VIRTUAL, '--out', folder.path, '--quiet']
    const { code, stdout } = await cli([...args, '--set', 'thresholds={"execution.max":"< 1ms"}'])
    expect(stdout).toBe('')
    expect(code).toBe(1)
  })

  test('exits with 3 when the generator was too busy, whatever the thresholds say', async () => {
    await using folder = await temporaryFolder()
    const args = ['run', 'smoke', '--profile', 'fast', '--out', folder.path]
    const { code, stdout } = await cli([
      ...args,
      '--set',
      'validity.utilisation=0.0001',
      '--set',
      'arrivals.iterations=8',
    ])
    expect(stdout).toContain('INVALID')
    expect(stdout).toContain('the generator was busy')
    expect(code).toBe(3)
  })

  test('exits with 4 and says how much more is needed when the sample is too small', async () => {
    await using folder = await temporaryFolder()
    const three = ['--set', 'arrivals.iterations=3', '--set', 'thresholds={"execution.p99":"< 1h"}']
    const { code, stdout } = await cli(['run', 'smoke', ...VIRTUAL, ...three, '--out', folder.path])
    expect(stdout).toMatch(/undecided +execution\.p99 /)
    const told = stdout.replaceAll(/\s+/g, ' ')
    expect(told).toContain('execution.p99 rests on 3 of 368 independent executions')
    expect(told).toContain('about 365 more executions would decide all 3')
    expect(code).toBe(4)
  })

  test('exits with 5 when nobody listens, and when the token is refused', async () => {
    await using folder = await temporaryFolder()
    const env = { CREWLOAD_TOKEN: 'not-the-token' }
    const args = ['run', 'smoke', '--out', join(folder.path, 'reports'), '--target']
    const nobody = await cli([...args, 'http://127.0.0.1:1'], { env })
    expect(nobody.code).toBe(5)
    expect(nobody.stderr).toContain('no process listens there')
    await using fake = await startFakeCrew({ profile: 'fast' })
    const refused = await cli([...args, fake.url], { env })
    expect(refused.code).toBe(5)
    expect(refused.stderr).toContain('refused our token')
    expect(await readdir(folder.path)).toEqual([])
  })
})
