/** `crewload run` without a file: flags say the load, and it prints the scenario that they are. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cli, documentOf, temporaryFolder } from '../support/cli.ts'

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
    [
      [],
      [
        'scenario: missing: give a file, a shipped name, or --rate RATE --for TIME',
        '--for: missing',
      ],
    ],
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

function smokeAt(port: number) {
  return { scenario: 'smoke', target: `http://127.0.0.1:${port}` }
}

test('no part of a mix is given the token of the run where it may be for another', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'mix.json')
  await writeFile(file, JSON.stringify({ name: 'apart', parts: { a: smokeAt(1), b: smokeAt(2) } }))
  const env = { CREWLOAD_TOKEN: 'of-one-of-them' }
  const plan = async (...words: string[]) => cli(['run', file, '--dry-run', ...words], { env })
  const unsaid = await plan()
  expect(unsaid.code).toBe(2)
  for (const part of ['a', 'b']) expect(unsaid.stderr).toContain(`parts.${part}.tokenFrom`)
  const said = await plan('--target', 'http://127.0.0.1:1')
  expect(said.stderr).not.toContain('parts.a.tokenFrom')
  expect(said.stderr).toContain('parts.b.tokenFrom')
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
const VIRTUAL = ['--profile', 'metastable', '--engine', 'virtual', '--set', 'arrivals.for=40s']

test('names the command that pulls the trigger', async () => {
  await using folder = await temporaryFolder()
  const { stdout } = await cli(['run', 'retry-storm', ...VIRTUAL], { cwd: folder.path })
  expect(stdout).toContain('Nothing disturbed the crew in this run.')
  expect(stdout).toContain('next    crewload recovery retry-storm --profile metastable')
})

test('keeps silent of any other scenario, and where stdout is JSON', async () => {
  await using folder = await temporaryFolder()
  const smoke = ['run', 'smoke', '--profile', 'fast', '--engine', 'virtual']
  expect((await cli(smoke, { cwd: folder.path })).stdout).not.toContain('Nothing disturbed')
  const json = await cli(['run', 'retry-storm', ...VIRTUAL, '--json'], { cwd: folder.path })
  expect(JSON.parse(json.stdout)).toHaveProperty('verdict')
})
