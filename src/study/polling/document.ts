/**
 * The document of a study of polling, `polling.json`: what each strategy would cost over executions
 * that were recorded, and which one is recommended. Times in milliseconds, as measured.
 */
import { z } from 'zod'
import { FAMILY_NAMES } from './analyse/families/list.ts'
import { envelope, verdictOf, count, ms } from '../frame/envelope.ts'
import { FINDINGS, limitsSource } from './sentences/findings.ts'
import { REASONS, nearest } from './sentences/reasons.ts'

const estimate = z.object({
  value: z.number(),
  low: z.number().describe('Of the 95 % band'),
  high: z.number(),
})

const family = z.enum([...FAMILY_NAMES, 'retry-after'])

/** The schema of scenarios says what is in it. */
const polling = z
  .record(z.string(), z.unknown())
  .describe('`polling` of a scenario, as an author writes it')

const delays = z
  .object({
    p50: ms,
    p95: ms,
    mean: ms,
    low: ms.describe('Of the 95 % band of `p95`'),
    high: ms,
    meanLow: ms.describe('Of the 95 % band of `mean`'),
    meanHigh: ms,
  })
  .nullable()

const figures = {
  pollsPerExecution: estimate,
  detectionDelayMs: delays.describe(
    'Null if the deadline comes before a poll sees the end of more than 5 % of the executions',
  ),
}

const strategy = z.object({
  family: family.describe(
    '`hazard`: Keller’s schedule, `schedule`: polls at equal shares of the ends',
  ),
  polling,
  words: z.string(),
  ...figures,
})

const goal = z
  .object({
    quota: z
      .object({
        text: z.string().describe('As it is written: `3000/m`'),
        count: z.number(),
        per: z.string().describe('The time as it is written: `m`'),
        perMicros: z.number(),
        limits: limitsSource
          .nullable()
          .describe('The study of limits that it is from; null where it was stated'),
      })
      .nullable(),
    promise: z
      .object({
        text: z.string().describe('As it is written: `p95 < 5s`'),
        statistic: z.enum(['mean', 'p50', 'p95']),
        boundMicros: z.number().describe('Detection delays lie below it'),
      })
      .nullable(),
    prices: z
      .object({
        poll: z.number(),
        delaySecond: z
          .number()
          .describe('The price of a second by which the end of an execution is known late'),
      })
      .nullable()
      .describe('Null if quota or promise decide alone'),
    given: z
      .boolean()
      .describe(
        'False: nothing was said, and one poll is worth what the scenario calls a second of delay',
      ),
  })
  .describe('What must hold, and what shall be as little as possible while it does')

const consequences = {
  cost: z.number().nullable().describe('The cost of an execution, if there are prices'),
  pollsPerSecond: z.number().nullable().describe('Of all executions together'),
  twiceAsLong: z
    .object({ pollsPerExecution: z.number(), pollsPerSecond: z.number().nullable() })
    .describe('When executions take twice as long'),
  freshShare: z
    .number()
    .nullable()
    .describe('Of its polls, those that open a connection, by the gaps that were observed'),
}

const pushes = z.object({
  received: count.describe('Reports of all kinds, of the executions'),
  repeated: count.describe('Reports of what an earlier one had reported'),
  early: count.describe('Executions whose end a push reported too early'),
  ends: count.describe('Executions that ended'),
  missed: count.describe('Ends that no push reported in time'),
  missedShare: estimate,
  detectionDelayMs: delays.describe(
    'Of pushes alone, over the ends that they reported; the bands are what polls leave open',
  ),
  net: strategy
    .extend({ missedShare: z.number().describe('Ends that come too shortly before the deadline') })
    .nullable()
    .describe(
      'Pushes, and this poll until one comes: what it costs then. Null where no interval surely ' +
        'keeps what must hold',
    ),
  pollsMissedShare: z
    .number()
    .nullable()
    .describe('The same of `recommended`, whose polls hear no pushes'),
  better: z
    .enum(['polls', 'net'])
    .describe('What does the goal better: `recommended` without pushes, or pushes with the net'),
})

export const pollingSchema = z.object({
  ...envelope('polling', 1, FINDINGS),
  verdict: verdictOf(['answered', 'impossible', 'inconclusive', 'target-lost'], REASONS).extend({
    moreExecutions: count
      .nullable()
      .describe('About how many more would decide it; null if none are missing'),
    nearest: nearest
      .nullable()
      .describe('If it is impossible: what would be possible, as options are written'),
  }),
  goal,
  source: z.object({
    kind: z.enum(['runs', 'virtual', 'target']),
    runs: z.array(z.string()).describe('Folders of the runs that were read, or that was made'),
    executions: count.describe('Accepted, without the warm-up'),
    ended: count.describe('Those whose end was seen'),
    never: count.describe('Those that did not end within their deadline'),
    censored: count.describe('Those that were not watched to their end'),
    unwatchedShare: z
      .number()
      .describe(
        'Share of the executions that took longer than any whose end was seen, with no deadline ' +
          'that cut them',
      ),
    truth: z
      .enum(['ledger', 'polls', 'mixed'])
      .describe('Source of the true ends; by `polls`, each lies between two of them'),
    endKnownWithinMs: ms.nullable().describe('In the median'),
    executionMs: z.object({ mean: ms, p50: ms, p95: ms }).nullable(),
    requestMs: ms.nullable().describe('What a poll takes, in the median'),
    arrivalsPerSecond: z.number().nullable(),
    blockExecutions: count
      .nullable()
      .describe('Executions that follow each other and take similar times; 1 where they do not'),
  }),
  recommended: strategy
    .extend({
      ...consequences,
      handshakeMs: ms.nullable().describe('What opening one costs'),
      loops: z.object({ typescript: z.string(), python: z.string() }),
    })
    .nullable(),
  current: strategy
    .extend({
      ...consequences,
      observed: z.object({
        pollsPerExecution: z.number().nullable(),
        delayMeanMs: ms.nullable(),
        delayP95Ms: ms.nullable().describe('Null if no end is known exactly'),
      }),
    })
    .nullable()
    .describe('What the runs polled by; null where nothing, or different things, are known'),
  runnerUp: strategy
    .extend({
      mayBeBetterBy: z
        .number()
        .nullable()
        .describe('Share of what `recommended` takes: the upper end of an interval of 95 %'),
      ties: z
        .boolean()
        .describe('Whether it may be better by a share that matters: 10 %, and up to 50 %'),
    })
    .nullable()
    .describe('The best of the other families'),
  simpler: strategy
    .extend({
      excess: z
        .number()
        .describe('Share by which it is worse than `recommended`, in what was to be least'),
    })
    .nullable()
    .describe(
      'If `recommended` is a long list: the best that takes a few numbers; null if none is ' +
        'nearly as good',
    ),
  retryAfter: strategy
    .extend({ medianMs: ms, answers: count })
    .nullable()
    .describe('What the target itself asked for while executions ran; null where it asked nothing'),
  front: z.array(strategy).describe('Pareto’s front by rising polls'),
  pushes: pushes.exactOptional().describe('Missing unless all runs listened for pushes'),
})

export type PollingDocument = z.infer<typeof pollingSchema>
export type PollingVerdict = PollingDocument['verdict']
export type Strategy = z.infer<typeof strategy>
export type Recommended = NonNullable<PollingDocument['recommended']>
export type Consequences = Pick<Recommended, keyof typeof consequences>
export type PushAdvice = z.infer<typeof pushes>
export type PollingGoal = z.infer<typeof goal>
export type Source = PollingDocument['source']
