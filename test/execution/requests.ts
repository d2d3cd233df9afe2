/** Requests of which a test knows a few fields. */
import { addRow, emptyColumns } from '../../src/execution/record/columns.ts'
import type { RequestColumns, RequestRecord } from '../../src/execution/record/record.ts'
import { REQUEST_FIELD_NAMES } from '../../src/execution/record/request-fields.ts'

/** Everything is 0, and the answer is 200. */
export const PLAIN_REQUEST = {
  ...Object.fromEntries(REQUEST_FIELD_NAMES.map((name) => [name, 0])),
  answer: 200,
} as RequestRecord

/** Each beside these fields a plain request. */
export function columnsOf(rows: readonly Partial<RequestRecord>[]): RequestColumns {
  const columns = emptyColumns()
  for (const row of rows) addRow(columns, { ...PLAIN_REQUEST, ...row })
  return columns
}
