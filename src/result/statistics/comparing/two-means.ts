/** Computes how far the means of two samples lie apart, and how surely. */
import { meanOf } from '../moments.ts'
import { betaShare } from '../distributions/beta.ts'
import { studentT } from '../distributions/student.ts'

export interface Difference {
  /** The second mean minus the first. */
  value: number
  low: number
  high: number
  /**
   * The two-sided p value: the probability that samples of one distribution lie at least as far
   * apart.
   */
  p: number
  /** The standard error of the difference. */
  error: number
  degrees: number
}

/**
 * Student's test of two means with a pooled variance ("The probable error of a mean", 1908), which
 * assumes equal variances: with samples of equal size it keeps its level even if they are not, and
 * finds more than Welch's test with few runs per side. Null if a side has fewer than two values, or
 * if no value differs from the mean of its side, because chance cannot be estimated then, unless
 * `leastDeviation` says which standard deviation is the smallest that is believed. `inflation`: the
 * factor by which the variance of the difference exceeds that of independent values.
 */
export function compareMeans(
  first: readonly number[],
  second: readonly number[],
  {
    confidence = 0.95,
    inflation = 1,
    leastDeviation = 0,
  }: { confidence?: number; inflation?: number; leastDeviation?: number } = {},
): Difference | null {
  if (first.length < 2 || second.length < 2) return null
  // Rounding makes a mean of equal values differ from them.
  if (isConstant(first) && isConstant(second) && leastDeviation === 0) return null
  const degrees = first.length + second.length - 2
  const seen = (squares(first) + squares(second)) / degrees
  const variance = Math.max(seen, leastDeviation ** 2)
  const error = Math.sqrt(inflation * variance * (1 / first.length + 1 / second.length))
  const value = meanOf(second) - meanOf(first)
  const reach = studentT(degrees, confidence) * error
  const p = studentP(value / error, degrees)
  return { value, low: value - reach, high: value + reach, p, error, degrees }
}

/**
 * Returns the two-sided p value: the share of Student's t distribution that lies at least as far
 * from 0 as `t`.
 */
export function studentP(t: number, degrees: number): number {
  return betaShare(degrees / (degrees + t * t), degrees / 2, 0.5)
}

function isConstant(values: readonly number[]): boolean {
  return values.every((value) => value === values[0])
}

function squares(values: readonly number[]): number {
  const center = meanOf(values)
  return values.reduce((sum, value) => sum + (value - center) ** 2, 0)
}
