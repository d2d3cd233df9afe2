/** What a run tells of itself beside its executions: facts, of which analysis makes sentences. */
import { z } from 'zod'
import { micros } from '../../base/micros.schema.ts'

export const runNote = z.discriminatedUnion('code', [
  /** A request was refused for it. `isPart`: it was the share of one instance. */
  z.object({
    code: z.literal('budget-spent'),
    budget: z.enum(['kickoff', 'request', 'cost', 'time', 'retry']),
    isPart: z.boolean(),
  }),
  /** An exception was not caught. */
  z.object({ code: z.literal('generator-failed'), error: z.string() }),
  /** A connection failed for lack of a local resource, which the error code names. */
  z.object({ code: z.literal('machine-short'), error: z.string() }),
  z.object({ code: z.literal('ledger-missing'), error: z.string() }),
  /** The fake crew no longer had its oldest marks: those before this time of the run. */
  z.object({ code: z.literal('marks-missing'), marks: z.int(), untilMicros: micros }),
  /** What an exporter says of what did not arrive. */
  z.object({ code: z.literal('telemetry-lost'), what: z.string() }),
  /** How a k6 process ended before its time, and what it said. */
  z.object({ code: z.literal('k6-ended'), what: z.string() }),
])
export type RunNote = z.infer<typeof runNote>
