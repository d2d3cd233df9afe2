/**
 * What `doctor` and `check` find: a code with its facts. State, sentence and remedy follow from the
 * code, by a row of the table of each command.
 */
import { z } from 'zod'
import type {
  FactShapes,
  ReasonRow,
  ReasonTable,
  SaidOf,
  ShapeFacts,
} from '../../result/sentence-tables.ts'
import { reason, saidOf } from '../../result/sentence-tables.ts'

const PARTS = {
  name: z.string(),
  /** `absent` means that something optional is missing, which is not a problem. */
  state: z.enum(['ok', 'warning', 'problem', 'absent']),
  meaning: z.string(),
}
type Parts = z.infer<z.ZodObject<typeof PARTS>>

/** With the facts of its code. */
export const diagnosis = z.looseObject({
  code: z.string(),
  ...PARTS,
  message: z.string(),
  /** Null when there is nothing to do. */
  remedy: z.string().nullable(),
})
export type Diagnosis = z.infer<typeof diagnosis>

export type DiagnosisRow<S extends z.ZodRawShape> = ReasonRow<S> & Parts

export type DiagnosisOf<Table extends ReasonTable> = SaidOf<Table> &
  Parts &
  Pick<Diagnosis, 'remedy'>

/** The rows of one thing that is checked, by its name and what it means. */
export function rowsOf(name: string, meaning: string) {
  return <const S extends z.ZodRawShape>(
    state: Parts['state'],
    facts: S,
    says: (facts: ShapeFacts<S>) => string,
    remedy: string | ((facts: ShapeFacts<S>) => string) = '',
  ): DiagnosisRow<S> => ({ name, state, meaning, ...reason(facts, says, remedy) })
}

/** `given`: `{}` for a code without facts. */
export function diagnosisOf<const F extends FactShapes, Code extends keyof F & string>(
  table: { readonly [C in keyof F]: DiagnosisRow<F[C]> },
  code: Code,
  given: ShapeFacts<F[Code]>,
) {
  const { name, state, meaning, ...row } = table[code]
  return { ...saidOf(table, code, given), name, state, meaning, remedy: row.remedy(given) || null }
}
