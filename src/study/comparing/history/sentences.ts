/**
 * What a history says: its findings and reasons, each with its sentence, and the changes that they
 * name.
 */
import { z } from 'zod'
import { formatReach, plural } from '../../../base/numbers.ts'
import { inSentences } from '../../../base/text.ts'
import { finding, reason } from '../../../result/sentence-tables.ts'
import type { Quantity } from '../../../result/document.ts'
import { quantity } from '../../../result/document.ts'
import { count } from '../../frame/envelope.ts'
import { percentOf } from '../sentences.ts'
import { formatInstant } from '../../../report/text/format.ts'

export const gate = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  commit: z.string().nullable(),
})

export const level = z.union([z.number(), z.literal('never')]).nullable()

export const trendChange = z.object({
  after: gate.describe('The last gate before the change'),
  until: gate.describe('The first gate with it: the change is in between'),
  gates: count.describe('Gates since then'),
  before: level.describe('Median since the previous change; null while it was not measured'),
  now: level.describe('The same until the next change'),
  size: z
    .number()
    .nullable()
    .describe('Relative change, or difference of shares; null from or to anything but a number'),
  p: z
    .number()
    .nullable()
    .describe(
      'Adjusted for all places of the series; null where gates began or ceased to measure it',
    ),
  direction: z.enum(['worse', 'better', 'other']),
})

export type TrendChange = z.infer<typeof trendChange>
export type HistoryLevel = TrendChange['now']

const metricGap = { metric: z.string(), gates: count, ofGates: count }

export const FINDINGS = {
  'scenarios-differ': finding(
    'warning',
    { scenarios: z.array(z.string()).readonly() },
    ({ scenarios }) =>
      `the gates are of different scenarios (${scenarios.join(', ')}): give each its own file`,
  ),
  'lines-ignored': finding(
    'warning',
    { lines: count },
    ({ lines }) => `${plural(lines, 'line')} of the file could not be read as a gate`,
  ),
  'never-in-gates': finding(
    'warning',
    metricGap,
    ({ metric, gates, ofGates }) => `${metric} is never in ${gates} of ${plural(ofGates, 'gate')}`,
  ),
  'no-value-in-gates': finding(
    'warning',
    metricGap,
    ({ metric, gates, ofGates }) =>
      `${metric} has no value in ${gates} of ${plural(ofGates, 'gate')}`,
  ),
  'not-judged': finding(
    'warning',
    { metric: z.string(), gates: count },
    ({ metric, gates }) => `${metric} was not judged by the last ${plural(gates, 'gate')}`,
  ),
}

/** A trend says nothing about its cause. */
export const REASONS = {
  worse: reason(
    { metric: z.string(), unit: quantity.shape.unit, change: trendChange },
    trendChangeWords,
    '',
  ),
}

interface ChangeFacts {
  metric: string
  unit: Quantity['unit']
  change: TrendChange
}

export function trendChangeWords({ metric: name, unit, change }: ChangeFacts): string {
  const { before, now, after, until, gates } = change
  const between = `between ${gateWords(after)} and ${gateWords(until)}`
  if (now === null) {
    const last = before === null ? '' : `, after ${formatReach(before, unit)}`
    return `${name} has had no value for ${plural(gates, 'gate')}${last}, since ${gateWords(until)}`
  }
  const ends = before === null ? `: ${formatReach(now, unit)}` : endWords(unit, before, now)
  const since = `it has stayed there for ${plural(gates, 'gate')}`
  return inSentences(`${name} ${sizeWords(unit, change)}${ends}, ${between}`, since)
}

function endWords(unit: Quantity['unit'], before: number | 'never', now: number | 'never'): string {
  return `, from ${formatReach(before, unit)} to ${formatReach(now, unit)}`
}

/** Formats the size of a change: `rose by 8.1 %`, `rose`, `lost its value`. */
export function sizeWords(unit: Quantity['unit'], { size, before, now }: TrendChange): string {
  if (now === null) return 'lost its value'
  if (before === null) return 'has a value again'
  if (size === null)
    return now === 'never' || (before !== 'never' && now > before) ? 'rose' : 'fell'
  return `${size < 0 ? 'fell' : 'rose'} by ${percentOf(unit, Math.abs(size))}`
}

const COMMIT_DIGITS = 10

/** Names a gate by its commit, or else by its time. */
export function gateWords({ commit, at }: TrendChange['until']): string {
  return commit === null ? formatInstant(at) : commit.slice(0, COMMIT_DIGITS)
}
