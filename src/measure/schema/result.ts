/** The document of a run as a zod schema, published as JSON Schema. */
import { z } from 'zod'
import type { ResultDocument } from '../../analysis/document.ts'
import { OUTCOMES } from '../../execution/record/record.ts'
import type { Exactly } from '../../base/exactly.ts'
import { proven } from '../../base/exactly.ts'
import { dialect, executionRecord, outcome } from '../../journal/record-schema.ts'
import { fault, pushback, recovery } from './disturbances.ts'

const count = z.int()
const ms = z.number().describe('Milliseconds')
const msOrNull = ms.nullable()
const operator = z.enum(['<', '<=', '>', '>='])

const run = z.object({
  id: z.string(),
  scenario: z.string(),
  description: z.string(),
  target: z.string(),
  profile: z.string().nullable(),
  engine: z.enum(['node', 'virtual', 'k6']),
  network: z.string().nullable().describe('Of virtual time: what the simulated network does'),
  dialect,
  seed: z.number(),
  speed: z.number(),
  startedAt: z.iso.datetime(),
  durationMs: ms,
  instances: count,
  planHash: z.string(),
  stopped: z.enum(['drained', 'now', 'crashed']).nullable(),
  stopReason: z.string().nullable(),
  command: z.string().nullable(),
  node: z.string().nullable(),
})

export const verdict = z.object({
  outcome: z.enum(['passed', 'failed', 'invalid', 'inconclusive', 'unreachable']),
  valid: z.boolean(),
  problems: count,
  reasons: z.array(z.object({ code: z.string(), message: z.string(), remedy: z.string() })),
  sentence: z.string(),
})

const targetLoss = z.object({
  state: z.enum(['dead', 'refused']),
  scope: z.enum(['everything', 'kickoffs']),
  sinceMs: ms,
  untilMs: ms,
  requests: count,
  first: z.string(),
  last: z.string(),
  instances: count,
})

const reach = z
  .union([z.number(), z.literal('never')])
  .nullable()
  .describe('`never`: it lies among those to whom it never came')

export const quantity = z.object({
  value: z.number().nullable(),
  unit: z.enum(['ms', 'share', 'count', 'ratio', 'perSecond', 'flag']),
  low: z.number().nullable(),
  high: z.number().nullable(),
  n: count,
  needed: count.nullable(),
})

const metric = quantity.extend({
  value: reach,
  low: reach,
  high: reach,
  never: count,
  effective: z
    .number()
    .nullable()
    .describe('Independent observations that say as much as the n, which depend on each other'),
})
const metrics = z.record(z.string(), metric)

const threshold = z.object({
  metric: z.string(),
  text: z.string(),
  operator,
  bound: z.number(),
  status: z.enum(['met', 'missed', 'undecided', 'unmeasurable']),
  judged: z.enum(['interval', 'value', 'sample']),
  source: z.enum(['scenario', 'default']),
  measured: metric,
  more: count.nullable(),
  hint: z.string().nullable(),
})

const contract = z.object({
  answersChecked: count,
  violations: count,
  documentedViolations: count,
  rules: z.array(
    z.object({
      rule: z.string(),
      basis: z.enum(['documented', 'assumed']),
      source: z.string(),
      count,
      example: z.object({
        kickoffId: z.string().nullable(),
        index: z.int(),
        seen: z.string(),
      }),
    }),
  ),
})

const check = z.object({
  name: z.string(),
  passed: count,
  failed: count,
  threw: count,
  example: z.string().nullable(),
})

const error = z.object({
  operation: z.enum(['kickoff', 'status']),
  class: z.string(),
  count,
  firstMs: ms,
})

const instance = z.object({
  instance: count,
  engine: run.shape.engine.nullable(),
  beganMs: msOrNull,
  finished: z.boolean(),
  ended: count,
  maxInFlight: count.nullable(),
  latenessP99Ms: msOrNull,
  utilisation: z.number().nullable(),
  peakMemoryBytes: count.nullable(),
})

const generator = z.object({
  checks: z.array(
    z.object({
      name: z.enum([
        'lateness',
        'utilisation',
        'little',
        'records',
        'journal',
        'clock',
        'scenario',
        'start',
        'admission',
      ]),
      measured: z.string(),
      bound: z.string(),
      ok: z.boolean(),
      skipped: z.boolean(),
      meaning: z.string(),
    }),
  ),
  instances: z.array(instance),
  maxInFlight: count,
  requests: count,
  connectionsOpened: count.nullable(),
  handshakeShare: z.number().nullable(),
  utilisationMean: z.number().nullable(),
  peakMemoryBytes: count.nullable(),
  confirmations: count,
})

const ledger = z.object({
  rows: count,
  clockErrorMs: ms,
  agreed: count,
  disagreements: z.array(
    z.object({
      kind: z.enum([
        'lost',
        'duplicate',
        'wrong-id',
        'not-found',
        'forgotten',
        'never-ended',
        'wrong-result',
        'unrecorded',
        'end-outside-interval',
      ]),
      count,
      examples: z.array(
        z.object({
          index: z.int().nullable(),
          kickoffId: z.string(),
          detail: z.string(),
        }),
      ),
    }),
  ),
  endIntervals: z.object({ checked: count, contained: count }),
})

const distribution = z.object({
  title: z.string(),
  n: count,
  censored: count,
  never: count,
  min: msOrNull,
  mean: msOrNull,
  max: msOrNull,
  quantiles: z.array(z.object({ q: z.number(), value: ms, low: msOrNull, high: reach })),
  values: z.array(ms).exactOptional(),
  buckets: z.array(z.object({ from: ms, to: ms, count })),
  clamped: count,
})

const breakdownBar = z.object({
  at: z.string(),
  totalMs: ms,
  parts: z.array(
    z.object({
      name: z.string(),
      ms,
      source: z.enum(['measured', 'ledger', 'reported']),
    }),
  ),
})

const series = z.object({
  intervalMs: ms,
  offered: z.array(count),
  accepted: z.array(count),
  ended: z.array(count),
  inFlight: z.array(count),
  statusPerSecond: z.array(z.number()),
  executionP50Ms: z.array(msOrNull),
  executionP95Ms: z.array(msOrNull),
  kickoffP95Ms: z.array(msOrNull),
  heat: z.object({ edgesMs: z.array(ms), counts: z.array(z.array(count)) }),
  errors: z.record(z.string(), z.array(count)),
  bands: z.array(z.object({ fromMs: ms, toMs: ms, name: z.string() })),
})

const polling = z.object({
  perExecution: z.number().nullable(),
  wastedPerExecution: z.number().nullable(),
  wastedShare: z.number().nullable(),
  points: z.array(z.object({ executionMs: ms, polls: count })),
  detectionSource: z.enum(['ledger', 'interval']),
  advice: z.string().nullable(),
})

const faultMark = z.object({
  fault: z.string(),
  operation: z.enum(['inputs', 'kickoff', 'status']),
  at_ms: z.number(),
  correlation: z.string().nullable(),
  kickoff_id: z.string().nullable(),
})

const ledgerRow = z.object({
  kickoff_id: z.string(),
  ordinal: count,
  correlation: z.string().nullable(),
  accepted_ms: ms,
  started_ms: msOrNull,
  ended_ms: msOrNull,
  outcome: z.enum(['running', 'completed', 'failed', 'stuck', 'lost']),
  tasks: z.array(z.object({ task_id: z.string(), execution_time: z.number() })),
  output_hash: z.string().nullable(),
  faults: z.array(faultMark).readonly().exactOptional(),
})

const sample = z.object({
  why: z.enum(['slowest', 'failed', 'random']),
  record: executionRecord,
  ledger: ledgerRow.nullable(),
  trueEndMicros: z.number().nullable(),
})

const resultSchema = z.object({
  schema: z.literal('crewload/result/2'),
  crewload: z.string(),
  run,
  plan: z.unknown(),
  verdict,
  targetLoss: targetLoss.nullable(),
  arrivals: count,
  warmUpArrivals: count,
  outcomes: z.record(outcome, count),
  reasons: z.partialRecord(outcome, z.array(z.object({ reason: z.string(), count }))),
  metrics,
  thresholds: z.array(threshold),
  contract,
  checks: z.array(check),
  errors: z.array(error),
  generator,
  load: z.object({ workers: count, load: z.number(), needed: count.nullable() }).nullable(),
  ledger: ledger.nullable(),
  distributions: z.record(z.string(), distribution),
  breakdown: z.array(breakdownBar),
  series,
  faults: z.array(fault).nullable(),
  recoveries: z.array(recovery),
  pushback,
  polling,
  samples: z.array(sample),
  tags: z.record(z.string(), metrics),
  findings: z.array(
    z.object({ severity: z.enum(['info', 'warning', 'problem']), message: z.string() }),
  ),
  histograms: z.record(z.string(), z.string()),
})

proven(true satisfies Exactly<z.infer<typeof resultSchema>, ResultDocument>)

/** JSON Schema (2020-12) of `result.json`. */
export function resultJsonSchema(): Record<string, unknown> {
  return {
    title: 'crewload result',
    description: `The document of one run, schema crewload/result/2; outcomes: ${OUTCOMES.join(', ')}`,
    ...z.toJSONSchema(resultSchema),
  }
}
