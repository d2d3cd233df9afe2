/** The journal's lines as zod schemas, published as JSON Schema. */
import { z } from 'zod'
import type { JournalLine } from '../execution/record/journal-lines.ts'
import type { Exactly } from '../base/exactly.ts'
import { proven } from '../base/exactly.ts'
import { columns, executionRecord, micros, violation } from './record-schema.ts'

const runLine = z.object({
  type: z.literal('run'),
  schema: z.literal('crewload/journal/1'),
  crewload: z.string(),
  runId: z.string(),
  scenario: z.string(),
  instance: z.int(),
  instances: z.int(),
  engine: z.enum(['node', 'virtual', 'k6']),
  network: z.string().nullable(),
  target: z.string(),
  ownCrew: z.boolean().default(false),
  anchorUnixMs: z.number(),
  anchorErrorMicros: micros.default(0),
  seed: z.number(),
  speed: z.number(),
  planHash: z.string(),
  plan: z.unknown(),
})

const startedLine = z.object({
  type: z.literal('started'),
  index: z.int(),
  instance: z.int(),
  intendedMicros: micros,
  atMicros: micros,
})

const acceptedLine = z.object({
  type: z.literal('accepted'),
  index: z.int(),
  instance: z.int(),
  kickoffId: z.string(),
  atMicros: micros,
  kickoff: columns,
})

const resumedLine = z.object({
  type: z.literal('resumed'),
  instance: z.int(),
  anchorUnixMs: z.number(),
  atMicros: micros,
  cutMicros: micros,
  indexes: z.array(z.int()),
})

const targetLoss = z.object({
  state: z.enum(['dead', 'refused']),
  scope: z.enum(['everything', 'kickoffs']),
  sinceMicros: micros,
  untilMicros: micros,
  requests: z.int(),
  first: z.string(),
  last: z.string(),
})

const findingLine = z.object({
  type: z.literal('finding'),
  instance: z.int(),
  atMicros: micros,
  index: z.int().nullable(),
  finding: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('violation'), violation }),
    z.object({ kind: z.literal('requests-reserved'), total: z.int() }),
    z.object({ kind: z.literal('time-reserved'), untilMicros: micros }),
    z.object({ kind: z.literal('target-lost'), loss: targetLoss }),
    z.object({
      kind: z.literal('target-probed'),
      usable: z.boolean(),
      probes: z.int(),
      last: z.string(),
    }),
    z.object({ kind: z.literal('clock-step'), stepMs: z.number() }),
    z.object({ kind: z.literal('journal-error'), message: z.string() }),
    z.object({ kind: z.literal('note'), message: z.string() }),
  ]),
})

const finishedLine = z.object({
  type: z.literal('finished'),
  instance: z.int(),
  atMicros: micros,
  stopped: z.enum(['drained', 'now']).nullable(),
  stopReason: z.string().nullable(),
  engine: z.object({
    arrivals: z.int(),
    ended: z.int(),
    inFlightIntegralMicros: z.number(),
    maxInFlight: z.int().nullable(),
    confirmations: z.int(),
  }),
  host: z.object({
    utilisationSustained: z.number().nullable(),
    utilisationMean: z.number().nullable(),
    connectionsOpened: z.int().nullable(),
    clockSteps: z.int(),
    journalErrors: z.int(),
    peakMemoryBytes: z.int().nullable(),
  }),
})

export const journalLineSchema = z.discriminatedUnion('type', [
  runLine,
  startedLine,
  acceptedLine,
  z.object({ type: z.literal('ended'), record: executionRecord }),
  resumedLine,
  findingLine,
  finishedLine,
])

proven(true satisfies Exactly<z.infer<typeof journalLineSchema>, JournalLine>)

/** JSON Schema (2020-12) of one line of `executions.ndjson`. */
export function journalJsonSchema(): Record<string, unknown> {
  return {
    title: 'crewload journal line',
    description: 'One line of executions.ndjson, schema crewload/journal/1',
    ...z.toJSONSchema(journalLineSchema),
  }
}
