/** Parses the values of flags; each function throws an error that says what is allowed. */
import { InvalidArgumentError } from 'commander'
import { UserError } from '../../base/mistakes.ts'
import type { Micros } from '../../base/units.ts'
import { DURATION_HELP, parseDuration, parseShare } from '../../base/units.ts'

export function share(text: string): number {
  const value = parseShare(text)
  if (value !== undefined && value > 0) return value
  throw new InvalidArgumentError('expected a share like "5%" or "0.05".')
}

export function wholeNumber(least: number, most = Infinity): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (text.trim() !== '' && Number.isSafeInteger(value) && value >= least && value <= most) {
      return value
    }
    const range = most === Infinity ? `of ${least} or more` : `from ${least} to ${most}`
    throw new InvalidArgumentError(`expected a whole number ${range}.`)
  }
}

export function positive(text: string): number {
  const value = Number(text)
  if (text.trim() !== '' && Number.isFinite(value) && value > 0) return value
  throw new InvalidArgumentError('expected a number above 0.')
}

export function duration(text: string): Micros {
  const micros = parseDuration(text)
  if (micros !== undefined && micros > 0) return micros
  throw new InvalidArgumentError(`expected ${DURATION_HELP}, above 0.`)
}

/** A duration of 0 or more. */
export function durationOrNone(text: string): Micros {
  const micros = parseDuration(text)
  if (micros !== undefined) return micros
  throw new InvalidArgumentError(`expected ${DURATION_HELP}.`)
}

export function collectSet(text: string, before: Record<string, string>): Record<string, string> {
  const match = /^([^=\s]+)=(.*)$/s.exec(text)
  if (match === null) throw new InvalidArgumentError('expected path=value.')
  return { ...before, [match[1]!]: match[2]! }
}

/** Throws a UserError, because commander's own error repeats the argument, which may be secret. */
export function collectHeader(
  text: string,
  before: Record<string, string>,
): Record<string, string> {
  const match = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):\s*(.*)$/.exec(text)
  if (match === null) throw headerMistake('expected "name: value", on one line')
  const name = match[1]!.toLowerCase()
  if (name === 'authorization') {
    throw headerMistake('a token belongs in CREWLOAD_TOKEN or --token-file')
  }
  return { ...before, [name]: match[2]! }
}

function headerMistake(problem: string): UserError {
  return new UserError({ source: '--header', path: '', problem })
}
