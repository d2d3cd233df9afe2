/**
 * What is said by a code. Each room has a table of its findings and one of its reasons: a row has
 * the facts that a code holds, and the sentence that is made of them, here alone. Documents have
 * code, message and facts.
 */
import { z } from 'zod'

export type Severity = 'info' | 'warning' | 'problem'

/** The facts of a code: names and numbers with their units, none called as the parts below. */
type FactShape = z.ZodRawShape
export type ShapeFacts<S extends FactShape> = keyof S extends never
  ? object
  : z.infer<z.ZodObject<S>>

interface SaidRow<S extends FactShape = FactShape> {
  facts: S
  says(facts: ShapeFacts<S>): string
}

export interface FindingRow<S extends FactShape = FactShape> extends SaidRow<S> {
  severity: Severity
}

export interface ReasonRow<S extends FactShape = FactShape> extends SaidRow<S> {
  remedy(facts: ShapeFacts<S>): string
}

/** `says`: the sentence of a finding names its remedy. */
export function finding<const S extends FactShape>(
  severity: Severity,
  facts: S,
  says: (facts: ShapeFacts<S>) => string,
): FindingRow<S> {
  return { severity, facts, says }
}

/** `remedy`: what to do about it; empty for nothing. */
export function reason<const S extends FactShape>(
  facts: S,
  says: (facts: ShapeFacts<S>) => string,
  remedy: string | ((facts: ShapeFacts<S>) => string),
): ReasonRow<S> {
  return { facts, says, remedy: typeof remedy === 'string' ? () => remedy : remedy }
}

export type FindingTable = Readonly<Record<string, FindingRow>>
export type ReasonTable = Readonly<Record<string, ReasonRow>>
type Codes<Table> = keyof Table & string

export type FactsOf<Row extends SaidRow> = ShapeFacts<Row['facts']>
/** Nothing for a code without facts. */
type FactsGiven<Row extends SaidRow> = keyof Row['facts'] extends never ? [] : [facts: FactsOf<Row>]

/** A finding of a table, by its code. */
export type FindingOf<Table extends FindingTable, Code extends Codes<Table> = Codes<Table>> = {
  [C in Code]: { code: C; severity: Severity; message: string } & FactsOf<Table[C]>
}[Code]

/** A reason of a table, by its code. */
export type ReasonOf<Table extends ReasonTable, Code extends Codes<Table> = Codes<Table>> = {
  [C in Code]: { code: C; message: string; remedy: string } & FactsOf<Table[C]>
}[Code]

export function findingOf<const Table extends FindingTable, Code extends Codes<Table>>(
  table: Table,
  code: Code,
  ...[facts]: FactsGiven<Table[Code]>
): FindingOf<Table, Code> {
  const row: FindingRow = table[code]!
  const held = factsIn(row, facts)
  const message = row.says(held)
  return { code, severity: row.severity, message, ...held } as FindingOf<Table, Code>
}

export function reasonOf<const Table extends ReasonTable, Code extends Codes<Table>>(
  table: Table,
  code: Code,
  ...[facts]: FactsGiven<Table[Code]>
): ReasonOf<Table, Code> {
  const row: ReasonRow = table[code]!
  const held = factsIn(row, facts)
  const said = { message: row.says(held), remedy: row.remedy(held) }
  return { code, ...said, ...held } as ReasonOf<Table, Code>
}

/** Only the facts of the row: what is given may hold more. */
function factsIn({ facts: shape }: SaidRow, given: object = {}): ShapeFacts<FactShape> {
  return Object.fromEntries(Object.entries(given).filter(([name]) => name in shape))
}

/** A code, and what of the source it says: nothing (null), or the facts of a finding each. */
export type FindingRule<Table extends FindingTable, Source> = {
  [Code in Codes<Table>]: readonly [
    code: Code,
    finds: (source: Source) => FactsOf<Table[Code]> | null | readonly FactsOf<Table[Code]>[],
  ]
}[Codes<Table>]

/** In the order of the rules. */
export function findingsBy<const Table extends FindingTable, Source>(
  table: Table,
  rules: readonly FindingRule<Table, Source>[],
  source: Source,
): FindingOf<Table>[] {
  return rules.flatMap(([code, finds]) => {
    const found = [finds(source) ?? []].flat() as FactsGiven<Table[typeof code]>[0][]
    return found.map((facts) => findingOf(table, code, ...([facts] as never)))
  })
}

export function findingSchema<const Table extends FindingTable>(table: Table) {
  const said = Object.entries(table).map(([code, { severity, facts }]) =>
    z.object({
      code: z.literal(code),
      severity: z.literal(severity).describe('It follows from the code'),
      message: z.string().describe('Names its remedy'),
      ...facts,
    }),
  )
  return unionOf(said) as z.ZodType<FindingOf<Table>>
}

export function reasonSchema<const Table extends ReasonTable>(table: Table) {
  const said = Object.entries(table).map(([code, { facts }]) =>
    z.object({ code: z.literal(code), message: z.string(), remedy: z.string(), ...facts }),
  )
  return unionOf(said) as z.ZodType<ReasonOf<Table>>
}

/** By their codes. */
function unionOf(rows: readonly z.ZodObject[]): z.ZodType {
  const [first, ...others] = rows as readonly z.core.$ZodTypeDiscriminable[]
  return first === undefined ? z.never() : z.discriminatedUnion('code', [first, ...others])
}
