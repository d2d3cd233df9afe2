/**
 * The document of one recovery test, `recovery.json`: every number that its reports show stands
 * here once. Times in milliseconds.
 */
import { z } from 'zod'
import { quantity } from '../../analysis/document.ts'
import { count, envelope, ms, verdictOf } from '../frame/envelope.ts'

const perSecond = z.array(z.number()).describe('A second')

const trialOutcome = z
  .enum(['recovers', 'recovers-slowly', 'does-not-recover', 'unclear'])
  .describe(
    '`recovers`: service is back within the bound. `recovers-slowly`: later than that, and for good. `does-not-recover`: still below at the end, under a load that was carried before: metastable',
  )

const plan = z.object({
  scenario: z.string(),
  target: z.string(),
  profile: z.string().nullable().describe('`fake crew "default"`, or null'),
  engine: z.enum(['node', 'virtual']),
  network: z.string().nullable().describe('What the virtual network does; null for a real one'),
  speed: z.number(),
  wantedPerSecond: z.number().describe('The load that is held: executions wanted a second'),
  trigger: z.object({ kind: z.enum(['fault', 'spike', 'command']), words: z.string() }),
  warmUpMs: ms,
  beforeMs: ms.describe('Steady, after the warm-up and before the trigger'),
  triggerMs: ms.describe('The size of the trigger'),
  observeMs: ms.describe('After the trigger'),
  withinMs: ms.describe('Later than so long after the trigger, recovery is slow'),
  withinAsked: z.boolean().describe('Slow is then a failure'),
  deadlineMs: ms,
  seeds: z.array(count),
  control: z
    .boolean()
    .describe('A second run of each seed, without the trigger, shows that the load is carried'),
  bisect: z.boolean(),
  client: z.string().describe('How the client repeats a kickoff, in words'),
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
    'For each execution wanted. `after`: in the last quarter of the observation. Null where no trial tells',
  )

const ratios = z.object({
  before: z.number().nullable(),
  trigger: z.number().nullable(),
  after: z.number().nullable(),
})

const measures = z.object({
  formerPerSecond: spread
    .nullable()
    .describe('Executions completed within their deadline, a second, before the trigger'),
  recoveryMs: spread
    .nullable()
    .describe('From the trigger’s end until service was back; of trials that recovered'),
  windowMs: ms.nullable().describe('How finely that time is known'),
  goodputAfter: spread
    .nullable()
    .describe('Of the former goodput, in the last quarter of the observation'),
  attempts: phases.describe('Kickoffs sent for each execution wanted'),
  started: phases
    .nullable()
    .describe(
      'Executions that the crew’s ledger saw start for each one wanted; null without a ledger',
    ),
  backlog: z
    .object({ peak: spread, end: spread })
    .nullable()
    .describe('Executions that wait for a worker, by the ledger'),
})

export const trialSchema = z.object({
  seed: count,
  outcome: trialOutcome,
  why: z.string().nullable().describe('Why it is unclear; null otherwise'),
  before: z
    .object({ wanted: count, served: count })
    .describe('Executions wanted before the trigger, and completed within their deadline'),
  windowMs: ms.nullable(),
  recoveryMs: ms.nullable().describe('Null when it did not recover, or is unclear'),
  servedTrigger: quantity.describe('Share of those wanted in the trigger that were served'),
  servedAfter: quantity.describe('The same in the last quarter of the observation'),
  servedControl: quantity
    .nullable()
    .describe('The same in trigger and observation of the run without a trigger'),
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
    restoredMs: ms.nullable().describe('Service was back; null for never, or where it is unclear'),
    wantedPerSecond: perSecond,
    goodputPerSecond: perSecond.describe(
      'Completed within their deadline, by when they were wanted',
    ),
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
      .describe('By the ledger, at the end of each step; null without one'),
    running: z.array(count).nullable(),
  })
  .describe(
    'Columns of equal length over time, from the end of the warm-up to the end of the observation',
  )

const tippingSize = z.object({
  sizeMs: ms,
  tipped: count.describe('Trials that did not recover, of those with a known outcome'),
  of: count,
  low: z.number().nullable().describe('Of the 95 % interval of their share'),
  high: z.number().nullable(),
})

const tipping = z.object({
  kind: z
    .enum(['between', 'above', 'below', 'unknown'])
    .describe(
      '`between`: of the trials at `lowMs` most recover, of those at `highMs` most do not. `above`: they recover at every size that was tried. `below`: at none. `unknown`: too few trials were clear',
    ),
  lowMs: ms.nullable(),
  highMs: ms.nullable(),
  sureLowMs: ms
    .nullable()
    .describe('Fewer than half tip here with 95 % confidence; null where no size is sure'),
  sureHighMs: ms.nullable().describe('More than half tip here with 95 % confidence'),
  sizes: z.array(tippingSize).describe('In rising order'),
  sentence: z.string(),
})

const verdict = verdictOf([
  'recovers',
  'recovers-slowly',
  'does-not-recover',
  'inconclusive',
  'invalid',
]).extend({
  tipped: quantity.describe(
    'Of trials with a known outcome: does not recover, and its 95 % interval',
  ),
  counts: z.object({
    recovers: count,
    'recovers-slowly': count,
    'does-not-recover': count,
    unclear: count,
  }),
})

export const recoverySchema = z.object({
  ...envelope('recovery', 2),
  verdict,
  plan,
  runs: count.describe(
    'Runs of the scenario that came to their end: trials, control runs and those of the bisection',
  ),
  measures: measures.describe('Of the trials whose outcome is known'),
  trials: z
    .array(trialSchema)
    .describe('One a seed, in order; those that were not made are missing'),
  course: courseSchema
    .nullable()
    .describe('Of one trial, the first with the outcome that most have; null without a trial'),
  tipping: tipping.nullable().describe('Null when it was not looked for'),
})

export type RecoveryDocument = z.infer<typeof recoverySchema>
/** What will be done, before anything is sent. */
export type RecoveryPlan = z.infer<typeof plan>
export type RecoveryVerdict = RecoveryDocument['verdict']
/** Medians over the trials, with their range. */
export type RecoveryMeasures = z.infer<typeof measures>
export type Spread = z.infer<typeof spread>
/** Kickoffs sent, or started, for each execution wanted. */
export type RecoveryPhases = z.infer<typeof phases>
export type RecoveryTrial = z.infer<typeof trialSchema>
export type RecoveryOutcome = Exclude<RecoveryTrial['outcome'], 'unclear'>
export type PhaseRatios = z.infer<typeof ratios>
export type RecoveryCourse = z.infer<typeof courseSchema>
export type TippingPoint = z.infer<typeof tipping>
export type TippingSize = z.infer<typeof tippingSize>
