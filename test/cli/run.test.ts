/** `crewload run` without a file: flags say the load, and it prints the scenario that they are. */
import { writeFile } from 'node:fs/promises'
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
