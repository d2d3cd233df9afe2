/** A line of the journal and one of the ledger as JSON Schemas. */
import { publishedSchema } from '../base/published-schema.ts'
import { ledgerRow } from '../crew/ledger.ts'
import { journalLine } from '../execution/record/journal-lines.ts'

/** JSON Schema (2020-12) of one line of `executions.ndjson`. */
export function journalJsonSchema(): Record<string, unknown> {
  return {
    title: 'crewload journal line',
    description: 'One line of executions.ndjson, schema crewload/journal/1',
    ...publishedSchema(journalLine),
  }
}

/** JSON Schema (2020-12) of one line of `ledger.ndjson`. */
export function ledgerJsonSchema(): Record<string, unknown> {
  return {
    title: 'crewload ledger row',
    description: 'One line of ledger.ndjson, and of GET /__fake__/ledger',
    ...publishedSchema(ledgerRow),
  }
}
