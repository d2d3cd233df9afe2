/**
 * The document of one run, `result.json`: every number that any report shows stands here once.
 * Times in milliseconds unless the key says otherwise. The types are inferred from the shapes.
 */
import { ENGINES } from '../base/options/engines.ts'
import { PUSH_FAULTS, simulatedNetwork } from '../execution/record/journal-lines.ts'
import { crewPlace } from '../execution/record/crew-place.ts'
import { answerCode, endReason, stopReason } from '../execution/record/reason.schema.ts'
import { z } from 'zod'
import { ledgerRow } from '../crew/ledger.ts'
import { executionRecord } from '../execution/record/record.schema.ts'
import { dialect, outcome } from '../execution/record/shapes.schema.ts'
import { planDocument } from '../scenario/plan.schema.ts'
import { fault, pushback, recovery, stall } from './disturbances.schema.ts'
import { findingSchema, reasonSchema } from './sentence-tables.ts'
import { FINDINGS } from './sentences/findings.ts'
import { REASONS } from './sentences/reasons.ts'
import {
  count,
  disagreement,
  generatorCheck,
  metric,
  ms,
  reach,
  sharedWaits,
  targetLoss,
  threshold,
} from './document-parts.schema.ts'
import { COST_PARTS, TOKEN_KINDS } from './counting/tallies/usage.ts'
import { MEASURED_OPERATIONS } from '../crew/answer.ts'

export { generatorCheck, quantity } from './document-parts.schema.ts'
export type {
  Doubt,
  GeneratorCheck,
  LedgerDisagreement,
  Metric,
  Quantity,
  TargetLossResult,
  ThresholdResult,
  Yardstick,
} from './document-parts.schema.ts'

const msOrNull = ms.nullable()

export const runInfo = z.object({
  id: z.string(),
  scenario: z.string(),
  place: crewPlace,
  engine: z.enum(ENGINES),
  network: simulatedNetwork.nullable(),
  dialect,
  seed: z.number(),
  speed: z.number(),
  /** ISO 8601, UTC. */
  startedAt: z.iso.datetime(),
  durationMs: ms,
  instances: count,
  planHash: z.string(),
  stopped: z.enum(['drained', 'now', 'crashed']).nullable(),
  stopReason: stopReason.nullable(),
  /** What repeats the run, free of secrets; null where it was not started from the command line. */
  command: z.string().nullable(),
  node: z.string().nullable(),
  /** What `--set` changed of the scenario, without headers and inputs; absent if nothing. */
  set: z.record(z.string(), z.string()).exactOptional(),
  /** The proxy on the way to the target, without credentials; absent if there was none. */
  proxy: z.string().exactOptional(),
  spent: z
    .object({ kickoffs: count, costPerKickoff: z.number() })
    .exactOptional()
    .describe(
      'Kickoffs that started an execution or may have, warm-up included, and the price of each; ' +
        'absent without a price',
    ),
  machine: z
    .string()
    .nullable()
    .describe(
      'What the requests came from, `linux x64, 4 cores, AMD EPYC 7763`; null in virtual time, ' +
        'and if unknown',
    ),
})
export type RunInfo = z.infer<typeof runInfo>

export const verdict = z.object({
  /** `unreachable`: it never gave a usable answer, or locked us out. */
  outcome: z.enum(['passed', 'failed', 'invalid', 'inconclusive', 'unreachable']),
  valid: z.boolean(),
  /** Findings of severity `problem` on a run that passed: it passed with them. */
  problems: count,
  /** Why it is not `passed`: for people, each with its remedy. */
  reasons: z.array(reasonSchema(REASONS)),
})
export type Verdict = z.infer<typeof verdict>

const metrics = z.record(z.string(), metric)

const contract = z.object({
  answersChecked: count,
  /** Those that were broken, with their counts. */
  rules: z.array(
    z.object({
      rule: z.string(),
      basis: z.enum(['documented', 'assumed']),
      /** Section of the interface document, or why we assume it. */
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
export type ContractResult = z.infer<typeof contract>

const check = z.object({
  name: z.string(),
  passed: count,
  failed: count,
  threw: count,
  example: z.string().nullable(),
})

const error = z.object({
  operation: z.enum(MEASURED_OPERATIONS),
  answer: answerCode,
  count,
  firstMs: ms,
})

/** The part of one instance in the run. A member is null if its journal does not say it. */
const instance = z.object({
  /** Number of the instance, counted from 0, among `run.instances`. */
  instance: count,
  engine: runInfo.shape.engine.nullable(),
  /** The time by which it began later than the first instance. */
  beganMs: msOrNull,
  /** Whether the last line of its journal was written. */
  finished: z.boolean(),
  /** Arrivals that came to their end in it, warm-up included. */
  ended: count,
  maxInFlight: count.nullable(),
  latenessP99Ms: msOrNull,
  /** Event-loop utilisation held for five seconds, 0 to 1. */
  utilisation: z.number().nullable(),
  peakMemoryBytes: count.nullable(),
})
export type InstanceResult = z.infer<typeof instance>

const generator = z.object({
  checks: z.array(generatorCheck),
  /** At most 20 of `run.instances`: those that did not finish first, then the latest. */
  instances: z.array(instance),
  requests: count,
  connectionsOpened: count.nullable(),
  utilisationMean: z.number().nullable(),
  peakMemoryBytes: count.nullable(),
  confirmations: count,
})
export type GeneratorResult = z.infer<typeof generator>

/** The client's account against the fake crew's. */
const ledger = z.object({
  rows: count,
  /**
   * The most by which the two clocks may disagree: half the least round trip, plus drift between
   * the samples, plus the largest error of an instance's anchor.
   */
  clockErrorMs: ms,
  agreed: count,
  /** Each with its count and up to five examples by name. */
  disagreements: z.array(disagreement),
  /** The client's interval for the end, widened by the clock error, holds the ledger's end. */
  endIntervals: z.object({ checked: count, contained: count }),
  /**
   * Executions of the measured window that a worker started, and those that it started after their
   * client had given up.
   */
  starts: z.object({ started: count, givenUp: count }),
})
export type LedgerResult = z.infer<typeof ledger>

const distribution = z.object({
  n: count,
  /** Right-censored observations: still unfinished when the run ended. */
  censored: count,
  /** The number of observations that never had the event. */
  never: count,
  min: msOrNull,
  mean: msOrNull,
  max: msOrNull,
  /** Rising q; ends where the sample ends, or where the observations without an event begin. */
  quantiles: z.array(z.object({ q: z.number(), value: ms, low: msOrNull, high: reach })),
  /**
   * Each that ended, rising, to three digits; of fewer than 20 samples, for these few say more than
   * a quantile.
   */
  values: z.array(ms).exactOptional(),
  /** Log-spaced, for a histogram. */
  buckets: z.array(z.object({ from: ms, to: ms, count })),
  /** Samples over 24 h, counted as 24 h. */
  clamped: count,
})
export type DistributionResult = z.infer<typeof distribution>

/** One bar: where the time went for executions near a quantile of end to end. */
const breakdownBar = z.object({
  /** `p50`, `p95`. */
  at: z.string(),
  totalMs: ms,
  /**
   * The parts in their order; `waiting` is waiting and detection, which nothing can separate.
   * `source` says how it is known.
   */
  parts: z.array(
    z.object({
      part: z.enum([
        'kickoff',
        'queue',
        'quota',
        'slowed',
        'task',
        'between',
        'running',
        'detection',
        'waiting',
      ]),
      /** The id of a task. */
      task: z.string().exactOptional(),
      ms,
      source: z.enum(['measured', 'ledger', 'reported']),
    }),
  ),
})
export type BreakdownBar = z.infer<typeof breakdownBar>

const span = { fromMs: ms, toMs: ms }

/** Columns of equal length over time. */
const series = z.object({
  intervalMs: ms,
  offered: z.array(count),
  accepted: z.array(count),
  ended: z.array(count),
  completed: z.array(count),
  unserved: z.array(count).describe('Never accepted, or given up by their client'),
  /** The number in flight at the end of each interval. */
  inFlight: z.array(count),
  statusPerSecond: z.array(z.number()),
  /** End to end by the interval in which it ended; null where none. */
  executionP50Ms: z.array(msOrNull),
  executionP95Ms: z.array(msOrNull),
  kickoffP95Ms: z.array(msOrNull),
  /** Heat map: `counts[interval][bucket]`, bucket edges rising, in milliseconds. */
  heat: z.object({ edgesMs: z.array(ms), counts: z.array(z.array(count)) }),
  errors: z.record(z.string(), z.array(count)),
  /** Spans of time that a picture shades. Faults stand in `faults`. */
  bands: z.array(
    z.discriminatedUnion('code', [
      z.object({ ...span, code: z.enum(['warm-up', 'no-more-arrivals']) }),
      z.object({
        ...span,
        code: z.literal('refused'),
        operation: z.enum(['kickoff', 'status']),
        status: z.literal([429, 529]),
      }),
    ]),
  ),
})
export type Series = z.infer<typeof series>

/** The best constant interval, or why this run is no guide to one. */
const pollingAdvice = z.discriminatedUnion('code', [
  z.object({
    code: z.literal('interval'),
    /** The waiting that a poll is supposed to cost. */
    pollCostsMs: ms,
    /** The mean time to the end, without the delay until a poll saw it. */
    executionMs: ms,
    /** The root of 2 x pollCostsMs x executionMs. */
    bestMs: ms,
    /** What is so today: polls of an execution, and their mean delay. */
    polls: z.number(),
    delayMs: ms,
  }),
  z.object({ code: z.literal('overloaded') }).describe('`load` says by how much'),
  z
    .object({ code: z.literal('waits'), share: z.number(), for: z.enum(['worker', 'shared']) })
    .describe('Most of their time they wait: for a worker, or for that or what they share'),
  z.object({ code: z.literal('unserved'), count, of: count }),
  z
    .object({ code: z.literal('growing'), factor: z.number() })
    .describe('How much longer executions of the second half take than in the first half'),
])
export type PollingAdvice = z.infer<typeof pollingAdvice>

/** What pushes reported beside polls, in the measured window. */
const pushes = z.object({
  /** Everything that was reported: each event of a stream counts. */
  received: count,
  /** Executions that polls saw end; of these, those of which no push did, or one too early. */
  ends: count,
  missed: count,
  early: count,
  /** Ends that are not judged: they came while nobody listened, after a cut; missing for none. */
  unheard: count.exactOptional(),
  /** Reports of what an earlier push had reported. */
  repeated: count,
  /** Reports that came before the answer to the kickoff. */
  beforeAnswer: count,
  /** Pushes that were refused, by the reason; `unknown-id`: no execution of the run has it. */
  refused: z.partialRecord(z.enum([...PUSH_FAULTS, 'unknown-id']), count),
  /** What the crew sent by its ledger, and lost on the way; null without a ledger. */
  ledger: z.object({ sent: count, lost: count }).nullable(),
})
export type PushesResult = z.infer<typeof pushes>

/** What became of questions to people. */
const questions = {
  questions: count,
  /** The run answered yes, or no, and the crew accepted that. */
  yes: count,
  no: count,
  /** The question went without an answer of the run. */
  gone: count,
  /** It was still open when the execution was no longer followed. */
  waiting: count,
}

/** People whom the crew asked, in the measured window, as polls saw it. */
const people = z.object({
  /** Executions that asked somebody. */
  executions: count,
  ...questions,
  /** Answers of the run that the crew did not accept, by status code or class of failure. */
  refused: z.record(z.string(), count),
  /** The same of these executions by the crew's ledger; null without one. */
  ledger: z.object(questions).nullable(),
})
export type PeopleResult = z.infer<typeof people>

const tokenSum = count.nullable()
const tokenSums = z
  .object({ input: tokenSum, output: tokenSum, cached: tokenSum, total: tokenSum })
  .describe('Of those that report them; null if none does')

/** What the executions of the whole run used, warm-up included. */
const usage = z.object({
  /** Of `prices` in the scenario. */
  currency: z.string().nullable(),
  /** Those that the crew names. */
  models: z.array(z.string()),
  parts: z.array(
    z.object({
      part: z.enum(COST_PARTS).describe('An execution may be of several; `total`: all'),
      /** Accepted, or without a usable answer to the kickoff. */
      executions: count,
      reported: count.describe('Those that report tokens; of the others nothing is known'),
      priced: count.describe('Those whose cost is known'),
      cost: z.number().nullable().describe('Of those; null if of none'),
      costAtLeast: z
        .number()
        .exactOptional()
        .describe('Of all of them, by what is known; absent if `cost` is that, or nothing is'),
      tokens: tokenSums,
      atLeast: z
        .array(z.enum(TOKEN_KINDS))
        .exactOptional()
        .describe('The tokens that some of them do not report, or not to their end'),
    }),
  ),
  ledger: z
    .object({ executions: count, tokens: tokenSums })
    .nullable()
    .describe('What the executions used by the ledger of a fake crew; null if it does not say'),
})

const polling = z.object({
  /** A sample of at most 500 executions: how long they took and how many polls they cost. */
  points: z.array(z.object({ executionMs: ms, polls: count })),
  /**
   * `ledger` (true), or `interval` (an upper bound: last not-done poll sent to first done
   * received).
   */
  detectionSource: z.enum(['ledger', 'interval']),
  advice: pollingAdvice.nullable(),
})
export type PollingResult = z.infer<typeof polling>

const sample = z.object({
  why: z.enum(['slowest', 'failed', 'random']),
  record: executionRecord,
  ledger: ledgerRow.omit({ kickoff: true }).nullable(),
  /** The ledger's end on the run's clock, microseconds; null when unknown. */
  trueEndMicros: z.number().nullable(),
})
export type SampleExecution = z.infer<typeof sample>

const reasonCount = z.object({ reason: endReason.nullable(), count })
export type EndReasonCount = z.infer<typeof reasonCount>

export const resultDocument = z.object({
  schema: z.literal('crewload/result/1'),
  crewload: z.string(),
  run: runInfo,
  plan: planDocument,
  verdict,
  /** Kickoffs stopped because the target was dead, or refused us; null when they did not. */
  targetLoss: targetLoss.nullable(),
  /** Arrivals of the measured window; `outcomes` sums to it. */
  arrivals: count,
  warmUpArrivals: count,
  outcomes: z.record(outcome, count),
  /**
   * The reasons for outcomes that need one: counts by reason, largest first, at most 20 per outcome
   * and the rest under null.
   */
  reasons: z.partialRecord(outcome, z.array(reasonCount)),
  /** Keyed by the names of the metric grammar. */
  metrics,
  thresholds: z.array(threshold),
  contract,
  checks: z.array(check),
  errors: z.array(error),
  generator,
  /**
   * How busy the crew was; null if that is unknown. `needed`: executions for an honest interval,
   * null if no number would be enough, 0 also where only the waits of others grow.
   */
  load: z.object({ workers: count, load: z.number(), needed: count.nullable() }).nullable(),
  /**
   * The work that arrives by the times that the crew reports: their mean over a sample of at most
   * 500 executions, and how many are at work at once on average. Absent if it reports none, or no
   * schedule sets the rate.
   */
  reportedLoad: z.object({ executions: count, meanMs: ms, atOnce: z.number() }).exactOptional(),
  /** The comparison with the ledger of a fake crew; null against any other target. */
  ledger: ledger.nullable(),
  distributions: z.record(z.string(), distribution),
  breakdown: z.array(breakdownBar),
  series,
  /**
   * The effects of the fake crew's faults, those with most changed answers first, at most 100; null
   * if there is no fake crew.
   */
  faults: z.array(fault).nullable(),
  /** In order of time, at most 12. */
  recoveries: z.array(recovery),
  /**
   * By how much executions delayed each other through what they share beside workers, by the ledger
   * of a fake crew; absent if they share nothing else, or none completed.
   */
  sharedWaits: sharedWaits.exactOptional(),
  /** Absent if executions completed to the end. */
  stall: stall.exactOptional(),
  pushback,
  polling,
  /** Absent if nobody was seen to be asked. */
  people: people.exactOptional(),
  /** Absent if the run listened for no pushes. */
  pushes: pushes.exactOptional(),
  /** Absent if no execution reports tokens, and no ledger has any. */
  usage: usage.exactOptional(),
  /** The slowest, the failed and three at random. */
  samples: z.array(sample),
  /** Metrics of each tag value: `topic=ai` -> name -> metric. */
  tags: z.record(z.string(), metrics),
  findings: z.array(findingSchema(FINDINGS)),
  /**
   * HDR V2 compressed base64 (`HISTFAAA...`), values in microseconds, by the name of the
   * distribution.
   */
  histograms: z.record(z.string(), z.string()),
})
export type ResultDocument = z.infer<typeof resultDocument>

/** A reason of a run as others keep it: its facts change with the version. */
export const keptReason = z
  .looseObject({
    code: z.string(),
    message: z.string(),
    remedy: z.string().describe('Empty if there is nothing to do'),
  })
  .describe('With the facts of its code')

/** What is read of a result that was stored, and all that a baseline keeps of it. */
export const keptResult = resultDocument
  .pick({
    schema: true,
    crewload: true,
    run: true,
    plan: true,
    arrivals: true,
    metrics: true,
    distributions: true,
    tags: true,
  })
  .extend({
    verdict: verdict.extend({ reasons: z.array(keptReason) }),
  })
export type KeptResult = z.infer<typeof keptResult>
