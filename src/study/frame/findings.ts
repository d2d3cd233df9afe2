/**
 * Findings and reasons of studies, by codes. Each study has one table of its findings, from whose
 * codes the severity follows.
 */
import { z } from 'zod'
import { runFinding, runReason } from '../../result/findings-and-reasons.ts'

const severity = runFinding.shape.severity

export type FindingTable = Readonly<Record<string, z.infer<typeof severity>>>

export interface StudyFinding<Code extends string = string> {
  code: Code
  severity: FindingTable[string]
  message: string
}

export type FindingOf<Table extends FindingTable> = StudyFinding<keyof Table & string>

export function findingsSchema<const Table extends FindingTable>(table: Table) {
  const code = z.enum(Object.keys(table) as (keyof Table & string)[])
  return z.array(z.object({ code, severity, message: z.string() }))
}

export function findingOf<const Table extends FindingTable, Code extends keyof Table & string>(
  table: Table,
  code: Code,
  message: string,
): StudyFinding<Code> {
  return { code, severity: table[code]!, message }
}

/** A code, and what it says of the facts: nothing (null), or a message each. */
export type FindingRule<Table extends FindingTable, Facts> = readonly [
  code: keyof Table & string,
  says: (facts: Facts) => string | null | readonly string[],
]

/** In the order of the rules. */
export function findingsBy<const Table extends FindingTable, Facts>(
  table: Table,
  rules: readonly FindingRule<Table, Facts>[],
  facts: Facts,
): FindingOf<Table>[] {
  return rules.flatMap(([code, says]) =>
    [says(facts) ?? []].flat().map((message) => findingOf(table, code, message)),
  )
}

/** Why the trials of a study cannot be trusted: as a run, and as a study. */
const TRIAL_CODES = [
  ...runReason.shape.code.options,
  /** The target was lost. */
  'target',
  /** The command of the user that should disturb the crew failed. */
  'trigger',
] as const

/** `codes`: those of one study; why trials cannot be trusted can be a reason of each. */
// The schema that is inferred has these codes.
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export function reasonSchema<const Code extends string>(codes: readonly Code[]) {
  return z.object({
    code: z.enum([...new Set([...TRIAL_CODES, ...codes])]),
    message: z.string(),
    remedy: z.string(),
  })
}

export const trialReason = reasonSchema([])
export type TrialReason = z.infer<typeof trialReason>
