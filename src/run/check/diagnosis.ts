/**
 * What `doctor` and `check` find: a code with its facts. State, sentence and remedy follow from the
 * code, by a row of the table of each command.
 */
import { z } from 'zod'
import type {
  FactShapes,
  SaidOf,
  SaidRow,
  SaidTable,
  ShapeFacts,
} from '../../result/sentence-tables.ts'
import { said, saidOf } from '../../result/sentence-tables.ts'

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

export type DiagnosisRow<S extends z.ZodRawShape> = SaidRow<S> &
  Parts & { remedy: string | null | ((facts: ShapeFacts<S>) => string) }

export type DiagnosisOf<Table extends SaidTable> = SaidOf<Table> & Parts & Pick<Diagnosis, 'remedy'>

/** The rows of one thing that is checked, by its name and what it means. */
export function rowsOf(name: string, meaning: string) {
  return <const S extends z.ZodRawShape>(
    state: Parts['state'],
    facts: S,
    says: (facts: ShapeFacts<S>) => string,
    remedy: DiagnosisRow<S>['remedy'] = null,
  ): DiagnosisRow<S> => ({ name, state, meaning, ...said(facts, says), remedy })
}

/** `given`: `{}` for a code without facts. */
export function diagnosisOf<const F extends FactShapes, Code extends keyof F & string>(
  table: { readonly [C in keyof F]: DiagnosisRow<F[C]> },
  code: Code,
  given: ShapeFacts<F[Code]>,
) {
  const { name, state, meaning, remedy: advice } = table[code]
  const remedy = typeof advice === 'function' ? advice(given) : advice
  return { ...saidOf(table, code, given), name, state, meaning, remedy }
}
