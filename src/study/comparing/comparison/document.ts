/**
 * The document of a comparison, `comparison.json`: what changed from the runs of one side to those
 * of the other, and how surely. Times are in milliseconds.
 */
import { z } from 'zod'
import { changes, changeVerdict, RUN_FINDINGS } from '../shapes.ts'
import { envelope } from '../../frame/envelope.ts'
import type { FindingTable } from '../../frame/findings.ts'

export const FINDINGS = {
  ...RUN_FINDINGS,
  'sides-apart': {
    severity: 'warning',
    remedy: 'run both alternately (base, new, new, base), as crewload gate --baseline-target does',
  },
  'longer-at-load': 'warning',
} as const satisfies FindingTable

export const comparisonSchema = z.object({
  ...envelope('comparison', 1, FINDINGS),
  verdict: changeVerdict,
  ...changes,
})

export type ComparisonDocument = z.infer<typeof comparisonSchema>
