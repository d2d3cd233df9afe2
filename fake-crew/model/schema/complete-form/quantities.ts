/**
 * Quantities of a profile in its complete form: numbers in fixed units, checked for their range.
 */
import { z } from 'zod'
import type { Distribution } from '../../../../src/base/distribution.ts'

/** A number within a range. `what` completes "expected ...". */
export function numberFrom(least: number, what: string, most = Infinity) {
  const error = `expected ${what}`
  const atLeast = z.number({ error }).min(least, { error })
  return most === Infinity ? atLeast : atLeast.max(most, { error })
}

export const micros = numberFrom(0, 'microseconds, from 0')
export const lasting = z
  .number({ error: 'expected microseconds above 0' })
  .positive({ error: 'expected microseconds above 0' })
export const bytes = numberFrom(0, 'bytes, from 0')
export const share = numberFrom(0, 'a share from 0 to 1', 1)
export const flag = z.boolean({ error: 'expected true or false' })

export function whole(least: number) {
  const error = `expected a whole number from ${least}`
  return z.int({ error }).min(least, { error })
}

/** A value accepted by `value`, or null. `what` completes "expected ..., or null". */
export function orNull<Value extends z.ZodType>(value: Value, what: string) {
  return z.union([value, z.null()], { error: `expected ${what}, or null` })
}

export function word(what: string) {
  const error = `expected ${what}`
  return z.string({ error }).min(1, { error })
}

export function listOf<Item extends z.ZodType>(item: Item, what: string) {
  return z.array(item, { error: `expected a list of ${what}` })
}

const KINDS = 'expected a kind: constant, uniform, lognormal, gamma or quantiles'
const RISING = 'expected values that do not decrease, at quantiles that increase from 0 to 1'

/** A distribution of a quantity in `value`'s unit. */
export function distribution(value: z.ZodType<number>): z.ZodType<Distribution> {
  const cap = value.exactOptional()
  const points = listOf(z.strictObject({ q: share, value }), 'points { q, value }')
  return z.discriminatedUnion(
    'kind',
    [
      z.strictObject({ kind: z.literal('constant'), value }),
      z
        .strictObject({ kind: z.literal('uniform'), min: value, max: value })
        .refine(({ min, max }) => min <= max, {
          path: ['max'],
          error: 'expected a max that is not below min',
        }),
      z
        .strictObject({ kind: z.literal('lognormal'), median: value, p95: value, cap })
        .refine(({ median }) => median > 0, {
          path: ['median'],
          error: 'expected a median above 0',
        })
        .refine(({ median, p95 }) => p95 > median, {
          path: ['p95'],
          error: 'expected a p95 above the median',
        })
        .refine((shape) => (shape.cap ?? Infinity) > shape.median, {
          path: ['cap'],
          error: 'expected a cap above the median',
        }),
      z
        .strictObject({ kind: z.literal('gamma'), mean: value, cv: lastingShare, cap })
        .refine((shape) => (shape.cap ?? Infinity) > shape.mean, {
          path: ['cap'],
          error: 'expected a cap above the mean',
        }),
      z.strictObject({
        kind: z.literal('quantiles'),
        points: points.refine(isRising, { error: RISING }),
      }),
    ],
    { error: KINDS },
  )
}

const lastingShare = z
  .number({ error: 'expected a coefficient of variation above 0' })
  .positive({ error: 'expected a coefficient of variation above 0' })

function isRising(points: readonly { q: number; value: number }[]): boolean {
  const rises = points.every(({ q, value }, i) => {
    const before = points[i - 1]
    return before === undefined || (q > before.q && value >= before.value)
  })
  return rises && points[0]?.q === 0 && points.at(-1)?.q === 1
}
