/**
 * Findings and reasons of studies, by codes. Each study has a table of its findings, from whose
 * codes their severity and remedy follow, and one of its reasons, from whose codes the remedy does.
 */
import { z } from 'zod'
import type * as coded from '../../result/coded.ts'
import { reasonSchema as ownReasonSchema } from '../../result/coded.ts'
import { RUN_REASON_CODES } from '../../result/sentences/reasons.ts'

const severity = z.enum(['info', 'warning', 'problem'])

/** The severity of each code, and the remedy where there is one. */
export type FindingTable = Readonly<Record<string, coded.Severity | FindingRow>>

interface FindingRow {
  severity: coded.Severity
  remedy: string
}

export interface StudyFinding<Code extends string = string> {
  code: Code
  severity: coded.Severity
  /** Names its remedy. */
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
  const row: coded.Severity | FindingRow = table[code]!
  if (typeof row === 'string') return { code, severity: row, message }
  return { code, severity: row.severity, message: `${message}: ${row.remedy}` }
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
  ...RUN_REASON_CODES,
  /** The target was lost. */
  'target',
  /** The command of the user that should disturb the crew failed. */
  'trigger',
] as const

/** What to do about a reason: empty for nothing, a text, or one that is made of facts. */
type Remedy = string | ((...facts: never[]) => string)

/** The remedy of each code of a study. */
export type ReasonTable = Readonly<Record<string, Remedy>>

/** `codes`: those of one study; why trials cannot be trusted can be a reason of each. */
// The schema that is inferred has these codes.
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export function reasonSchema<const Code extends string>(
  codes: readonly Code[] | Readonly<Record<Code, Remedy>>,
) {
  const own = (Array.isArray(codes) ? codes : Object.keys(codes)) as Code[]
  return z.object({
    code: z.enum([...new Set([...TRIAL_CODES, ...own])]),
    message: z.string(),
    remedy: z.string(),
  })
}

type FactsOf<R> = R extends (...facts: infer Facts) => string ? Facts : []

/** A reason with the remedy of its code. `facts`: those of which the remedy is made. */
export function reasonOf<const Table extends ReasonTable, Code extends keyof Table & string>(
  table: Table,
  code: Code,
  message: string,
  ...facts: FactsOf<Table[Code]>
): { code: Code; message: string; remedy: string } {
  const remedy: Remedy = table[code]!
  return { code, message, remedy: typeof remedy === 'string' ? remedy : remedy(...facts) }
}

export const trialReason = reasonSchema([])
export type TrialReason = z.infer<typeof trialReason>

/** The reasons of one study, or of its trials. */
export function trialReasonSchema<const Table extends coded.ReasonTable>(own: Table) {
  return z.union([ownReasonSchema(own), trialReason])
}
