/**
 * Quantities of a scenario file, parsed from text into numbers with units, within bounds for every
 * plan.
 */
import { isObject } from '../crew/json.ts'
import { z } from 'zod'
import type { Micros, Rate } from '../base/units.ts'
import {
  DURATION_HELP,
  MICROS_PER_MS,
  parseBytes,
  parseDuration,
  parseRate,
  parseShare,
  RATE_HELP,
} from '../base/units.ts'
import { formatDuration } from '../base/numbers.ts'
import { nearestName } from '../base/mistakes.ts'
import { listed } from '../base/text.ts'

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

/** An object with these keys and no others. `or` names what else is allowed: `"none" or `. */
export function section<T extends z.ZodRawShape>(shape: T, or = '') {
  const known = Object.keys(shape)
  return z.strictObject(shape, {
    error: (issue) => {
      const isUnknown = issue.code === 'unrecognized_keys'
      if (isUnknown) KNOWN_KEYS.set(issue.keys, known)
      return `${isUnknown ? 'unknown key; valid keys: ' : `expected ${or}an object with `}${known.join(', ')}`
    },
  })
}

/**
 * The keys of a section, by the list of unknown ones in an issue: zod passes on that list and the
 * message, and nothing else of what is known where the issue is raised.
 */
export const KNOWN_KEYS = new WeakMap<readonly string[], readonly string[]>()

/**
 * One of several sections: the first whose name is among the keys found is chosen, so that mistakes
 * refer to the section that was meant. `plain` parses what is not an object, where that is allowed.
 */
export function choice<T extends Record<string, z.ZodType>, P extends z.ZodType = z.ZodNever>(
  variants: T,
  plain?: P,
) {
  const names = Object.keys(variants)
  const help = `expected an object with ${listed(names, 'or')}`
  const source = z.unknown()
  CHOICES.set(
    source,
    plain === undefined ? Object.values(variants) : [...Object.values(variants), plain],
  )
  return source.transform((value, context): z.output<T[keyof T]> | z.output<P> => {
    const keys = isObject(value) ? Object.keys(value) : []
    const name = names.find((candidate) => keys.includes(candidate))
    const schema = name === undefined && !isObject(value) ? plain : variants[name ?? '']
    if (schema !== undefined) return inner(schema, value, context) as z.output<T[keyof T]>
    const nearest = keys.map((key) => nearestName(key, names)).find((hint) => hint !== undefined)
    context.issues.push({ code: 'custom', message: help, input: value, params: { nearest } })
    return z.NEVER
  })
}

/** A section, or one word in its place, which is parsed as null. */
export function orWord<S extends z.ZodType>(word: string, schema: S) {
  const source = z.unknown()
  CHOICES.set(source, [z.literal(word), schema])
  return source.transform((value, context): z.output<S> | null =>
    value === word ? null : (inner(schema, value, context) as z.output<S>),
  )
}

/** The sections of each choice, for the JSON Schema. */
export const CHOICES = new WeakMap<z.core.$ZodType, readonly z.ZodType[]>()

function inner(schema: z.ZodType, value: unknown, context: z.RefinementCtx): unknown {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  for (const issue of parsed.error.issues) context.issues.push(issue as z.core.$ZodRawIssue)
  return z.NEVER
}
