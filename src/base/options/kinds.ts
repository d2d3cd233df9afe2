/** What an option takes: how its text is read, and what a stored value must be. */
import { UserError } from '../mistakes.ts'
import type { Micros } from '../units.ts'
import { parsedJson } from '../text.ts'
import {
  DURATION_HELP,
  durationText as textOfDuration,
  MICROS_PER_MS,
  parseDuration,
  parseRate,
  parseShare,
  RATE_HELP,
} from '../units.ts'

/** `Typed`: what the command line makes of the text, where that is not yet the value itself. */
export interface OptionKind<Value = unknown, Typed = Value> {
  /**
   * Reads one word of the command line; `before` is what earlier ones gave to a flag that may be
   * repeated. Throws `Unreadable`, or UserError. Absent: no word is read.
   */
  read?(text: string, before: Typed | undefined): Typed
  /** The only words that are allowed. */
  choices?: readonly string[]
  /** The least number that is allowed, of a kind that takes whole ones. */
  least?: number
  /** Whether a value from a file is one. */
  isStored(value: unknown): boolean
  /** The text of a value, as it is typed. Default: as JavaScript writes it. */
  textOf?(value: Value): string
  /** What stands between name and value, of a kind that takes both: `: ` of a header. */
  sign?: string
  /** What a text means in another working folder: a path; or one unless it is a shipped name. */
  refersTo?: 'file' | 'profile' | 'network'
  /** Never there: it types the value. */
  value?: Value
}

/** Says what is allowed, without a full stop. */
export class Unreadable extends Error {}

const isText = (value: unknown): boolean => typeof value === 'string'
const isNumber = (value: unknown): boolean => typeof value === 'number'
const isBoolean = (value: unknown): boolean => typeof value === 'boolean'
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText)

function isRecordOf(isValue: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every(isValue)
}

export const text: OptionKind<string> = { read: (written) => written, isStored: isText }
/** The path of a file or a folder. */
export const file: OptionKind<string> = { ...text, refersTo: 'file' }
/** A shipped profile's name, or a file. */
export const profileName: OptionKind<string> = { ...text, refersTo: 'profile' }
/** `none`, `loopback`, `lan`, `wan`, or a folder. */
export const networkName: OptionKind<string> = { ...text, refersTo: 'network' }
/** A flag without a value. */
export const yes: OptionKind<boolean> = { isStored: isBoolean }

/** Several words, or a flag that may be repeated. */
export const texts: OptionKind<readonly string[]> = {
  read: (written, before = []) => [...before, written],
  isStored: isTexts,
}
export const files: OptionKind<readonly string[]> = { ...texts, refersTo: 'file' }

/** One of a closed list of words. */
export function oneOf<const Name extends string>(choices: readonly Name[]): OptionKind<Name> {
  return { choices, isStored: (value) => choices.some((choice) => choice === value) }
}

/** A value that only code can give, or that a command makes of what was typed. */
export function inCode<Value, Typed = never>(): OptionKind<Value, Typed> {
  return { isStored: () => false }
}

/** A file whose contents are the value; the command line reads it. */
export function contentsOf<Value>(): OptionKind<Value, string> {
  return { read: (written) => written, isStored: () => false }
}

export function wholeNumber(least: number, most = Infinity): OptionKind<number> {
  const range = most === Infinity ? `of ${least} or more` : `from ${least} to ${most}`
  const kind = numeric(`expected a whole number ${range}`, (written) => {
    const value = numberIn(written)
    return Number.isSafeInteger(value) && value >= least && value <= most ? value : undefined
  })
  return { ...kind, least }
}

export const positive: OptionKind<number> = numeric('expected a number above 0', (written) => {
  const value = numberIn(written)
  return Number.isFinite(value) && value > 0 ? value : undefined
})

/** More than 0. */
export const share: OptionKind<number> = numeric(
  'expected a share like "5%" or "0.05"',
  (written) => {
    const value = parseShare(written)
    return value === undefined || value <= 0 ? undefined : value
  },
)

export const duration: OptionKind<Micros> = {
  ...numeric(`expected ${DURATION_HELP}, above 0`, (written) => {
    const micros = parseDuration(written)
    return micros === undefined || micros <= 0 ? undefined : micros
  }),
  textOf: textOfDuration,
}

/** As a scenario has it. */
export const durationText: OptionKind<string> = {
  ...text,
  read: (written) => {
    duration.read!(written, undefined)
    return written
  },
}

/** As a scenario has it. */
export const rateText: OptionKind<string> = {
  ...text,
  read: (written) => {
    if ((parseRate(written)?.count ?? 0) > 0) return written
    throw new Unreadable(`expected ${RATE_HELP}, above 0`)
  },
}

export const durationMs: OptionKind<number> = {
  read: (written) => duration.read!(written, undefined) / MICROS_PER_MS,
  isStored: isNumber,
}

/** Of 0 or more. */
export const durationMsOrNone: OptionKind<number> = numeric(
  `expected ${DURATION_HELP}`,
  (written) => {
    const micros = parseDuration(written)
    return micros === undefined ? undefined : micros / MICROS_PER_MS
  },
)

function numeric(
  allowed: string,
  read: (written: string) => number | undefined,
): OptionKind<number> {
  return {
    read: (written) => {
      const value = read(written)
      if (value === undefined) throw new Unreadable(allowed)
      return value
    },
    isStored: isNumber,
  }
}

function numberIn(written: string): number {
  return written.trim() === '' ? Number.NaN : Number(written)
}

/** Words of a closed list, separated by commas. */
export function listOf<Name extends string>(
  source: string,
  known: readonly Name[],
): OptionKind<readonly Name[]> {
  const isKnown = (word: unknown): word is Name => known.some((each) => each === word)
  return {
    read: (written) => {
      const names = written.split(',').map((name) => name.trim())
      if (names.every(isKnown)) return names
      const problem = `expected a list of ${known.join(', ')}`
      throw new UserError({ source, found: JSON.stringify(written), problem })
    },
    isStored: (value) => Array.isArray(value) && value.every(isKnown),
  }
}

/** A number that a study checks with everything else: as text, so that a mistake shows it. */
export const numberOrText: OptionKind<number | string> = {
  read: (written) => written,
  isStored: (value) => isNumber(value) || isText(value),
}

/** `path=value`, repeated. */
export const changes: OptionKind<Readonly<Record<string, string>>> = {
  read: (written, before) => {
    const match = /^([^=\s]+)=(.*)$/s.exec(written)
    if (match === null) throw new Unreadable('expected path=value')
    return { ...before, [match[1]!]: match[2]! }
  },
  isStored: isRecordOf(isText),
  sign: '=',
}

/** `name: value`, repeated. */
export const headers: OptionKind<Readonly<Record<string, string>>> = {
  read: (written, before) => {
    const match = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):\s*(.*)$/.exec(written)
    if (match === null) throw new Unreadable('expected "name: value", on one line')
    const name = match[1]!.toLowerCase()
    if (name === 'authorization') {
      throw new Unreadable('a token belongs in CREWLOAD_TOKEN or --token-file')
    }
    return { ...before, [name]: match[2]! }
  },
  isStored: isRecordOf(isText),
  sign: ': ',
}

/** A JSON object like `example`. */
export function jsonObject(example: string): OptionKind<Readonly<Record<string, unknown>>> {
  const isObject = isRecordOf(() => true)
  return {
    read: (written) => {
      const value = parsedJson(written)
      if (isObject(value)) return value as Record<string, unknown>
      throw new Unreadable(`expected a JSON object like ${example}`)
    },
    isStored: isObject,
  }
}
