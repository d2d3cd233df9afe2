/**
 * The document of a twin, `twin.json`: what runs of a crew showed about it, how well each part of
 * that fits, the profile of a fake crew that follows from it, and how closely a fake crew with that
 * profile behaves like the crew.
 */
import { z } from 'zod'
import { envelope, verdictOf, count, ms } from '../frame/envelope.ts'
import { learnedPart } from './sentences/parts.ts'
import { FINDINGS, REASONS, comparison } from './sentences/verdict.ts'

const quantile = z
  .object({
    value: z.number(),
    low: z.number().nullable().describe('End of the 95 % interval; null if the sample has none'),
    high: z.number().nullable(),
    fitted: z.number().describe('The quantile of the twin'),
  })
  .describe('In the unit of the part')

const goodness = z.object({
  n: count.describe('Values that were observed'),
  between: count.describe('Those known only between two bounds, which are polls'),
  censored: count.describe('Those whose end was not observed'),
  p50: quantile,
  p95: quantile,
  heldOut: z
    .array(z.object({ family: z.string(), logLikelihood: z.number() }))
    .describe(
      'Mean log-likelihood of values, each predicted by the fit without it: the best family ' +
        'was chosen',
    ),
  test: z
    .object({ distance: z.number(), p: z.number(), n: count })
    .nullable()
    .describe('Kolmogorov-Smirnov test of a held-out fifth against the fit of the others'),
  qq: z.array(z.object({ share: z.number(), observed: z.number(), fitted: z.number() })),
})

const part = z.object({
  kind: z.enum(['task', 'workers', 'other']).describe('`task`: how long a task takes'),
  name: z.string(),
  unit: z.enum(['ms', 'bytes', 'executions', 'share']).nullable(),
  at: z.string().nullable().describe('Its path in the profile; null if it has none'),
  learned: learnedPart,
  fit: z.unknown().describe('The value in the profile; null if it has none'),
  estimate: z
    .object({ value: z.number(), low: z.number(), high: z.number().nullable() })
    .nullable()
    .describe('A number with its interval; `high` is null if nothing bounds it'),
  goodness: goodness.nullable(),
  identified: z.boolean().describe('False if the runs cannot show it'),
})

const agreement = z.object({
  replays: count.describe('Replays of the same arrivals on the twin, in virtual time'),
  executions: count.describe('Executions in each'),
  comparisons: z.array(comparison),
  stay: z
    .array(z.object({ share: z.number(), observed: ms, predicted: ms, low: ms, high: ms }))
    .describe('From acceptance until the client knew the end, by share of executions'),
})

export const twinSchema = z.object({
  ...envelope('twin', 1, FINDINGS),
  verdict: verdictOf(['learned', 'disagrees', 'too-few'], REASONS),
  runs: z.array(z.string()).describe('The folders that were read'),
  file: z.string().nullable().describe('File of the profile; null if it was not written'),
  source: z.object({
    executions: count.describe('Executions that the crew accepted'),
    ended: count,
    truth: z
      .enum(['ledger', 'reported', 'polls', 'mixed'])
      .describe('Source of starts and ends: `reported` by the target itself'),
    perMinute: z.number().nullable().describe('Arrivals per minute while there were any'),
  }),
  parts: z.array(part),
  profile: z
    .string()
    .nullable()
    .describe('The profile of the twin as YAML, as it is written to the file; null without one'),
  agreement: agreement.nullable(),
})

export type TwinDocument = z.infer<typeof twinSchema>
export type TwinPart = z.infer<typeof part>
export type Agreement = z.infer<typeof agreement>
export type Goodness = z.infer<typeof goodness>
