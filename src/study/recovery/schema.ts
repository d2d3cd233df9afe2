/** The document of a recovery test as a zod schema, published as JSON Schema. */
import { z } from 'zod'
import type { RecoveryDocument } from './document.ts'
import type { Exactly } from '../../base/exactly.ts'
import { proven } from '../../base/exactly.ts'
import { quantity } from '../../measure/schema/result.ts'

const count = z.int()
const ms = z.number().describe('Milliseconds')
const perSecond = z.array(z.number()).describe('A second')

const run = z.object({
  scenario: z.string(),
  target: z.string(),
  profile: z.string().nullable(),
  engine: z.enum(['node', 'virtual']),
  network: z.string().nullable(),
  speed: z.number(),
  wantedPerSecond: z.number(),
  trigger: z.object({ kind: z.enum(['fault', 'spike', 'command']), words: z.string() }),
  warmUpMs: ms,
  beforeMs: ms,
  triggerMs: ms,
  observeMs: ms,
  withinMs: ms,
  withinAsked: z.boolean(),
  deadlineMs: ms,
  seeds: z.array(count),
  control: z.boolean(),
  bisect: z.boolean(),
  client: z.string(),
  id: z.string(),
  ended: z.enum(['complete', 'interrupted']),
  startedAt: z.iso.datetime(),
  durationMs: ms,
  runs: count,
  command: z.string().nullable(),
  node: z.string(),
})

const verdict = z.object({
  outcome: z.enum(['recovers', 'recovers-slowly', 'does-not-recover', 'inconclusive', 'invalid']),
  tipped: quantity,
  counts: z.object({
    recovers: count,
    'recovers-slowly': count,
    'does-not-recover': count,
    unclear: count,
  }),
  reasons: z.array(z.object({ code: z.string(), message: z.string(), remedy: z.string() })),
  sentence: z.string(),
})

const spread = z.object({ median: z.number(), least: z.number(), most: z.number() })
const phases = z.object({
  before: spread.nullable(),
  trigger: spread.nullable(),
  after: spread.nullable(),
})
const ratios = z.object({
  before: z.number().nullable(),
  trigger: z.number().nullable(),
  after: z.number().nullable(),
})
const outcome = z.enum(['recovers', 'recovers-slowly', 'does-not-recover', 'unclear'])

const measures = z.object({
  formerPerSecond: spread.nullable(),
  recoveryMs: spread.nullable(),
  windowMs: ms.nullable(),
  goodputAfter: spread.nullable(),
  attempts: phases,
  started: phases.nullable(),
  backlog: z.object({ peak: spread, end: spread }).nullable(),
})

const trial = z.object({
  seed: count,
  outcome,
  why: z.string().nullable(),
  before: z.object({ wanted: count, served: count }),
  windowMs: ms.nullable(),
  recoveryMs: ms.nullable(),
  servedTrigger: quantity,
  servedAfter: quantity,
  servedControl: quantity.nullable(),
  attempts: ratios,
  started: ratios.nullable(),
  backlog: z.object({ peak: count, end: count }).nullable(),
  inFlightEnd: count,
})

const course = z.object({
  seed: count,
  outcome,
  fromMs: ms,
  stepMs: ms,
  triggerFromMs: ms,
  triggerToMs: ms,
  restoredMs: ms.nullable(),
  wantedPerSecond: perSecond,
  goodputPerSecond: perSecond,
  controlPerSecond: perSecond.nullable(),
  attemptsPerSecond: perSecond,
  inFlight: z.array(count),
  waiting: z.array(count).nullable(),
  running: z.array(count).nullable(),
})

const tipping = z.object({
  kind: z.enum(['between', 'above', 'below', 'unknown']),
  lowMs: ms.nullable(),
  highMs: ms.nullable(),
  sureLowMs: ms.nullable(),
  sureHighMs: ms.nullable(),
  sizes: z.array(
    z.object({
      sizeMs: ms,
      tipped: count,
      of: count,
      low: z.number().nullable(),
      high: z.number().nullable(),
    }),
  ),
  sentence: z.string(),
})

const recoverySchema = z.object({
  schema: z.literal('crewload/recovery/1'),
  crewload: z.string(),
  run,
  verdict,
  measures,
  trials: z.array(trial),
  course: course.nullable(),
  tipping: tipping.nullable(),
  findings: z.array(
    z.object({ severity: z.enum(['info', 'warning', 'problem']), message: z.string() }),
  ),
})

proven(true satisfies Exactly<z.infer<typeof recoverySchema>, RecoveryDocument>)

/** JSON Schema (2020-12) of `recovery.json`. */
export function recoveryJsonSchema(): Record<string, unknown> {
  return {
    title: 'crewload recovery',
    description:
      'The document of one recovery test, schema crewload/recovery/1: does service come back after a trigger, over several seeds.',
    ...z.toJSONSchema(recoverySchema),
  }
}
