/**
 * Quantities as a profile's author writes them: durations, sizes, shares and counts, each checked
 * and turned into a number.
 */
import { z } from 'zod'
import {
  DURATION_HELP,
  RATE_HELP,
  parseBytes,
  parseDuration,
  parseRate,
  parseShare,
} from '../../../src/base/units.ts'

const SIZE_HELP = 'a size like 512, "4kB" or "1MiB"'
const SHARE_HELP = 'a share from 0 to 1, like 0.02 or "2%"'

/** `60s`, `1h30m`, or a bare 0; parsed to integer microseconds. */
export const duration = quantity(
  z.union([z.string(), z.literal(0)], { error: `expected ${DURATION_HELP}` }).meta({
    description: 'A duration: "500ms", "2s", "1.5m" or "1h30m".',
    pattern: String.raw`^\s*(0|(\d+(\.\d+)?(us|ms|s|min|m|h|d))+)\s*$`,
  }),
  (written) => parseDuration(String(written)),
  DURATION_HELP,
)

/** `10/s`, `600/m`, `90/5m`; parsed to a ratio whose count is above 0. */
export const rate = quantity(
  z.string({ error: `expected ${RATE_HELP}` }).meta({
    description: 'A rate: "2/s", "0.5/s", "40/h" or "90/5m".',
    pattern: String.raw`^\s*\d+(\.\d+)?\s*/\s*((\d+(\.\d+)?)?(us|ms|s|min|m|h|d))+\s*$`,
  }),
  (written) => {
    const ratio = parseRate(written)
    return ratio === undefined || ratio.count === 0 ? undefined : ratio
  },
  `${RATE_HELP}, above 0`,
)

/** `4kB`, `1MiB`, or a number of bytes; parsed to bytes. */
export const size = quantity(
  z.union([z.string(), numberIn(0, Infinity, SIZE_HELP)], { error: `expected ${SIZE_HELP}` }).meta({
    description: 'A size in bytes: 512, "4kB" or "1MiB".',
    pattern: String.raw`^\s*\d+(\.\d+)?\s*(B|kB|KB|MB|KiB|MiB)?\s*$`,
  }),
  (written) => parseBytes(String(written)),
  SIZE_HELP,
)

/** `2%` or 0.02; parsed to a share from 0 to 1. */
export const share = quantity(
  z.union([z.string(), numberIn(0, 1, SHARE_HELP)], { error: `expected ${SHARE_HELP}` }).meta({
    description: 'A share from 0 to 1: 0.02 or "2%".',
    pattern: String.raw`^\s*\d+(\.\d+)?\s*%?\s*$`,
  }),
  (written) => parseShare(String(written)),
  SHARE_HELP,
)

/** A whole number from `least`, or the word for no limit, which is parsed to null. */
export function countOr<const Word extends string>(least: number, word: Word) {
  const help = `expected a whole number from ${least}, or "${word}"`
  const count = z.int({ error: help }).min(least, { error: help })
  return z
    .union([count, z.literal(word)], { error: help })
    .transform((written) => (typeof written === 'number' ? written : null))
}

/**
 * A whole number from `least`. (zod's own `int` would keep the mapping around a mistake from being
 * checked as a whole.)
 */
export function count(least: number) {
  const help = `expected a whole number from ${least}`
  return z
    .number({ error: help })
    .refine((value) => Number.isSafeInteger(value) && value >= least, { error: help })
    .meta({ type: 'integer', minimum: least })
}

/** One of these words or numbers. */
export function oneOf<const Word extends string | number>(words: readonly Word[]) {
  return z.literal(words, { error: `expected one of ${words.join(', ')}` })
}

/** A non-empty text. */
export function text(what: string) {
  const help = `expected ${what}`
  return z.string({ error: help }).trim().min(1, { error: help })
}

function numberIn(least: number, most: number, help: string) {
  const error = `expected ${help}`
  const atLeast = z.number({ error }).min(least, { error })
  return most === Infinity ? atLeast : atLeast.max(most, { error })
}

function quantity<Written, Parsed>(
  written: z.ZodType<Written, Written>,
  parse: (written: Written) => Parsed | undefined,
  help: string,
) {
  return written.transform((value, context) => {
    const number = parse(value)
    if (number !== undefined) return number
    context.issues.push({ code: 'custom', input: value, message: `expected ${help}` })
    return z.NEVER
  })
}
