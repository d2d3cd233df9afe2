/** The list of the commands: grouped, and quick to tell. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { CommandDefinition } from '../../src/cli/command.ts'
import { GROUPS } from '../../src/cli/command.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
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
