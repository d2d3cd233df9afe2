/** The execution record as a zod schema, proven equal to its type. */
import { z } from 'zod'
import { FAILURE_CLASSES } from '../crew/answer.ts'
import type { ExecutionRecord, RequestColumns, Violation } from '../execution/record/record.ts'
import { BODY_FAULTS, OUTCOMES } from '../execution/record/record.ts'
import type { Exactly } from '../base/exactly.ts'
import { proven } from '../base/exactly.ts'

export const micros = z.int().describe('Integer microseconds on the run clock, or a duration')

export const violation = z.object({ rule: z.string(), example: z.string() })

const flags = z.array(z.union([z.literal(0), z.literal(1)]))

export const columns = z
  .strictObject({
    dueMicros: z.array(micros),
    lateMicros: z.array(micros),
    waitMicros: z.array(micros),
    serviceMicros: z.array(micros),
    answer: z.array(z.union([z.int(), z.enum([...FAILURE_CLASSES, ...BODY_FAULTS])])),
    fresh: flags,
    retry: flags,
    asked: z.array(z.object({ request: z.int(), micros })).exactOptional(),
  })
  .refine(
    ({ dueMicros, lateMicros, waitMicros, serviceMicros, answer, fresh, retry }) =>
      [dueMicros, lateMicros, waitMicros, serviceMicros, fresh, retry].every(
        (column) => column.length === answer.length,
      ),
    'columns of equal length',
  )

export const dialect = z.enum(['interface', 'platform', 'mixed']).nullable()
export const outcome = z.enum(OUTCOMES)

export const executionRecord = z.object({
  index: z.int(),
  instance: z.int(),
  kickoffId: z.string().nullable(),
  dialect,
  tags: z.record(z.string(), z.string()),
  warmUp: z.boolean(),
  outcome,
  reason: z.string().nullable(),
  intendedMicros: micros,
  sentMicros: micros.nullable(),
  acceptedMicros: micros.nullable(),
  endedMicros: micros,
  lastNotDoneSentMicros: micros.nullable(),
  firstDoneReceivedMicros: micros.nullable(),
  kickoff: columns,
  polls: columns,
  wastedPolls: z.int(),
  changes: z.array(
    z.object({
      atMicros: micros,
      task: z.string().nullable(),
      completed: z.number().nullable(),
      total: z.number().nullable(),
    }),
  ),
  reported: z.object({
    executionTimeSeconds: z.number().nullable(),
    tasks: z.array(z.object({ taskId: z.string(), executionTimeSeconds: z.number().nullable() })),
  }),
  output: z.object({ bytes: z.int(), hash: z.string() }).nullable(),
  checks: z.record(z.string(), z.union([z.boolean(), z.string()])),
  violations: z.array(violation),
  resumed: z.boolean(),
})

proven(true satisfies Exactly<z.infer<typeof violation>, Violation>)
proven(true satisfies Exactly<z.infer<typeof columns>, RequestColumns>)
proven(true satisfies Exactly<z.infer<typeof executionRecord>, ExecutionRecord>)
