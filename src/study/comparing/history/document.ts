/**
 * The document of a history of gates, `history.json`: the values of each judged metric over time,
 * and where they changed. Times are in milliseconds.
 */
import { z } from 'zod'
import { quantity } from '../../../result/document.ts'
import { count, envelope, verdictOf } from '../../frame/envelope.ts'
import { FINDINGS, REASONS, gate, level, trendChange } from './sentences.ts'

const point = gate.extend({
  decision: z.string(),
  value: level.describe('Median of the candidate’s runs; null if none of them measured it'),
})

const metric = z.object({
  name: z.string(),
  unit: quantity.shape.unit,
  points: z.array(point).describe('By time, without gates that did not judge it'),
  changes: z.array(trendChange).describe('By time'),
})

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
