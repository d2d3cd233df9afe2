/** A line of `ledger.ndjson` as a zod schema, published as JSON Schema. */
import { z } from 'zod'
import type { LedgerRow } from '../crew/ledger.ts'
import type { Exactly } from '../base/exactly.ts'
import { proven } from '../base/exactly.ts'

const ms = z.number()

const faultMark = z.object({
  fault: z.string(),
  operation: z.enum(['inputs', 'kickoff', 'status']),
  at_ms: ms,
  correlation: z.string().nullable(),
  kickoff_id: z.string().nullable(),
})

const ledgerRow = z.object({
  kickoff_id: z.string(),
  ordinal: z.int().describe('order of acceptance, from 0'),
  correlation: z.string().nullable().describe("the kickoff's x-correlation-id"),
  accepted_ms: ms.describe("on the fake crew's monotonic clock, which clock.json anchors"),
  started_ms: ms.nullable().describe('null while it waits for a worker'),
  ended_ms: ms.nullable().describe('null while running, and for stuck executions'),
  outcome: z.enum(['running', 'completed', 'failed', 'stuck', 'lost']),
  tasks: z.array(
    z.object({ task_id: z.string(), execution_time: z.number().describe('in seconds') }),
  ),
  output_hash: z.string().nullable().describe('null unless completed'),
  faults: z.array(faultMark).exactOptional().describe('faults that changed answers about it'),
})

proven(true satisfies Exactly<z.infer<typeof ledgerRow>, LedgerRow>)

export function ledgerJsonSchema(): Record<string, unknown> {
  return {
    title: 'crewload ledger row',
    description: 'One line of ledger.ndjson, and of GET /__fake__/ledger',
    ...z.toJSONSchema(ledgerRow),
  }
}
