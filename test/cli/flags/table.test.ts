/** A table of options: what commander makes of it, and what a folder keeps. */
import { Command, CommanderError } from 'commander'
import { describe, expect, test } from 'vitest'
import {
  file,
  inCode,
  oneOf,
  text,
  texts,
  wholeNumber,
  yes,
} from '../../../src/base/options/kinds.ts'
import type { OptionTable } from '../../../src/base/options/table.ts'
import {
  areKept,
  flagAliases,
  grouped,
  keptOf,
  kept,
  option,
} from '../../../src/base/options/table.ts'
import { declareTable, givenOf } from '../../../src/cli/command.ts'

const TABLE = {
  place: kept('<place>', 'where', file, { required: true }),
  control: option('--control', 'do it twice', yes, {
    no: { flag: '--no-control', help: 'do it once' },
    otherwise: 'when it is cheap',
  }),
  within: kept('--within <share>', 'how exactly', text, { otherwise: '"5%"' }),
  secret: option('--secret <word>', 'never kept', text),
  update: kept('--update [when]', 'rewrite it', oneOf(['pass', 'always']), { preset: 'pass' }),
  hook: { takes: inCode<() => void>() },
  run: grouped('Run', {
    names: kept('--name <word>', 'repeatable', texts),
    budget: { kickoffs: kept('--max-kickoffs <n>', 'budget', wholeNumber(1), { default: 9 }) },
  } satisfies OptionTable),
} satisfies OptionTable

function commandOf(): Command {
  const command = new Command().exitOverride().configureOutput({ writeErr: () => {} })
  declareTable(command, TABLE)
  return command
}

function given(...args: string[]): Record<string, unknown> {
  const command = commandOf().parse(args, { from: 'user' })
  return givenOf(TABLE, command.processedArgs, command.opts())
}

describe('what is typed', () => {
  test('has the names and groups of the table, with its defaults', () => {
    expect(given('here')).toEqual({ place: 'here', run: { budget: { kickoffs: 9 } } })
    const all = ['--no-control', '--within', '1%', '--update', '--name', 'a', '--name', 'b']
    expect(given('here', ...all, '--max-kickoffs', '3')).toEqual({
      place: 'here',
      control: false,
      within: '1%',
      update: 'pass',
      run: { names: ['a', 'b'], budget: { kickoffs: 3 } },
    })
  })

  test.each([
    [['--max-kickoffs', '0'], /expected a whole number of 1 or more/],
    [['--update', 'never'], /Allowed choices are pass, always\.$/],
    [['--update', 'alway'], /Allowed choices are pass, always\. Did you mean always\?$/],
  ])('%j is refused with what is allowed', (args, told) => {
    expect(() => given('here', ...args)).toThrow(CommanderError)
    expect(() => given('here', ...args)).toThrow(told)
  })
})

test('help tells defaults, applied here or elsewhere, and groups', () => {
  const help = commandOf().helpInformation()
  expect(help).toMatch(/--within <share> +how exactly \(default: "5%"\)/)
  expect(help).toMatch(
    /--control +do it twice \(default: when it is cheap\)\n +--no-control +do it/,
  )
  expect(help).toMatch(/Run:\n +--name <word> +repeatable\n +--max-kickoffs <n> +.*default: 9/)
})

describe('a folder keeps', () => {
  const run = { names: ['a'], budget: { kickoffs: 3 } }

  test('what the table says, and no secret', () => {
    const options = { place: 'here', secret: 'sesame', hook: () => {}, within: undefined, run }
    expect(keptOf(TABLE, options)).toEqual({ place: 'here', run })
  })

  test.each<[string, boolean, unknown]>([
    ['what it kept', true, { place: 'here', run }],
    ['a number for a text', false, { place: 7 }],
    ['no required option', false, { run }],
    ['an option that it does not keep', false, { place: 'here', secret: 'sesame' }],
    ['a name of no option', false, { place: 'here', with: '5%' }],
    ['a wrong value in a group', false, { place: 'here', run: { budget: { kickoffs: '3' } } }],
    ['no group', false, { place: 'here', run: 3 }],
  ])('%s: %j', (_, isKept, options) => {
    expect(areKept(TABLE, options)).toBe(isKept)
  })
})

test('a flag with another name than its option is known by both', () => {
  expect(flagAliases(TABLE)).toEqual({ maxKickoffs: 'run.budget.kickoffs', name: 'run.names' })
})
