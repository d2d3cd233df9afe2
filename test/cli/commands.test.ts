/** The commands and their flags: grouped, quick to tell, and refused with what is allowed. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { CommandDefinition } from '../../src/cli/command.ts'
import { GROUPS } from '../../src/cli/command.ts'
import type { ActingCommand } from '../../src/cli/command.ts'
import { COMMANDS } from '../../src/cli/program.ts'
import { exitHelp } from '../../src/cli/exit-codes.ts'
import { commandWords } from '../../src/cli/flags/command-line.ts'
import { shippedScenarios } from '../../src/run/scenario/load.ts'
import { importsOf } from '../architecture/source.ts'
import { cli } from '../support/cli.ts'

const root = join(import.meta.dirname, '../..')

test('--help tells every command, below its group', async () => {
  const { stdout } = await cli(['--help'])
  const told = stdout.split(/^(?=\S.*:$)/m).map((part) => {
    const [head = '', ...lines] = part.split('\n')
    const names = lines.flatMap((line) => /^ {2}(\S+)/.exec(line)?.[1] ?? [])
    return [head.replace(/:$/, ''), names]
  })
  const byGroup = GROUPS.map((group) => [
    group,
    COMMANDS.filter((command) => command.group === group).map(({ name }) => name),
  ])
  expect(told).toEqual(expect.arrayContaining(byGroup))
})

test('every argument and flag that is missing is named at once', async () => {
  const { code, stderr } = await cli(['capacity'])
  expect(code).toBe(2)
  expect(stderr).toMatch(
    /^crewload: missing required argument '\w+'\ncrewload: required option '--[^']+' not specified\n\(/,
  )
  expect((await cli(['twin'])).stderr).toMatch(/^crewload: missing required argument 'runs'\n\(/)
})

test('--help tells all commands in full, whichever is named behind it', async () => {
  const { stdout } = await cli(['--help', 'run'])
  expect(stdout).toBe((await cli(['--help'])).stdout)
})

/** The words of every command and subcommand, as they are typed. */
function typed(commands: readonly CommandDefinition[], above: readonly string[] = []): string[][] {
  return commands.flatMap((command) => {
    const words = [...above, command.name]
    return [words, ...('commands' in command ? typed(command.commands, words) : [])]
  })
}

test.each([[[]], ...typed(COMMANDS).map((words) => [words])])(
  '%j --help fits a terminal of 80 columns',
  async (words) => {
    const { code, stdout } = await cli([...words, '--help'])
    expect(code).toBe(0)
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
  },
)

test.each([
  ['run', '--help'],
  ['help', 'run'],
])('%s %s tells of run, with every shipped scenario', async (...args) => {
  const { code, stdout, stderr } = await cli(args)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const words = stdout.replaceAll(/\s+/g, ' ')
  const names = (await shippedScenarios()).filter((name) => name !== 'demo')
  for (const name of names) expect(words).toMatch(new RegExp(`shipped name: [^)]*\\b${name}\\b`))
})

test('lists help among the commands', async () => {
  const { stdout } = await cli(['--help'])
  expect(stdout).toContain('help [command]')
})

test.each([['nonsense'], ['nonsense', '--flag'], ['rnu', '--seed', '1'], ['toString', '--json']])(
  '%s %s is named, and not its flags',
  async (...args) => {
    const { code, stderr } = await cli(args)
    expect(code).toBe(2)
    expect(stderr).toContain(`${args[0]}: no such command`)
    expect(stderr).not.toContain('unknown option')
  },
)

test.each([
  ['resume', ['folder'], '--prometheus', /would be missing/],
  ['gate', ['steady'], '--otlp', /a study makes many runs/],
  ['recovery', ['recovery'], '--otlp-traces', /a study makes many runs/],
  ['limits', [], '--prometheus', /a study makes many runs/],
])('crewload %s refuses metrics of a running run, and says why', async (name, args, flag, why) => {
  for (const value of [[], ['9464']]) {
    const { code, stdout, stderr } = await cli([name, ...args, flag, ...value])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(new RegExp(`^crewload: ${flag}: only allowed with crewload run: `))
    expect(stderr).toMatch(why)
    expect(stderr).not.toContain('null')
  }
})

test('a port that there is not is refused with those that there are', async () => {
  const { code, stderr } = await cli(['run', 'smoke', '--profile', 'fast', '--prometheus', '99999'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('a port from 0 to 65535')])
})

test('the table of exit codes has a line for each code, within 80 columns', () => {
  const [title, ...lines] = exitHelp().trimEnd().split('\n')
  expect(title).toBe('Exit codes:')
  expect(lines.map((line) => Number(line.trim().split(/ +/)[0]))).toEqual([
    0, 1, 2, 3, 4, 5, 70, 130,
  ])
  expect(lines.every((line) => line.length <= 80)).toBe(true)
})

test('a command replaces meanings, and leaves out a code with which it never ends', () => {
  const own = { failed: null, inconclusive: `undecided: ${'too few runs, '.repeat(6)}all short` }
  const lines = exitHelp(own).trimEnd().split('\n')
  expect(lines.some((line) => line.startsWith('  1 '))).toBe(false)
  const at = lines.findIndex((line) => line.startsWith('  4    undecided: too few runs, '))
  expect(at).toBeGreaterThan(0)
  expect(lines[at + 1]).toMatch(/^ {7}\S/)
  expect(lines[at + 2]).toMatch(/^ {2}5 {4}target never reached/)
})

test.each([
  [['run', 'a b.ts', '--seed', '7'], "crewload run 'a b.ts' --seed 7"],
  [['run', '--header', 'x-key: sesame'], "crewload run --header 'x-key: ***'"],
  [['run', '--header=x-key:sesame=1'], "crewload run '--header=x-key: ***'"],
  [['limits', '--inputs', '{"topic":"sesame"}'], "crewload limits --inputs '{***}'"],
  [['limits', '--inputs={"topic":"sesame"}'], "crewload limits '--inputs={***}'"],
  [['check', '--members', '{"meta":"sesame=1"}'], "crewload check --members '{***}'"],
  [['run', '--set', 'deadline=9m'], 'crewload run --set deadline=9m'],
  [['run', '--set', 'human.after=9m'], 'crewload run --set human.after=9m'],
  [['run', '--set', 'paths.kickoff=/v1'], 'crewload run --set paths.kickoff=/v1'],
  [['run', '--set', 'headers.x-key=sesame=1'], "crewload run --set 'headers.x-key=***'"],
  [['run', '--set=headers.x-key=sesame'], "crewload run '--set=headers.x-key=***'"],
  [['run', '--set', '.headers.x-key=sesame'], "crewload run --set '.headers.x-key=***'"],
  [
    ['run', '--set', 'human[answer].feedback=sesame'],
    "crewload run --set 'human[answer].feedback=***'",
  ],
  [['gate', '--set', 'kickoff={"k":"sesame"}'], "crewload gate --set 'kickoff=***'"],
  [['run', '--k6-out', 'influxdb=http://me:sesame@db'], "crewload run --k6-out 'influxdb=***'"],
  [['run', '--otlp', 'http://me:sesame@db'], "crewload run --otlp '***'"],
  [
    ['run', '--otlp', '--token-command', 'echo sesame'],
    "crewload run --otlp --token-command '***'",
  ],
])('%j is repeated without what may be secret', (args, words) => {
  const { options = {} } = COMMANDS.find(({ name }) => name === args[0]) as ActingCommand
  expect(commandWords(args, options)).toBe(words)
})

test('a fake crew and its control load no HTTP client that only studies need', () => {
  const clients = /^(undici|autocannon)$/
  for (const entry of ['src/run/fake/control.ts', 'fake-crew/index.ts']) {
    expect(loadedFrom(entry).packages.filter((name) => clients.test(name))).toEqual([])
  }
})

describe('what is loaded before a command is chosen', () => {
  const { files, packages } = loadedFrom('src/cli/main.ts')

  test('is commander, the hint at the nearest name, and Node', () => {
    const foreign = packages.filter((name) => !name.startsWith('node:'))
    expect(foreign.sort()).toEqual(['commander', 'fastest-levenshtein'])
  })

  test('is nothing that measures, analyses or reports', () => {
    const heavy = /^(fake-crew|src\/(engine|execution|journal|report|result|scenario))\//
    expect(files.filter((file) => heavy.test(file))).toEqual([])
  })
})

/** By imports that are neither erased nor lazy. */
function loadedFrom(entry: string): { files: string[]; packages: string[] } {
  const files = new Set<string>([entry])
  const packages = new Set<string>()
  for (const file of files) {
    for (const { specifier, typeOnly, lazy } of importsOf(readFileSync(join(root, file), 'utf8'))) {
      if (typeOnly || lazy) continue
      if (specifier.startsWith('.')) files.add(join(dirname(file), specifier))
      else packages.add(specifier)
    }
  }
  expect([...files].filter((file) => !existsSync(join(root, file)))).toEqual([])
  return { files: [...files], packages: [...packages] }
}
