/** The columns of requests: one array for each field. */
import { REQUEST_FIELD_NAMES } from './request-fields.ts'
import type { RequestColumns, RequestRecord } from './shapes.schema.ts'

/** The value of any field. */
export type RequestValue = RequestRecord[keyof RequestRecord]

/** Copied for each: to add seven names to an object anew takes five times as long. */
const NO_LISTS = Object.fromEntries(REQUEST_FIELD_NAMES.map((name) => [name, NaN]))

export function emptyColumns(): RequestColumns {
  const columns: Record<string, unknown> = { ...NO_LISTS }
  for (const name of REQUEST_FIELD_NAMES) columns[name] = []
  return columns as RequestColumns
}

/** The columns of these fields, in their order, to which any value can be added. */
export function listsOf(
  columns: RequestColumns,
  names: readonly (keyof RequestRecord)[],
): RequestValue[][] {
  return names.map((name) => columns[name])
}

export function addRow(columns: RequestColumns, row: RequestRecord): void {
  const lists = listsOf(columns, REQUEST_FIELD_NAMES)
  REQUEST_FIELD_NAMES.forEach((name, i) => lists[i]!.push(row[name]))
}
