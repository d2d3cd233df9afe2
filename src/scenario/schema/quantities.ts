/**
 * Quantities of a scenario file, parsed from text into numbers with units, within bounds for every
 * plan.
 */
import { z } from 'zod'
import type { Micros, Rate } from '../../base/units.ts'
import {
  DURATION_HELP,
  formatDuration,
  MICROS_PER_MS,
  parseBytes,
  parseDuration,
} from '../../base/units.ts'
import { parseRate, parseShare, RATE_HELP } from '../../base/units.ts'

/** The maximum of every time in a plan. */
const LONGEST_MICROS = parseDuration('30d') ?? 0
const MAX_PER_SECOND = 1_000_000

/** A duration of `0` or more, to integer microseconds. */
export function duration() {
  return durationFrom(0, DURATION_HELP)
}

/**
 * A duration of 1 ms or more: the least time between two events that would otherwise repeat without
 * end.
 */
export function positiveDuration() {
  return durationFrom(MICROS_PER_MS, `${DURATION_HELP}, of 1 ms or more`)
}

/** A rate as a ratio, so that any fraction is exact. */
export function rate() {
  const help = `${RATE_HELP}, at most ${MAX_PER_SECOND}/s`
  return text(help).transform((value, context): Rate => {
    const parsed = parseRate(value)
    if (parsed !== undefined && parsed.count <= (MAX_PER_SECOND * parsed.perMicros) / 1_000_000) {
      return parsed
    }
    return reject(context, value, `expected ${help}`)
  })
}

/** `'5%'` or `0.05`, as a number from 0 to 1. */
export function share() {
  const help = 'expected a share from 0 to 1, like 0.05 or "5%"'
  return z.union([z.number(), z.string()], { error: help }).transform((value, context): number => {
    const parsed = parseShare(String(value))
    return parsed ?? reject(context, value, help)
  })
}

/** `'16MiB'` or bytes, as a whole number of bytes from 1. */
export function size() {
  const help = 'expected a size of at least one byte, like 4096, "4kB" or "16MiB"'
  return z.union([z.number(), z.string()], { error: help }).transform((value, context): number => {
    const parsed = parseBytes(String(value))
    return parsed === undefined || parsed < 1 ? reject(context, value, help) : parsed
  })
}

export function integer(min: number, max: number) {
  const error = `expected a whole number from ${min} to ${max}`
  return z.int({ error }).min(min, { error }).max(max, { error })
}

export function number(min: number, max: number) {
  const error = `expected a number from ${min} to ${max}`
  return z.number({ error }).min(min, { error }).max(max, { error })
}

export function text(help: string) {
  return z.string({ error: `expected ${help}` }).describe(help)
}

export function flag() {
  return z.boolean({ error: 'expected true or false' })
}

export function oneOf<const T extends readonly string[]>(values: T) {
  const list = values.map((value) => `"${value}"`).join(', ')
  return z.enum(values, { error: `expected one of ${list}` })
}

/** Adds an issue inside a transform and ends it. */
export function reject(context: z.RefinementCtx, input: unknown, message: string): never {
  context.issues.push({ code: 'custom', message, input })
  return z.NEVER
}

function durationFrom(min: Micros, help: string) {
  return text(help).transform((value, context): Micros => {
    const micros = parseDuration(value)
    if (micros === undefined || micros < min) return reject(context, value, `expected ${help}`)
    if (micros <= LONGEST_MICROS) return micros
    return reject(context, value, `expected at most ${formatDuration(LONGEST_MICROS)}`)
  })
}
