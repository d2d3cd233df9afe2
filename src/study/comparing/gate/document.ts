/**
 * The document of a gate, `gate.json`: whether a candidate is worse than its baseline, with what
 * changed between their runs. Times are in milliseconds.
 */
import { z } from 'zod'
import { envelope, verdictOf, count } from '../../frame/envelope.ts'
import { STATED } from '../sentences.ts'
import { CHANGES, changes } from '../shapes.ts'
import { FINDINGS, REASONS, bound, refused, terms } from './sentences.ts'

const pair = z.object({
  seed: z.number(),
  first: z.enum(['base', 'new']).describe('Which of the two was run first'),
  base: z.string().describe('The id of the run'),
  new: z.string(),
})

export const gateSchema = z.object({
  ...envelope('gate', 1, FINDINGS),
  verdict: verdictOf([...CHANGES, 'baseline'], REASONS).extend(STATED),
  decision: z
    .enum(['pass', 'fail', 'inconclusive', 'baseline'])
    .describe('`baseline`: there was none, and it was written; nothing was compared'),
  ...changes,
  terms,
  bounds: z.array(bound).describe('The most by which each judged metric may be worse'),
  pairs: z
    .array(pair)
    .describe('Runs that were made alternately, with one seed each; empty with a stored baseline'),
  refused: z.array(refused).describe('INVALID runs, which are not compared'),
  baseline: z
    .object({
      folder: z.string(),
      written: count.describe('Runs that were written as the new baseline; 0 if it was kept'),
    })
    .nullable(),
  commit: z.string().nullable(),
})

export type GateDocument = z.infer<typeof gateSchema>
export type GateVerdict = GateDocument['verdict']
export type Pair = z.infer<typeof pair>
export type RefusedRun = z.infer<typeof refused>
