/**
 * What is said by a code. Each room has a table of its findings and one of its reasons: a row has
 * the facts that a code holds, and the sentence that is made of them, here alone. Documents have
 * code, message and facts.
 */
import { z } from 'zod'
import { inSentences } from '../base/text.ts'

export type Severity = 'info' | 'warning' | 'problem'

/** The facts of a code: names and numbers with their units, none called as the parts below. */
type FactShape = z.ZodRawShape
export type ShapeFacts<S extends FactShape> = keyof S extends never
  ? object
  : z.infer<z.ZodObject<S>>

export interface SaidRow<S extends FactShape = FactShape> {
  facts: S
  says(facts: ShapeFacts<S>): string
  /** For a headline. */
  brief(facts: ShapeFacts<S>): string
}

type RowWords<S extends FactShape> = string | ((facts: ShapeFacts<S>) => string)

export interface ReasonRow<S extends FactShape = FactShape> extends SaidRow<S> {
  remedy(facts: ShapeFacts<S>): string
}

/** Its message is both. */
export interface FindingRow<S extends FactShape = FactShape> extends ReasonRow<S> {
  severity: Severity
}

export function said<const S extends FactShape>(
  facts: S,
  says: (facts: ShapeFacts<S>) => string,
): SaidRow<S> {
  return { facts, says, brief: says }
}

/** `remedy`: what to do about it; empty for nothing. */
export function finding<const S extends FactShape>(
  severity: Severity,
  facts: S,
  says: (facts: ShapeFacts<S>) => string,
  remedy: RowWords<S> = '',
  brief: RowWords<S> = says,
): FindingRow<S> {
  return { severity, ...reason(facts, says, remedy, brief) }
}

/** As `finding`. */
export function reason<const S extends FactShape>(
  facts: S,
  says: (facts: ShapeFacts<S>) => string,
  remedy: RowWords<S>,
  brief: RowWords<S> = says,
): ReasonRow<S> {
  return { facts, says, remedy: wordsOf(remedy), brief: wordsOf(brief) }
}

function wordsOf<S extends FactShape>(words: RowWords<S>): (facts: ShapeFacts<S>) => string {
  return typeof words === 'string' ? () => words : words
}

/** The facts of a table, by code. */
export type FactShapes = Readonly<Record<string, FactShape>>
type Codes<F extends FactShapes> = keyof F & string

type SaidRows<F extends FactShapes> = { readonly [C in keyof F]: SaidRow<F[C]> }
type FindingRows<F extends FactShapes> = { readonly [C in keyof F]: FindingRow<F[C]> }
type ReasonRows<F extends FactShapes> = { readonly [C in keyof F]: ReasonRow<F[C]> }

export type SaidTable = Readonly<Record<string, SaidRow>>
export type FindingTable = Readonly<Record<string, FindingRow>>
export type ReasonTable = Readonly<Record<string, ReasonRow>>
type ShapesOf<Table extends SaidTable> = { [C in keyof Table]: Table[C]['facts'] }

export type FactsOf<Row extends SaidRow> = ShapeFacts<Row['facts']>

type WithSeverity = Pick<FindingRow, 'severity'>
type WithRemedy = Record<'remedy', string>

type Coded<F extends FactShapes, Parts, Code extends Codes<F> = Codes<F>> = {
  [C in Code]: { code: C; message: string } & Parts & ShapeFacts<F[C]>
}[Code]

/** What a table says by its codes, where that is neither a finding nor a reason. */
export type SaidOf<Table extends SaidTable> = Coded<ShapesOf<Table>, object>

export type FindingOf<Table extends FindingTable> = Coded<ShapesOf<Table>, WithSeverity>

export type ReasonOf<Table extends ReasonTable> = Coded<ShapesOf<Table>, WithRemedy>

/** `given`: `{}` for a code without facts. */
export function saidOf<const F extends FactShapes, Code extends Codes<F>>(
  table: SaidRows<F>,
  code: Code,
  given: ShapeFacts<F[Code]>,
): Coded<F, object, Code> {
  return codedOf(table, code, given, {})
}

export function findingOf<const F extends FactShapes, Code extends Codes<F>>(
  table: FindingRows<F>,
  code: Code,
  given: ShapeFacts<F[Code]>,
): Coded<F, WithSeverity, Code> {
  const row = table[code]
  const message = inSentences(row.says(given), row.remedy(given))
  return codedOf(table, code, given, { severity: row.severity, message })
}

export function reasonOf<const F extends FactShapes, Code extends Codes<F>>(
  table: ReasonRows<F>,
  code: Code,
  given: ShapeFacts<F[Code]>,
): Coded<F, WithRemedy, Code> {
  return codedOf(table, code, given, { remedy: table[code].remedy(given) })
}

export function briefOf<Table extends SaidTable>(table: Table, one: SaidOf<Table>): string {
  return table[one.code]!.brief(one)
}

/** With the facts of the row only: what is given may hold more. */
function codedOf<F extends FactShapes, Parts extends object, Code extends Codes<F>>(
  table: SaidRows<F>,
  code: Code,
  given: ShapeFacts<F[Code]>,
  parts: Parts,
): Coded<F, Parts, Code> {
  const row = table[code]
  const facts = { ...given }
  for (const name of Object.keys(facts))
    if (!(name in row.facts)) Reflect.deleteProperty(facts, name)
  return { code, message: row.says(facts), ...parts, ...facts }
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
): Coded<F, WithSeverity>[] {
  return rules.flatMap((rule) => foundBy(table, rule, source))
}

function foundBy<F extends FactShapes, Source, Code extends Codes<F>>(
  table: FindingRows<F>,
  [code, finds]: RuleOf<F, Source, Code>,
  source: Source,
): Coded<F, WithSeverity, Code>[] {
  const found = finds(source)
  if (found === null) return []
  const all = isList(found) ? found : [found]
  return all.map((facts) => findingOf(table, code, facts))
}

function isList<T>(one: T | readonly T[]): one is readonly T[] {
  return Array.isArray(one)
}

export function saidSchema<const Table extends SaidTable>(table: Table) {
  return unionOf<SaidOf<Table>>(table, () => ({ message: z.string() }))
}

export function findingSchema<const Table extends FindingTable>(table: Table) {
  return unionOf<FindingOf<Table>>(table, (code) => ({
    severity: z.literal(table[code]!.severity).describe('It follows from the code'),
    message: z.string().describe('Names its remedy'),
  }))
}

export function reasonSchema<const Table extends ReasonTable>(table: Table) {
  return unionOf<ReasonOf<Table>>(table, () => ({ message: z.string(), remedy: z.string() }))
}

/**
 * By their codes. `Said` is what the rows describe: TypeScript keeps no types of single rows in a
 * list that is made of the entries of a table.
 */
function unionOf<Said>(table: SaidTable, parts: (code: string) => FactShape): z.ZodType<Said> {
  const [first, ...others] = Object.entries(table).map(([code, { facts }]) =>
    z.object({ code: z.literal(code), ...parts(code), ...facts }),
  )
  const union = first === undefined ? z.never() : z.discriminatedUnion('code', [first, ...others])
  return union as z.ZodType as z.ZodType<Said>
}
