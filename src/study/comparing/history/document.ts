/**
 * The document of a history of gates, `history.json`: the values of each judged metric over time,
 * and where they changed. Times are in milliseconds.
 */
import { z } from 'zod'
import { quantity } from '../../../result/document.ts'
import { count, envelope, verdictOf } from '../../frame/envelope.ts'
import type { FindingTable, ReasonTable } from '../../frame/findings.ts'

const gate = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  commit: z.string().nullable(),
})

const level = z.union([z.number(), z.literal('never')]).nullable()

const point = gate.extend({
  decision: z.string(),
  value: level.describe('Median of the candidate’s runs; null if none of them measured it'),
})

const change = z.object({
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

const metric = z.object({
  name: z.string(),
  unit: quantity.shape.unit,
  points: z.array(point).describe('By time, without gates that did not judge it'),
  changes: z.array(change).describe('By time'),
})

export const FINDINGS = {
  'scenarios-differ': { severity: 'warning', remedy: 'give each its own file' },
  'lines-ignored': 'warning',
  /** A metric has no number in some gates. */
  gaps: 'warning',
} as const satisfies FindingTable

/** A trend says nothing about its cause. */
export const REASONS = { worse: '' } as const satisfies ReasonTable

export const historySchema = z.object({
  ...envelope('history', 1, FINDINGS),
  verdict: verdictOf(['worse', 'better', 'changed', 'steady', 'too-few'], REASONS),
  gates: count,
  failed: count.describe('Gates whose decision was `fail`'),
  terms: z.object({
    smallestChange: z.number(),
    smallestDifference: z.number(),
    level: z.number().describe('Of all metrics and places together'),
  }),
  metrics: z.array(metric),
})

export type HistoryDocument = z.infer<typeof historySchema>
export type Trend = HistoryDocument['metrics'][number]
export type TrendChange = Trend['changes'][number]
export type HistoryLevel = TrendChange['now']
