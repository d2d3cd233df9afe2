/**
 * The document of a history of gates, `history.json`: the values of each judged metric over time,
 * and where they changed. Times are in milliseconds.
 */
import { z } from 'zod'
import { quantity } from '../../analysis/document.ts'
import { count, envelope, verdictOf } from '../frame/envelope.ts'

const gate = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  commit: z.string().nullable(),
})

const point = gate.extend({
  decision: z.string(),
  value: z.number().describe('Median of the candidate’s runs'),
})

const change = z.object({
  after: gate.describe('The last gate before the change'),
  until: gate.describe('The first gate with it: the change is in between'),
  gates: count.describe('Gates since then'),
  before: z.number().describe('Mean since the previous change; of logarithms, except for shares'),
  now: z.number().describe('The same until the next change'),
  size: z.number().describe('Relative change, or difference of shares'),
  p: z.number().describe('Adjusted for all places of the series'),
  direction: z.enum(['worse', 'better', 'other']),
})

const metric = z.object({
  name: z.string(),
  unit: quantity.shape.unit,
  points: z.array(point).describe('By time, without gates that did not measure it'),
  changes: z.array(change).describe('By time'),
})

export const historySchema = z.object({
  ...envelope('history', 1),
  verdict: verdictOf(['worse', 'better', 'steady', 'too-few']),
  gates: count,
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
