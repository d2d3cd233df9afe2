/** Things of several kinds, each written under the key of its kind. */
import type { z } from 'zod'

interface KindOf<Kind extends string, Written extends z.ZodType<object>> {
  kind: Kind
  written: Written
  description: string
}

/** The key of a kind: its parameters are the value. It is parsed to them and the kind. */
export function keyOf<const Kind extends string, Written extends z.ZodType<object>>({
  kind,
  written,
  description,
}: KindOf<Kind, Written>) {
  const named = written.transform((parameters: z.output<Written>) => ({ ...parameters, kind }))
  return named.meta({ description }).exactOptional()
}

type Keys<Table extends Record<string, { key: z.ZodType }>> = {
  [Name in keyof Table]: Table[Name]['key']
}

/** The keys of all kinds, by the names of their table. */
export function keysOf<Table extends Record<string, { key: z.ZodType }>>(
  table: Table,
): Keys<Table> {
  const keys: Partial<Keys<Table>> = {}
  for (const name in table) keys[name] = table[name]!.key
  return keys as Keys<Table>
}
