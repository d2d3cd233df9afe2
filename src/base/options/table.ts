/**
 * Tables of options: what a command, or a function in code, may be given. Flags, types, checks of
 * names, what a folder keeps and the documents derive from them.
 */
import type { Mistake } from '../mistakes.ts'
import { demandNone, nearestName } from '../mistakes.ts'
import { HIDDEN_VALUE, shellWord } from '../text.ts'
import type { OptionKind } from './kinds.ts'

export interface Option<Value = unknown, Typed = unknown> {
  /** As it is typed: `--seed <n>`; without dashes, an argument. Default: only code can give it. */
  flag?: string
  /** The flag that gives false, and what that means. */
  no?: { flag: string; help: string }
  /** What it says, in `--help` and in the reference. */
  help?: string
  takes: OptionKind<Value, Typed>
  /** Without it, the command is refused. Default: false. */
  required?: true
  /** What the command line gives by default. */
  default?: Typed
  /** The value of a flag that was given without one. */
  preset?: Typed
  /** The default in words, where the value is not given by the command line or cannot be read. */
  otherwise?: string
  /** What a printed plan says of its value; empty for nothing. Default: nothing. */
  line?(value: Value): string
  /** Whether a folder keeps it for `resume`, apart from what may be secret. */
  kept?: true
  /** Whether `resume` takes it again: no folder keeps it, or not all of it. */
  again?: true
  /**
   * Whether it may be secret: nothing shows or keeps it, and `resume` needs it again. `name`: of a
   * header, or the path that is changed; empty where the whole value is meant. Default: never.
   */
  secret?: (name: string) => boolean
  /** Whether `--help` is silent about it. */
  hidden?: true
  /** The heading of `--help` under which it stands. Default: `Options`. */
  group?: string
}

type More<Typed> = Omit<Option<unknown, Typed>, 'flag' | 'help' | 'takes' | 'kept'>

/** A flag or an argument. */
export function option<Value, Typed, const Rest extends More<Typed>>(
  flag: string,
  help: string,
  takes: OptionKind<Value, Typed>,
  more?: Rest,
) {
  return { flag, help, takes, ...(more ?? ({} as Rest)) }
}

/** The same, that the folder of a study keeps. */
export function kept<Value, Typed, const Rest extends More<Typed>>(
  flag: string,
  help: string,
  takes: OptionKind<Value, Typed>,
  more?: Rest,
) {
  return { ...option(flag, help, takes, more), kept: true as const }
}

/** By their names in code. Tables within a table are groups: `budget.kickoffs`. */
export interface OptionTable {
  readonly [name: string]: Option | OptionTable
}

/** The options of a table in code. */
export type OptionsOf<T> = Fields<T, SureInCode<T>, 'value'>

/** What the command line makes of a table: with defaults, and every group. */
export type Given<T> = Fields<T, SureWhenTyped<T>, 'typed'>

type SureInCode<T> = {
  [Name in keyof T]: T[Name] extends { required: true } ? Name : never
}[keyof T]

type SureWhenTyped<T> = {
  [Name in keyof T]: T[Name] extends { required: true } | { default: unknown }
    ? Name
    : T[Name] extends { takes: unknown }
      ? never
      : Name
}[keyof T]

type Fields<T, Sure extends keyof T, How extends 'value' | 'typed'> = Present<T, Sure, How> &
  Possible<T, Exclude<keyof T, Sure>, How>

// Mapped as `Pick` is, so that each option keeps its comment.
type Present<T, Names extends keyof T, How> = { [Name in Names]: Field<T[Name], How> }
type Possible<T, Names extends keyof T, How> = { [Name in Names]?: Field<T[Name], How> }

type Field<Row, How> = Row extends { takes: OptionKind<infer Value, infer Typed> }
  ? How extends 'value'
    ? Value
    : Typed
  : How extends 'value'
    ? OptionsOf<Row>
    : Given<Row>

/** The names of what `resume` takes again, and of the groups that have any of it. */
type AgainIn<T> = {
  [Name in keyof T]: T[Name] extends { again: true }
    ? Name
    : T[Name] extends { takes: unknown }
      ? never
      : [AgainIn<T[Name]>] extends [never]
        ? never
        : Name
}[keyof T]

/** The part of a table that `resume` takes again. */
export type Again<T> = Pick<T, AgainIn<T>>

export function againIn<T extends OptionTable>(table: T): Again<T> {
  const isAgain = (row: Option | OptionTable): boolean =>
    isOption(row) ? row.again === true : Object.values(row).some(isAgain)
  return Object.fromEntries(Object.entries(table).filter(([, row]) => isAgain(row))) as Again<T>
}

export function isOption(row: Option | OptionTable): row is Option {
  return 'takes' in row
}

/** Every option of a table and of its groups, with its path: `budget.kickoffs`. */
export function optionsIn(table: OptionTable, prefix = ''): { path: string; option: Option }[] {
  return Object.entries(table).flatMap(([name, row]) => {
    const path = `${prefix}${name}`
    return isOption(row) ? [{ path, option: row }] : optionsIn(row, `${path}.`)
  })
}

/** The same options, below one heading of `--help`. */
export function grouped<T extends OptionTable>(group: string, table: T): T {
  const under = (row: Option | OptionTable): Option | OptionTable =>
    isOption(row) ? { group, ...row } : grouped(group, row)
  return Object.fromEntries(Object.entries(table).map(([name, row]) => [name, under(row)])) as T
}

/**
 * What a printed plan says of these values, in the order of the table; null is as good as none.
 */
export function linesOf(table: OptionTable, values: object): string[] {
  const given = values as Readonly<Record<string, unknown>>
  return Object.entries(table).flatMap(([name, row]) => {
    const value = given[name]
    const line = isOption(row) && value != null ? (row.line?.(value) ?? '') : ''
    return line === '' ? [] : [line]
  })
}

/** Whatever the value is. */
export const always = (): boolean => true

/** The flag without its value: `--seed`. */
export function flagName({ flag = '' }: Option): string {
  return flag.replace(/ .*/, '')
}

/** A value that was typed, as it may be shown. */
export function shownWord({ secret, takes: { sign } }: Option, typed: string): string {
  if (secret === undefined) return typed
  if (sign === undefined) return /^\s*\{/.test(typed) ? `{${HIDDEN_VALUE}}` : HIDDEN_VALUE
  const [name = ''] = typed.split(sign.trim(), 1)
  return secret(name) ? `${name}${sign}${HIDDEN_VALUE}` : typed
}

/** A value as it may be shown, or kept. */
export function shownValue<Value>(row: Option<Value>, value: Value): Value
export function shownValue(row: Option, value: unknown): unknown {
  const { secret, takes } = row
  if (secret === undefined) return value
  if (takes.sign === undefined) return HIDDEN_VALUE
  if (Array.isArray(value)) return value.map((typed: string) => shownWord(row, typed))
  const named = Object.entries(value as object).map(([name, each]: [string, unknown]) => [
    name,
    secret(name) ? HIDDEN_VALUE : each,
  ])
  return Object.fromEntries(named) as unknown
}

/** What a folder keeps of these options. */
export function keptOf(table: OptionTable, options: object): Record<string, unknown> {
  const values = options as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    Object.entries(table).flatMap(([name, row]): [string, unknown][] => {
      const value = values[name]
      if (value === undefined) return []
      if (!isOption(row)) return [[name, keptOf(row, value as object)]]
      return row.kept === true ? [[name, shownValue(row, value)]] : []
    }),
  )
}

/** Whether a folder may have kept these options: each is known, and of its kind. */
export function areKept(table: OptionTable, kept: unknown): boolean {
  if (typeof kept !== 'object' || kept === null) return false
  const values = kept as Readonly<Record<string, unknown>>
  const isKnown = Object.keys(values).every((name) => Object.hasOwn(table, name))
  return (
    isKnown &&
    Object.entries(table).every(([name, row]) => {
      const value = values[name]
      if (value === undefined) return !isOption(row) || row.required !== true
      return isOption(row) ? row.kept === true && isStored(row, value) : areKept(row, value)
    })
  )
}

function isStored({ secret, takes }: Option, value: unknown): boolean {
  const isHidden = secret !== undefined && takes.sign === undefined
  return isHidden ? value === HIDDEN_VALUE : takes.isStored(value)
}

type Values = Readonly<Record<string, unknown>>

/**
 * The options that `folder` kept, with those that are `given` now. Throws UserError for what may be
 * secret, and therefore was not kept, unless it is among them; and for such options that the folder
 * does not name.
 */
export function givenAgain(
  table: OptionTable,
  kept: object,
  given: object,
  folder: string,
): Record<string, unknown> {
  const missing: string[] = []
  const mistakes: Mistake[] = []
  for (const { path, option: row } of optionsIn(table)) {
    const before = hiddenNames(row, valueAt(kept, path))
    const now = hiddenNames(row, valueAt(given, path))
    missing.push(...before.filter((name) => !now.includes(name)).map((name) => asTyped(row, name)))
    for (const name of now.filter((each) => !before.includes(each))) {
      const problem = `is not among the options of ${folder}`
      mistakes.push({ source: flagName(row), path: name, problem })
    }
  }
  if (missing.length > 0) {
    const problem = `does not keep what may be secret: give ${missing.join(' ')}`
    mistakes.push({ source: folder, problem })
  }
  demandNone(mistakes)
  return merged(table, kept as Values, given as Values)
}

/** The names within a value that may be secret; an empty one where the whole value may be. */
function hiddenNames({ secret, kept, takes }: Option, value: unknown): string[] {
  if (secret === undefined || kept !== true || value === undefined) return []
  return takes.sign === undefined ? [''] : Object.keys(value as object).filter(secret)
}

function asTyped(row: Option, name: string): string {
  const { sign } = row.takes
  return `${flagName(row)} ${sign === undefined ? '...' : shellWord(`${name}${sign}...`)}`
}

/** `path`: as of `optionsIn`. */
function valueAt(values: object, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((inner, name) => (inner as Values | undefined)?.[name], values)
}

function merged(table: OptionTable, kept: Values, given: Values): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(table).flatMap(([name, row]): [string, unknown][] => {
      const [before, now] = [kept[name], given[name]]
      if (before === undefined || now === undefined) {
        return before === now ? [] : [[name, before ?? now]]
      }
      if (!isOption(row)) return [[name, merged(row, before as Values, now as Values)]]
      return [[name, row.takes.sign === undefined ? now : Object.assign({}, before, now)]]
    }),
  )
}

/** A mistake for each flag of the table that is given, where none may be; secrets are not shown. */
export function flagsGiven(table: OptionTable, options: object, problem: string): Mistake[] {
  return optionsIn(table).flatMap(({ path, option: row }) => {
    const value = valueAt(options, path)
    if (row.flag === undefined || value === undefined) return []
    const shown = shownValue(row, value)
    const values = row.takes.sign === undefined ? { '': shown } : (shown as Values)
    return Object.entries(values).map(([name, each]): Mistake => {
      const mistake = { source: flagName(row), path: name, problem }
      if (each === HIDDEN_VALUE || each === true) return mistake
      return Object.assign(mistake, { found: row.takes.textOf?.(each) ?? String(each) })
    })
  })
}

export interface KnownOptions {
  names: readonly string[]
  /** The function that takes the options: `run()`. */
  source: string
  /** The prefix of each name, for a group of options: `budget.` */
  prefix?: string
  /** Names used elsewhere for one of these options. */
  aliases?: Readonly<Record<string, string>>
}

/**
 * In JavaScript an unknown name would be ignored silently: a mistake for each. An undefined option
 * counts as not given.
 */
export function unknownOptions(given: object, known: KnownOptions): Mistake[] {
  const { names, source, prefix = '', aliases = {} } = known
  return Object.entries(given)
    .filter(([name, value]) => value !== undefined && !names.includes(name))
    .map(([name]) => {
      const problem = `unknown option; allowed: ${names.join(', ')}`
      const mistake: Mistake = { source, path: `${prefix}${name}`, problem }
      const nearest =
        (Object.hasOwn(aliases, name) ? aliases[name] : undefined) ?? nearestName(name, names)
      return nearest === undefined ? mistake : Object.assign(mistake, { nearest })
    })
}

/** The name that commander gives to a flag: `maxKickoffs` for `--max-kickoffs <n>`. */
export function nameOfFlag(flag: string): string {
  const [, name = ''] = /^--(?:no-)?([\w-]+)/.exec(flag) ?? []
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** The paths of the options whose flags have another name, by the names of the flags. */
export function flagAliases(table: OptionTable): Record<string, string> {
  return Object.fromEntries(
    optionsIn(table).flatMap(({ path, option: { flag } }) => {
      const name = flag === undefined ? '' : nameOfFlag(flag)
      return name === '' || name === path ? [] : [[name, path]]
    }),
  )
}
