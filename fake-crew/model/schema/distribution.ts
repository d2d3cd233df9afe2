/**
 * A distribution as a profile's author writes it: a bare quantity, or one named shape with its
 * parameters.
 */
import { z } from 'zod'
import type { Distribution } from '../../../src/base/distribution.ts'
import { parseShare } from '../../../src/base/units.ts'

type QuantitySchema = z.ZodType<number, string | number>
type QuantilePoints = Extract<Distribution, { kind: 'quantiles' }>['points']

const ONE_SHAPE = 'exactly one of constant, uniform, lognormal, gamma or quantiles'

/**
 * `60s` (always that), `{ uniform: { min, max } }`, `{ lognormal: { median, p95, cap } }`, `{
 * gamma: { mean, cv, cap } }` or `{ quantiles: { 0%: ..., 50%: ..., 100%: ... } }`; `cap` is
 * optional and clips. All values have the same unit.
 */
export function distribution(value: QuantitySchema, what: string) {
  const help = `expected ${what}, or ${ONE_SHAPE}`
  const shapes = z
    .strictObject({
      constant: value.meta({ description: 'Always this value.' }).exactOptional(),
      uniform: uniform(value).exactOptional(),
      lognormal: lognormal(value).exactOptional(),
      gamma: gamma(value).exactOptional(),
      quantiles: quantiles(value).exactOptional(),
    })
    .meta({ minProperties: 1, maxProperties: 1 })
    .refine((shape) => Object.keys(shape).length === 1, { error: help })
    .transform(toDistribution)
  const bare = value.transform((constant): Distribution => ({ kind: 'constant', value: constant }))
  return z.union([bare, shapes], { error: help })
}

interface Shapes {
  constant?: number
  uniform?: { min: number; max: number }
  lognormal?: { median: number; p95: number; cap?: number }
  gamma?: { mean: number; cv: number; cap?: number }
  quantiles?: QuantilePoints
}

function toDistribution(shape: Shapes): Distribution {
  if (shape.uniform !== undefined) return { kind: 'uniform', ...shape.uniform }
  if (shape.lognormal !== undefined) return { kind: 'lognormal', ...shape.lognormal }
  if (shape.gamma !== undefined) return { kind: 'gamma', ...shape.gamma }
  if (shape.quantiles !== undefined) return { kind: 'quantiles', points: shape.quantiles }
  return { kind: 'constant', value: shape.constant ?? 0 }
}

function uniform(value: QuantitySchema) {
  return z
    .strictObject({ min: value, max: value })
    .meta({ description: 'Uniform between min and max.' })
    .refine(({ min, max }) => min <= max, {
      path: ['max'],
      error: 'expected a max that is not below min',
    })
}

function lognormal(value: QuantitySchema) {
  return z
    .strictObject({ median: value, p95: value, cap: value.exactOptional() })
    .meta({ description: 'Lognormal by its median and 95th percentile; cap clips its tail.' })
    .refine(({ median }) => median > 0, {
      path: ['median'],
      error: 'expected a median above 0',
    })
    .refine(({ median, p95 }) => p95 > median, {
      path: ['p95'],
      error: 'expected a p95 above the median',
    })
    .refine(({ median, cap = Infinity }) => cap > median, {
      path: ['cap'],
      error: 'expected a cap above the median',
    })
}

function gamma(value: QuantitySchema) {
  const help = 'expected a coefficient of variation above 0 (1 is exponential)'
  return z
    .strictObject({
      mean: value,
      cv: z.number({ error: help }).positive({ error: help }),
      cap: value.exactOptional(),
    })
    .meta({ description: 'Gamma by its mean and coefficient of variation; cap clips its tail.' })
    .refine(({ mean, cap = Infinity }) => cap > mean, {
      path: ['cap'],
      error: 'expected a cap above the mean',
    })
}

function quantiles(value: QuantitySchema) {
  return z
    .record(z.string(), value, {
      error: 'expected values by quantile, like { 0%: 10s, 50%: 1m, 100%: 5m }',
    })
    .meta({ description: 'Values at increasing quantiles from 0% to 100%, linear in between.' })
    .transform((byQuantile, context): QuantilePoints => {
      const points = Object.entries(byQuantile)
        .map(([key, at]) => ({ key, q: parseShare(key) ?? Number.NaN, value: at }))
        .sort((a, b) => a.q - b.q)
      for (const fault of quantileFaults(points)) {
        context.issues.push({ code: 'custom', input: byQuantile, ...fault })
      }
      return points.map(({ q, value: at }) => ({ q, value: at }))
    })
}

function quantileFaults(points: readonly { key: string; q: number; value: number }[]) {
  const faults: { path?: string[]; message: string }[] = []
  for (const { key, q } of points) {
    if (Number.isNaN(q))
      faults.push({ path: [key], message: 'expected a quantile from 0% to 100%' })
  }
  if (faults.length > 0) return faults
  if (points[0]?.q !== 0 || points.at(-1)?.q !== 1) {
    faults.push({ message: 'expected quantiles that begin at 0% and end at 100%' })
  }
  for (const [i, { key, q, value }] of points.entries()) {
    const before = points[i - 1]
    if (before === undefined) continue
    if (q === before.q) faults.push({ path: [key], message: 'expected each quantile once' })
    if (value < before.value) {
      faults.push({ path: [key], message: `expected a value not below that at ${before.key}` })
    }
  }
  return faults
}
