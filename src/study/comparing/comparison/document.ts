/**
 * The document of a comparison, `comparison.json`: what changed from the runs of one side to those
 * of the other, and how surely. Times are in milliseconds.
 */
import { z } from 'zod'
import { envelope } from '../../frame/envelope.ts'
import { changeVerdict } from '../sentences.ts'
import { changes } from '../shapes.ts'
import { FINDINGS } from './sentences.ts'

export const comparisonSchema = z.object({
  ...envelope('comparison', 1, FINDINGS),
  verdict: changeVerdict,
  ...changes,
})

export type ComparisonDocument = z.infer<typeof comparisonSchema>
