/** The columns of requests: one array for each field. */
import { REQUEST_FIELD_NAMES } from './request-fields.ts'
import type { RequestColumns, RequestRecord } from './shapes.schema.ts'

/** The value of any field. */
type RequestValue = RequestRecord[keyof RequestRecord]

/** Copied for each: to add seven names to an object anew takes five times as long. */
const NO_LISTS = Object.fromEntries(REQUEST_FIELD_NAMES.map((name) => [name, NaN]))

export function emptyColumns(): RequestColumns {
  const columns: Record<string, unknown> = { ...NO_LISTS }
  // Indexed, because k6's engine creates an object for each step of a `for ... of`.
  for (let i = 0; i < REQUEST_FIELD_NAMES.length; i++) columns[REQUEST_FIELD_NAMES[i]!] = []
  return columns as RequestColumns
}

export function addRow(columns: RequestColumns, row: RequestRecord): void {
  for (const name of REQUEST_FIELD_NAMES) {
    const list: RequestValue[] = columns[name]
    list.push(row[name])
  }
}
