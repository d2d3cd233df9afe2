/** A table of options as flags and arguments of commander, and what it parsed as a table again. */
import type { Command } from 'commander'
import { Argument, InvalidArgumentError, Option } from 'commander'
import type { OptionKind } from '../../base/options/kinds.ts'
import { Unreadable } from '../../base/options/kinds.ts'
import type { Option as OptionRow, OptionTable } from '../../base/options/table.ts'
import { isOption, nameOfFlag, optionsIn } from '../../base/options/table.ts'

type ReadFlag = (text: string, before: unknown) => unknown

export function declareTable(command: Command, table: OptionTable): void {
  for (const { option } of optionsIn(table)) {
    if (option.flag === undefined) continue
    if (isArgument(option)) command.addArgument(argumentOf(option, option.flag))
    else for (const flag of flagsOf(option, option.flag)) command.addOption(flag)
  }
}

function isArgument({ flag = '--' }: OptionRow): boolean {
  return !flag.startsWith('-')
}

function argumentOf({ help, takes, default: given }: OptionRow, flag: string): Argument {
  const argument = new Argument(flag, help)
  if (takes.choices !== undefined) argument.choices(takes.choices)
  return given === undefined ? argument : argument.default(given)
}

function flagsOf(row: OptionRow, flag: string): Option[] {
  const { help = '', takes, required = false, default: given, preset, otherwise, no } = row
  const words =
    otherwise === undefined || given !== undefined ? help : `${help} (default: ${otherwise})`
  const option = new Option(flag, words)
  if (takes.choices !== undefined) option.choices(takes.choices)
  else if (takes.read !== undefined) option.argParser(parserOf(takes))
  if (given !== undefined) option.default(given, otherwise)
  if (preset !== undefined) option.preset(preset)
  if (required) option.makeOptionMandatory()
  if (row.hidden === true) option.hideHelp()
  const flags = no === undefined ? [option] : [option, new Option(no.flag, no.help)]
  if (row.group !== undefined) for (const each of flags) each.helpGroup(`${row.group}:`)
  return flags
}

/** The message of what cannot be read says what is allowed, and not the kind of the error. */
function parserOf(kind: OptionKind): ReadFlag {
  return (text, before) => {
    try {
      return kind.read!(text, before)
    } catch (error) {
      throw error instanceof Unreadable ? new InvalidArgumentError(error.message) : error
    }
  }
}

/** `words`: the arguments; `flags`: what commander made of the flags, by its own names. */
export function givenOf(
  table: OptionTable,
  words: readonly unknown[],
  flags: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const left = [...words]
  const valuesOf = (rows: OptionTable): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(rows).flatMap(([name, row]): [string, unknown][] => {
        if (!isOption(row)) return [[name, valuesOf(row)]]
        const { flag } = row
        if (flag === undefined) return []
        const value = isArgument(row) ? left.shift() : flags[nameOfFlag(flag)]
        return value === undefined ? [] : [[name, value]]
      }),
    )
  return valuesOf(table)
}
