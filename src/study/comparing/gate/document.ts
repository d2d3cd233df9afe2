/**
 * The document of a gate, `gate.json`: whether a candidate is worse than its baseline, with what
 * changed between their runs. Times are in milliseconds.
 */
import { z } from 'zod'
import { quantity } from '../../../result/document.ts'
import { CHANGES, CHANGE_REASONS, changes, RUN_FINDINGS, STATED } from '../shapes.ts'
import { count, envelope, verdictOf } from '../../frame/envelope.ts'
import type { FindingTable, ReasonTable } from '../../frame/findings.ts'

const bound = z.object({
  name: z.string(),
  unit: quantity.shape.unit.nullable().describe('Null if a side did not measure it'),
  worst: z
    .number()
    .nullable()
    .describe(
      'A regression of this size or more is excluded at the level of the look, one-sided: a ' +
        'share of the base, or a difference of shares; null if nothing is known',
    ),
  excluded: z.boolean().describe('Whether that is below the margin'),
  moreRuns: count
    .nullable()
    .describe(
      'Approximate number of further runs per side that would decide it; null if none are ' +
        'needed, or it is unknown',
    ),
})

const terms = z.object({
  ...changes.terms.omit({ equivalent: true }).shape,
  margin: z.number().describe('The regression that PASS excludes: a share of the base'),
  marginDifference: z.number().describe('For shares'),
  runs: count.describe('Planned runs per side'),
  looks: z
    .array(z.object({ at: count.describe('Runs per side'), level: z.number() }))
    .describe('When to decide, and at which level; the levels add up to `level`'),
})

const pair = z.object({
  seed: z.number(),
  first: z.enum(['base', 'new']).describe('Which of the two was run first'),
  base: z.string().describe('The id of the run'),
  new: z.string(),
})

const refused = z.object({
  side: z.enum(['base', 'new']),
  run: z.string().describe('The name of the run, as in the list of runs'),
  why: z.string(),
})

export const FINDINGS = {
  ...RUN_FINDINGS,
  'run-refused': 'warning',
  'metrics-unmeasured': {
    severity: 'warning',
    remedy: 'make the runs longer, or name other metrics with --metrics',
  },
} as const satisfies FindingTable

export const REASONS = {
  ...CHANGE_REASONS,
  'baseline-lost': 'restore it, and keep it where nothing evicts it: a repository, or an artefact',
  untested: CHANGE_REASONS.unmeasured,
  /** `runs`: how many per side would decide it; null if no gate can make as many. */
  undecided: (runs: number | null) =>
    runs === null ? 'make the runs longer' : `--runs ${runs}, or longer runs`,
  interrupted: 'crewload resume runs the missing runs',
  budget: 'raise --max-kickoffs, which covers all runs together',
  target: 'restore the target; crewload resume makes the missing runs',
} as const satisfies ReasonTable

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
export type GateTerms = z.infer<typeof terms>
export type Bound = z.infer<typeof bound>
export type Pair = z.infer<typeof pair>
export type RefusedRun = z.infer<typeof refused>
