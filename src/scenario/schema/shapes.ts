/**
 * The two shapes of which scenario files consist: a section with known keys, and a choice between
 * sections distinguished by one key.
 */
import { z } from 'zod'
import { nearestName } from '../../base/mistakes.ts'
import { isRecord } from '../author/inputs.ts'
import { listed } from '../../base/text.ts'

/**
 * An object with these keys and no others. The message for an unknown key is the list of the known
 * ones, because zod passes only text from here to `toMistakes`. `or` names what else is allowed:
 * `"none" or `.
 */
export function section<T extends z.ZodRawShape>(shape: T, or = '') {
  const known = Object.keys(shape).join(', ')
  return z.strictObject(shape, {
    error: ({ code }) =>
      code === 'unrecognized_keys' ? known : `expected ${or}an object with ${known}`,
  })
}

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
    const keys = isRecord(value) ? Object.keys(value) : []
    const name = names.find((candidate) => keys.includes(candidate))
    const schema = name === undefined && !isRecord(value) ? plain : variants[name ?? '']
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
