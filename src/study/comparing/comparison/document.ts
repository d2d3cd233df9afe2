/**
 * The document of a comparison, `comparison.json`: what changed from the runs of one side to those
 * of the other, and how surely. Times are in milliseconds.
 */
import { z } from 'zod'
import { CHANGES, changes } from '../shapes.ts'
import { envelope, verdictOf } from '../../frame/envelope.ts'

export const comparisonSchema = z.object({
  ...envelope('comparison', 1),
  verdict: verdictOf(CHANGES),
  ...changes,
})

export type ComparisonDocument = z.infer<typeof comparisonSchema>
