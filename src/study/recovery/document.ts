/**
 * The document of one recovery test, `recovery.json`: it contains every number of its reports once.
 * Times are in milliseconds.
 */
import { z } from 'zod'
import { quantity } from '../../result/document.ts'
import { PLACE, envelope, verdictOf, count, ms } from '../frame/envelope.ts'
import { FINDINGS, OUTCOMES, REASONS, tipping, unclear } from './sentences.ts'

const perSecond = z.array(z.number()).describe('Per second')

const trialOutcome = z
  .enum(['recovers', 'recovers-slowly', 'does-not-recover', 'unclear'])
  .describe(
    '`recovers`: goodput recovers within the bound. `recovers-slowly`: it recovers ' +
      'later than that. `does-not-recover`: still degraded at the end, under a load ' +
      'that was handled before: metastable',
  )

const plan = z.object({
  scenario: z.string(),
  ...PLACE,
  engine: z.enum(['node', 'virtual']),
  network: z.string().nullable().describe('The simulated network; null for a real one'),
  speed: z.number(),
  wantedPerSecond: z.number().describe('The constant load: arrivals per second'),
  trigger: z.object({ kind: z.enum(['fault', 'spike', 'command']), words: z.string() }),
  warmUpMs: ms,
  beforeMs: ms.describe('Steady load, after the warm-up and before the trigger'),
  triggerMs: ms.describe('The size of the trigger'),
  observeMs: ms.describe('Observation after the trigger'),
  withinMs: ms.describe('Recovery later than this after the trigger is slow'),
  withinAsked: z.boolean().describe('Slow recovery is a failure'),
  deadlineMs: ms,
  seeds: z.array(count),
  control: z
    .boolean()
    .describe(
      'A second run of each seed without the trigger shows that the crew can handle the load',
    ),
  bisect: z.boolean(),
  client: z.string().describe('How the client retries a kickoff, as a text'),
  budget: z
    .object({ requests: count.nullable(), kickoffs: count.nullable() })
    .describe('Over all runs of the scenario'),
})

const spread = z.object({ median: z.number(), least: z.number(), most: z.number() })

const phases = z
  .object({
    before: spread.nullable(),
    trigger: spread.nullable(),
    after: spread.nullable(),
  })
  .describe(
    'Per arrival. `after`: in the last quarter of the observation. Null ' +
      'if no trial has a value',
  )

const ratios = z.object({
  before: z.number().nullable(),
  trigger: z.number().nullable(),
  after: z.number().nullable(),
})

const measures = z.object({
  formerPerSecond: spread
    .nullable()
    .describe('Executions per second completed within their deadline, before the trigger'),
  recoveryMs: spread
    .nullable()
    .describe('From the trigger’s end until goodput recovered; of trials that recovered'),
  windowMs: ms.nullable().describe('The resolution of that time'),
  goodputAfter: spread
    .nullable()
    .describe('Share of the former goodput, in the last quarter of the observation'),
  attempts: phases.describe('Kickoffs sent per arrival'),
  started: phases
    .nullable()
    .describe(
      'Executions that started according to the crew’s ledger, per arrival; ' +
        'null without a ledger',
    ),
  backlog: z
    .object({ peak: spread, end: spread })
    .nullable()
    .describe('Executions that wait for a worker, according to the ledger'),
})

export const trialSchema = z.object({
  seed: count,
  outcome: trialOutcome,
  why: unclear.nullable().describe('Why the outcome is unclear; null otherwise'),
  before: z
    .object({ wanted: count, served: count })
    .describe('Arrivals before the trigger, and those that completed within their deadline'),
  windowMs: ms.nullable(),
  recoveryMs: ms.nullable().describe('Null when it did not recover, or the outcome is unclear'),
  servedTrigger: quantity.describe('Share of the arrivals during the trigger that were served'),
  servedAfter: quantity.describe('The same in the last quarter of the observation'),
  servedControl: quantity
    .nullable()
    .describe('The same for the trigger and observation of the run without a trigger'),
  attempts: ratios,
  started: ratios.nullable(),
  backlog: z.object({ peak: count, end: count }).nullable(),
  inFlightEnd: count.describe(
    'Executions that the client waited for at the end of the observation',
  ),
})

export const courseSchema = z
  .object({
    seed: count,
    outcome: trialOutcome,
    fromMs: ms.describe('On the run’s clock: where the first column begins'),
    stepMs: ms,
    triggerFromMs: ms,
    triggerToMs: ms,
    restoredMs: ms.nullable().describe('When goodput had recovered; null for never, or if unclear'),
    wantedPerSecond: perSecond,
    goodputPerSecond: perSecond.describe('Completed within their deadline, by intended time'),
    controlPerSecond: perSecond
      .nullable()
      .describe('The same without the trigger; null without a control run'),
    attemptsPerSecond: perSecond,
    inFlight: z
      .array(count)
      .describe('At the end of each step: executions that the client waits for'),
    waiting: z
      .array(count)
      .nullable()
      .describe('According to the ledger, at the end of each step; null without one'),
    running: z.array(count).nullable(),
  })
  .describe(
    'Columns of equal length over time, from the end of the warm-up to the end of the observation',
  )

const verdict = verdictOf(OUTCOMES, REASONS).extend({
  tipped: quantity.describe(
    'Out of trials with a known outcome: those that do not recover, and the 95 % ' +
      'interval of their share',
  ),
  counts: z.object({
    recovers: count,
    'recovers-slowly': count,
    'does-not-recover': count,
    unclear: count,
  }),
})

export const recoverySchema = z.object({
  ...envelope('recovery', 1, FINDINGS),
  verdict,
  plan,
  runs: count.describe(
    'Runs of the scenario that finished: trials, control runs and runs of the bisection',
  ),
  measures: measures.describe('Over the trials whose outcome is known'),
  trials: z
    .array(trialSchema)
    .describe('One per seed, in order; trials that were not run are missing'),
  course: courseSchema
    .nullable()
    .describe('One trial, the first with the most frequent outcome; null without a trial'),
  tipping: tipping.nullable().describe('Null when there was no search for it'),
})

export type RecoveryDocument = z.infer<typeof recoverySchema>
/** What will be done, shown before anything is sent. */
export type RecoveryPlan = z.infer<typeof plan>
export type RecoveryVerdict = RecoveryDocument['verdict']
/** Medians over the trials, with their range. */
export type RecoveryMeasures = z.infer<typeof measures>
export type TrialSpread = z.infer<typeof spread>
/** Kickoffs sent, or started, per arrival. */
export type RecoveryPhases = z.infer<typeof phases>
export type RecoveryTrial = z.infer<typeof trialSchema>
export type PhaseRatios = z.infer<typeof ratios>
export type RecoveryCourse = z.infer<typeof courseSchema>
