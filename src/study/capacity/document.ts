/**
 * The document of a search for capacity, `capacity.json`: how many kickoffs per hour a crew can
 * take before a promise to its users breaks. Rates and times are as measured; times are in
 * milliseconds.
 */
import { crewPlace } from '../../execution/record/crew-place.ts'
import { ENGINES } from '../../base/options/engines.ts'
import { z } from 'zod'
import { saidSchema } from '../../result/sentence-tables.ts'
import { envelope, verdictOf, count, ms, PLACE } from '../frame/envelope.ts'
import { FINDINGS } from './sentences/findings.ts'
import { REASONS, limitKind, partName, perHour } from './sentences/reasons.ts'
import { BREAKS } from './sentences/breaks.ts'

const plan = z.object({
  ...PLACE,
  place: PLACE.place.nullable().describe('Null if nothing is sent'),
  engine: z.enum([...ENGINES, 'none']).describe('`none`: nothing is sent'),
  from: z.array(z.string()).describe('Run folders that count as evidence'),
  scenario: z.string(),
  seed: z.number(),
  speed: z.number(),
  slo: z.array(z.string()).describe('The promises, divided by the speed'),
  within: z.number().describe('Half-width of the requested interval, as a share'),
  expectedPerHour: perHour.nullable().describe('The required rate; null if none was given'),
  maxInFlight: count.describe('The most executions at once'),
  deadlineMs: ms,
  budget: z.object({ requests: count.nullable(), kickoffs: count }),
  maxDurationMs: ms.nullable(),
  cost: z.number().nullable().describe('Of the whole budget of kickoffs'),
})

const ranged = z.object({
  value: z.number(),
  low: z.number().describe('Of the 98 % interval'),
  high: z.number(),
})

const rate = z.object({ perHour, low: perHour.describe('Of the 98 % interval'), high: perHour })

const quantiles = z.object({ n: count, mean: ms, p50: ms, p95: ms })

const byShare = z.object({
  share: z.number().describe('Share of the executions that took no longer'),
  full: ms,
  idle: ms,
})

const rung = z.object({
  clients: count.describe('Each starts its next execution when the previous one has ended'),
  executions: count,
  perHour: perHour.describe('Executions that ended per hour, from the first start to the last'),
  running: z.number().describe('The most that ran at once'),
  waited: count.describe('Executions that waited for a worker'),
  stay: quantiles.nullable().describe('From acceptance to the end'),
  littleResidual: z
    .number()
    .nullable()
    .describe(
      'Little’s law over the rung: the relative difference between the clients and what the ' +
        'executions’ times account for',
    ),
  failed: count,
  refused: count.describe('Attempts that were refused, or answered with 503'),
  kickoffMs: ms.nullable().describe('Mean time until a kickoff is accepted'),
  pollMs: ms.nullable().describe('Median time of a poll'),
})

const recorded = z.object({
  run: z.string().describe('The folder of the run'),
  place: crewPlace.nullable().describe('Null if its journal does not say it'),
  executions: count.describe(
    'Executions that count: up to the first whose end the run did not see',
  ),
  perHour: perHour.nullable().describe('Mean rate of its arrivals; null for closed clients'),
  running: count.describe('The most that ran at once'),
  waited: count.describe('Executions that waited for a worker'),
  truth: z.enum(['ledger', 'reported', 'polls']),
})

const part = z.object({
  name: partName,
  observed: ms,
  predicted: ms,
  low: ms.describe('No replay lies outside; neither do 99.8 % of a normal distribution'),
  high: ms,
  agrees: z.boolean(),
})

const wait = z.object({ share: z.number(), observed: ms, predicted: ms, low: ms, high: ms })

const probe = z.object({
  perHour,
  executions: count,
  load: z.number().nullable().describe('Rate times mean service time over slots'),
  judgement: z
    .enum(['held', 'broken', 'unsure'])
    .describe('By intervals of 98 %: every promise held, or one was broken'),
})

export const capacitySchema = z.object({
  ...envelope('capacity', 1, FINDINGS),
  verdict: verdictOf(
    ['answered', 'below', 'fails', 'unlimited', 'refused', 'unresolved', 'unconfirmed'],
    REASONS,
  ).describe(
    '`below`: less than expected. `fails`: broken by an execution that is alone. ' +
      '`unlimited`: no limit was reached. `refused`: the crew does not behave as its model. ' +
      '`unconfirmed`: by past runs alone, whose arrivals cannot confirm the model',
  ),
  plan,
  capacity: rate
    .extend({
      resolved: z.boolean().describe('The interval is as narrow as requested, and confirmed'),
    })
    .nullable(),
  atLeast: perHour.nullable().describe('Without a capacity: a rate that the crew surely held'),
  atMost: perHour.nullable().describe('Without a capacity: a rate that it surely does not hold'),
  inFlight: ranged.nullable().describe('Mean number of executions in the crew at that rate'),
  binding: z
    .object({ metric: z.string().nullable(), why: saidSchema(BREAKS).nullable() })
    .nullable()
    .describe(
      'The promise that breaks first; without a metric, the backlog grows without end. `why` is ' +
        'null if the loads do not show it',
    ),
  saturation: rate.nullable().describe('From this rate on the backlog grows without end'),
  limit: z
    .object({
      kind: limitKind,
      slowdown: ranged.describe(
        'How many times as long executions take in a full crew as nearly alone',
      ),
      tasks: z
        .array(z.object({ task: z.string(), slowdown: z.number() }))
        .describe('Tasks that surely take longer in a full crew, the worst first'),
      unseenAbovePerHour: perHour
        .nullable()
        .describe('A quota above this rate, with a burst of a minute, would not have shown'),
    })
    .nullable()
    .describe('What limits the crew; null if the loads do not show it'),
  sharedPerHour: ranged
    .nullable()
    .describe('Kickoffs per hour that what is shared allows, with any number of workers'),
  oneMoreWorker: z
    .object({
      low: perHour,
      high: perHour,
      gain: z.number().describe('The most that it brings, as a share of the capacity'),
    })
    .nullable()
    .describe('The capacity with one more worker; null where the loads do not tell'),
  scaling: z
    .object({
      from: count.describe('Executions at work at first while others waited'),
      to: count.describe('The highest number at work; the capacity is of a crew with so many'),
      stands: z.boolean().describe('False if the number still grew when the search ended'),
      tookMs: ms.describe('How long executions waited for it to grow, over all loads'),
      coldStart: z
        .object({
          caughtUpMs: ms.describe('Until all workers are there and nobody waits (median)'),
          p95Ms: ms.describe('Of executions that come until then, from kickoff until known'),
          broken: z
            .object({
              promise: z.string(),
              share: z.number().describe('Of these executions: those that take longer'),
            })
            .nullable()
            .describe('Null if no quantile was promised'),
        })
        .nullable()
        .describe('As simulated: a load at the capacity that starts on the first workers'),
    })
    .nullable()
    .describe('Null if the number of workers was not seen to grow'),
  model: z
    .object({
      slots: ranged,
      queueLimit: count.nullable(),
      service: z.array(
        z.object({
          task: z.string().nullable().describe('Null for the whole execution'),
          full: quantiles.describe('While every worker is busy'),
          idle: quantiles.nullable().describe('While at most half of them are'),
        }),
      ),
      serviceByShare: z
        .array(byShare)
        .describe('Whole executions; empty if none ran in a half-empty crew'),
      cv: z.number().describe('Coefficient of variation of the service times'),
      neverShare: z.number(),
      truth: z.enum(['ledger', 'reported', 'polls', 'mixed']),
      accepted: z.boolean(),
    })
    .nullable(),
  ladder: z.array(rung),
  recorded: z.array(recorded).describe('The past runs that count as evidence'),
  confirmation: z
    .object({
      run: z
        .string()
        .nullable()
        .describe('The past run whose arrivals were replayed; null for arrivals that were sent'),
      perHour,
      executions: count,
      load: z.number().describe('Arrival rate times mean service time over slots'),
      parts: z.array(part),
      waits: z.array(wait),
    })
    .nullable(),
  probes: z
    .array(probe)
    .describe('Open arrivals at other rates, for a crew that no simulation describes'),
  curve: z
    .array(z.object({ perHour, value: ms.nullable(), low: ms.nullable(), high: ms.nullable() }))
    .describe('The quantile of the first promise by rate, as simulated; null for never'),
  curveOf: z
    .object({ metric: z.string(), boundMs: ms })
    .nullable()
    .describe('Null if no quantile was promised'),
})

export type CapacityDocument = z.infer<typeof capacitySchema>
export type CapacityPlan = z.infer<typeof plan>
export type CapacityVerdict = CapacityDocument['verdict']
export type CapacityReason = CapacityVerdict['reasons'][number]
export type Quantiles = z.infer<typeof quantiles>
export type ValueRange = z.infer<typeof ranged>
export type RateRange = z.infer<typeof rate>
/** One quantity in which crew and simulation can differ. */
export type ConfirmedPart = z.infer<typeof part>
export type ConfirmedWait = z.infer<typeof wait>
export type RateProbe = z.infer<typeof probe>
