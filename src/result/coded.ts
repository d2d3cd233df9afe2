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

export interface SaidRow<S extends FactShape = FactShape> {
  facts: S
  says(facts: ShapeFacts<S>): string
}

export interface FindingRow<S extends FactShape = FactShape> extends SaidRow<S> {
  severity: Severity
}

export interface ReasonRow<S extends FactShape = FactShape> extends SaidRow<S> {
  remedy(facts: ShapeFacts<S>): string
}

export function said<const S extends FactShape>(
  facts: S,
  says: (facts: ShapeFacts<S>) => string,
): SaidRow<S> {
  return { facts, says }
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

/** The facts of a table, by code. */
type FactShapes = Readonly<Record<string, FactShape>>
type Codes<F extends FactShapes> = keyof F & string

type SaidRows<F extends FactShapes> = { readonly [C in keyof F]: SaidRow<F[C]> }
type FindingRows<F extends FactShapes> = { readonly [C in keyof F]: FindingRow<F[C]> }
type ReasonRows<F extends FactShapes> = { readonly [C in keyof F]: ReasonRow<F[C]> }

type SaidTable = Readonly<Record<string, SaidRow>>
export type FindingTable = Readonly<Record<string, FindingRow>>
export type ReasonTable = Readonly<Record<string, ReasonRow>>
type ShapesOf<Table extends SaidTable> = { [C in keyof Table]: Table[C]['facts'] }

export type FactsOf<Row extends SaidRow> = ShapeFacts<Row['facts']>

type Said<F extends FactShapes, Code extends Codes<F> = Codes<F>> = {
  [C in Code]: { code: C; message: string } & ShapeFacts<F[C]>
}[Code]

type SaidFinding<F extends FactShapes, Code extends Codes<F> = Codes<F>> = {
  [C in Code]: { code: C; severity: Severity; message: string } & ShapeFacts<F[C]>
}[Code]

type SaidReason<F extends FactShapes, Code extends Codes<F> = Codes<F>> = {
  [C in Code]: { code: C; message: string; remedy: string } & ShapeFacts<F[C]>
}[Code]

/** What a table says by its codes, where that is neither a finding nor a reason. */
export type SaidOf<Table extends SaidTable> = Said<ShapesOf<Table>>

export type FindingOf<Table extends FindingTable> = SaidFinding<ShapesOf<Table>>

export type ReasonOf<Table extends ReasonTable> = SaidReason<ShapesOf<Table>>

/** `given`: `{}` for a code without facts. */
export function saidOf<const F extends FactShapes, Code extends Codes<F>>(
  table: SaidRows<F>,
  code: Code,
  given: ShapeFacts<F[Code]>,
): Said<F, Code> {
  const row = table[code]
  const facts = factsIn(row, given)
  return { code, message: row.says(facts), ...facts }
}

export function findingOf<const F extends FactShapes, Code extends Codes<F>>(
  table: FindingRows<F>,
  code: Code,
  given: ShapeFacts<F[Code]>,
): SaidFinding<F, Code> {
  const row = table[code]
  const facts = factsIn(row, given)
  return { code, severity: row.severity, message: row.says(facts), ...facts }
}

export function reasonOf<const F extends FactShapes, Code extends Codes<F>>(
  table: ReasonRows<F>,
  code: Code,
  given: ShapeFacts<F[Code]>,
): SaidReason<F, Code> {
  const row = table[code]
  const facts = factsIn(row, given)
  return { code, message: row.says(facts), remedy: row.remedy(facts), ...facts }
}

/** Only the facts of the row: what is given may hold more. */
function factsIn<S extends FactShape>(
  { facts: shape }: SaidRow<S>,
  given: ShapeFacts<S>,
): ShapeFacts<S> {
  const facts = { ...given }
  for (const name of Object.keys(facts)) if (!(name in shape)) Reflect.deleteProperty(facts, name)
  return facts
}

type RuleOf<F extends FactShapes, Source, Code extends Codes<F> = Codes<F>> = {
  [C in Code]: readonly [
    code: C,
    finds: (source: Source) => ShapeFacts<F[C]> | null | readonly ShapeFacts<F[C]>[],
  ]
}[Code]

/** A code, and what of the source it says: nothing (null), or the facts of a finding each. */
export type FindingRule<Table extends FindingTable, Source> = RuleOf<ShapesOf<Table>, Source>

/** In the order of the rules. */
export function findingsBy<const F extends FactShapes, Source>(
  table: FindingRows<F>,
  rules: readonly RuleOf<F, Source>[],
  source: Source,
): SaidFinding<F>[] {
  return rules.flatMap((rule) => foundBy(table, rule, source))
}

function foundBy<F extends FactShapes, Source, Code extends Codes<F>>(
  table: FindingRows<F>,
  [code, finds]: RuleOf<F, Source, Code>,
  source: Source,
): SaidFinding<F, Code>[] {
  const found = finds(source)
  if (found === null) return []
  const all = isList(found) ? found : [found]
  return all.map((facts) => findingOf(table, code, facts))
}

function isList<T>(one: T | readonly T[]): one is readonly T[] {
  return Array.isArray(one)
}

export function saidSchema<const Table extends SaidTable>(table: Table) {
  const rows = Object.entries(table).map(([code, { facts }]) =>
    z.object({ code: z.literal(code), message: z.string(), ...facts }),
  )
  return unionOf<SaidOf<Table>>(rows)
}

export function findingSchema<const Table extends FindingTable>(table: Table) {
  const rows = Object.entries(table).map(([code, { severity, facts }]) =>
    z.object({
      code: z.literal(code),
      severity: z.literal(severity).describe('It follows from the code'),
      message: z.string().describe('Names its remedy'),
      ...facts,
    }),
  )
  return unionOf<FindingOf<Table>>(rows)
}

export function reasonSchema<const Table extends ReasonTable>(table: Table) {
  const rows = Object.entries(table).map(([code, { facts }]) =>
    z.object({ code: z.literal(code), message: z.string(), remedy: z.string(), ...facts }),
  )
  return unionOf<ReasonOf<Table>>(rows)
}

/**
 * By their codes. `Said` is what the rows describe: TypeScript keeps no types of single rows in a
 * list that is made of the entries of a table.
 */
function unionOf<Said>(rows: readonly z.ZodObject[]): z.ZodType<Said> {
  const [first, ...others] = rows
  const union = first === undefined ? z.never() : z.discriminatedUnion('code', [first, ...others])
  return union as z.ZodType as z.ZodType<Said>
}
