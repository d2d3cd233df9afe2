/** The definition of a command, and how it is added to commander. */
import type { Command } from 'commander'
import type { OptionTable, Option as OptionRow } from '../base/options/table.ts'
import { nearestName, UserError } from '../base/mistakes.ts'
import { wrap } from '../base/text.ts'
import type { Io } from './io/io.ts'
import { Argument, InvalidArgumentError, Option } from 'commander'
import { Unreadable } from '../base/options/kinds.ts'
import { flagName, isOption, nameOfFlag, optionsIn } from '../base/options/table.ts'

/** How `crewload --help` groups the commands: by what a user wants, in this order. */
export const GROUPS = [
  'Try it',
  'Measure a crew',
  'Answer a question',
  'Simulate a crew',
  'Files and CI',
  'This machine',
] as const

/** A command that acts, or one with subcommands. */
export type CommandDefinition = ActingCommand | ParentCommand

export type MainCommand = CommandDefinition & { group: (typeof GROUPS)[number] }

interface CommonDefinition {
  /** The name as it is typed. */
  name: string
  /** Says what the command does, for a list of commands. */
  description: string
  /** Whether the parent runs this command when it is typed alone. Default: false. */
  isDefault?: boolean
  /** Commands to copy, which its own `--help` prints first. Default: none. */
  examples?: readonly string[]
  /**
   * The text that its own `--help` prints below the flags; ends with a line break. Default:
   * nothing.
   */
  help?: string
}

export interface ActingCommand extends CommonDefinition {
  /** Its arguments and flags. Default: none. */
  options?: OptionTable
  /**
   * Carries out the command, and resolves to the exit code. `given` is `Given<typeof options>`.
   * Slow modules are imported here, so that `--help` does not wait for them.
   */
  act(io: Io, given: object): Promise<number>
}

interface ParentCommand extends CommonDefinition {
  commands: readonly CommandDefinition[]
}

/** `done` receives the exit code when the command has finished. */
export function addCommand(
  parent: Command,
  definition: CommandDefinition,
  io: Io,
  done: (code: number) => void,
): void {
  const command = addName(parent, definition)
  const { help, examples = [] } = definition
  if (examples.length > 0) command.addHelpText('before', examplesText(examples))
  if (help !== undefined) command.addHelpText('after', () => `\n${helpText(help)}`)
  if ('commands' in definition) {
    for (const below of definition.commands) addCommand(command, below, io, done)
    return
  }
  const { options = {} } = definition
  declareTable(command, options)
  tellAllMissing(command)
  command.action(async (...parsed: unknown[]) => {
    done(await definition.act(io, givenOf(options, parsed.slice(0, -2), command.opts())))
  })
}

/** A command that this command line does not name: only its name may be asked for. */
export function addName(
  parent: Command,
  { name, description, isDefault = false }: CommandDefinition,
): Command {
  return parent.command(name, { isDefault }).description(description)
}

function examplesText(examples: readonly string[]): string {
  return ['Examples:', ...examples.map((example) => `  ${example}`), ''].join('\n')
}

/** The headings of a command's flags, in this order; those of its own question come first. */
const HEADINGS = ['Options:', 'Target:', 'Load:', 'Budget:', 'Judge:', 'Output:', 'Advanced:']

/** As commander groups flags, in the order of the headings. */
export function inOrderOfHeadings<Item extends Command | Option>(
  grouped: Map<string, Item[]>,
): Map<string, Item[]> {
  const inOrder = [...grouped].sort(([a], [b]) => HEADINGS.indexOf(a) - HEADINGS.indexOf(b))
  return new Map(inOrder)
}

const WIDTH = 80

/**
 * Consecutive lines that are not indented form one paragraph, which is wrapped again; an indented
 * line (a command to copy, a row of a table) stays as it is.
 */
function helpText(text: string): string {
  const broken = text
    .split(/^((?:[ \t].*)?\n)/m)
    .map((part) => (/^\s/.test(part) ? part : paragraph(part)))
    .join('')
  return text.endsWith('\n') ? broken : broken.trimEnd()
}

/** Ends with a line break. */
function paragraph(text: string): string {
  const joined = text.trim().replaceAll('\n', ' ')
  return joined === '' ? '' : `${wrap(joined, WIDTH, '', '').join('\n')}\n`
}

/** Commander itself stops at the first argument or flag that is missing. */
function tellAllMissing(command: Command): void {
  const tell = (): never => {
    const words = command.registeredArguments.filter(
      (each, i) => each.required && command.args[i] === undefined,
    )
    const flags = command.options.filter(
      (each) => each.mandatory && command.getOptionValue(each.attributeName()) === undefined,
    )
    const missing = [
      ...words.map((each) => `error: missing required argument '${each.name()}'`),
      ...flags.map((each) => `error: required option '${each.flags}' not specified`),
    ]
    return command.error(missing.join('\n'))
  }
  Object.assign(command, { missingArgument: tell, missingMandatoryOptionValue: tell })
}

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
  if (takes.choices !== undefined) {
    option.choices(takes.choices).argParser(choiceOf(takes.choices))
  } else if (takes.read !== undefined) option.argParser(parserOf(row))
  if (given !== undefined) option.default(given, otherwise)
  if (preset !== undefined) option.preset(preset)
  if (required) option.makeOptionMandatory()
  if (row.hidden === true) option.hideHelp()
  const flags = no === undefined ? [option] : [option, new Option(no.flag, no.help)]
  if (row.group !== undefined) for (const each of flags) each.helpGroup(`${row.group}:`)
  return flags
}

/** As commander reads a choice, and names the nearest one. */
function choiceOf(choices: readonly string[]): ReadFlag {
  return (text) => {
    if (choices.includes(text)) return text
    const nearest = nearestName(text, choices)
    const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`
    throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.${hint}`)
  }
}

/**
 * The message of what cannot be read says what is allowed, and not the kind of the error; commander
 * adds what was typed, which may be secret.
 */
function parserOf(row: OptionRow): ReadFlag {
  return (text, before) => {
    try {
      return row.takes.read!(text, before)
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      if (row.secret === undefined) throw new InvalidArgumentError(`${error.message}.`)
      throw new UserError({ source: flagName(row), problem: error.message })
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
