/** What a run says of itself beside its executions: facts, of which analysis makes sentences. */
import { z } from 'zod'
import { micros } from '../../base/micros.schema.ts'
import { k6End } from './reason.schema.ts'

/** Why a collector did not take something. `busy`: it kept answering 429, 502, 503 or 504. */
const lossReason = z.discriminatedUnion('code', [
  z.object({ code: z.literal('answered'), status: z.int() }),
  /** Of the system, `ECONNREFUSED`. */
  z.object({ code: z.literal('error'), error: z.string() }),
  z.object({
    code: z.enum(['busy', 'failed', 'no-answer', 'not-otlp', 'queue-full', 'rejected']),
  }),
])

/** What did not reach a collector of OpenTelemetry: `metrics` count by batches. */
export const telemetryLost = {
  items: z.enum(['metrics', 'spans']),
  lost: z.int(),
  of: z.int(),
  why: lossReason,
}

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
  z.object({ code: z.literal('telemetry-lost'), ...telemetryLost }),
  /** The export of the metrics threw, which is a bug; the run continued without it. */
  z.object({ code: z.literal('telemetry-failed'), error: z.string() }),
  z.object({ code: z.literal('k6-ended'), ...k6End }),
])
export type RunNote = z.infer<typeof runNote>
export type TelemetryNote = Extract<RunNote, { code: 'telemetry-lost' | 'telemetry-failed' }>
