/**
 * What `doctor` and `check` find: a code with its facts. State, sentence and remedy follow from the
 * code, by a row of the table of each command.
 */

/** `absent` means that something optional is missing, which is not a problem. */
type DiagnosisState = 'ok' | 'warning' | 'problem' | 'absent'

export interface DiagnosisRow<Facts extends object = object> {
  name: string
  state: DiagnosisState
  meaning: string
  says(facts: Facts): string
  /** Null when there is nothing to do. */
  remedy(facts: Facts): string | null
}

type DiagnosisTable = Readonly<Record<string, DiagnosisRow>>
type RowFacts<Row> = Row extends DiagnosisRow<infer Facts> ? Facts : never

export interface Diagnosis<Code extends string = string> extends Omit<
  DiagnosisRow,
  'says' | 'remedy'
> {
  code: Code
  message: string
  remedy: string | null
}

/** The rows of one thing that is checked, by its name and what it means. */
export function rowsOf(name: string, meaning: string) {
  return <Facts extends object>(
    state: DiagnosisState,
    says: (facts: Facts) => string,
    remedy: string | ((facts: Facts) => string) | null = null,
  ): DiagnosisRow<Facts> => {
    return {
      name,
      state,
      meaning,
      says,
      remedy: typeof remedy === 'function' ? remedy : () => remedy,
    }
  }
}

/** With its facts. */
export function diagnosisOf<Table extends DiagnosisTable, Code extends keyof Table & string>(
  table: Table,
  code: Code,
  facts: RowFacts<Table[Code]>,
): Diagnosis<Code> & RowFacts<Table[Code]> {
  const { name, state, meaning, ...row } = table[code]!
  const own = { code, name, state, message: row.says(facts), meaning, remedy: row.remedy(facts) }
  return { ...facts, ...own }
}
