/** Disturbances in the document of a run, as zod schemas. */
import { z } from 'zod'
import type { FaultResult, PushbackResult, RecoveryResult } from '../../analysis/disturbances.ts'
import type { Exactly } from '../../base/exactly.ts'
import { proven } from '../../base/exactly.ts'

const count = z.int()
const ms = z.number().describe('Milliseconds')
const operation = z.enum(['kickoff', 'status'])

export const fault = z.object({
  name: z.string(),
  kind: z.string(),
  always: z.boolean(),
  touched: z.object({ inputs: count, kickoff: count, status: count }),
  times: count,
  bands: z.array(z.object({ fromMs: ms, toMs: ms })),
  counts: z.array(count),
})

export const recovery = z.object({
  faults: z.array(z.string()),
  fromMs: ms,
  toMs: ms,
  untilMs: ms,
  former: z.object({ wanted: count, served: count }),
  windowMs: ms.nullable(),
  state: z.enum(['recovered', 'not-recovered', 'too-few', 'unsteady', 'overloaded']),
  afterMs: ms.nullable(),
  needed: count.nullable(),
})

const limit = z.object({
  operation,
  code: count,
  count,
  requests: count,
  firstMs: ms,
  lastMs: ms,
  perMinute: count,
  admittedPerMinute: count,
})

const waits = z.object({
  answers: count,
  kept: count,
  early: count,
  last: count,
  longestMs: ms,
  honoured: z.boolean().nullable(),
})

const retries = z.object({
  operations: z.array(
    z.object({
      operation,
      requests: count,
      retries: count,
      causes: z.array(z.object({ class: z.string(), count })),
    }),
  ),
  share: z.number(),
  executions: count,
  budgetSpent: z.boolean(),
})

export const pushback = z.object({ limits: z.array(limit), waits, retries })

proven(true satisfies Exactly<z.infer<typeof fault>, FaultResult>)
proven(true satisfies Exactly<z.infer<typeof recovery>, RecoveryResult>)
proven(true satisfies Exactly<z.infer<typeof pushback>, PushbackResult>)
