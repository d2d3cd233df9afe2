/**
 * The lines of the journal (NDJSON): what every engine writes and everything else reads. Their
 * types are inferred from their shapes, and alone reach k6.
 */
import { ENGINES } from '../../base/options/engines.ts'
import { stopReason } from './reason.schema.ts'
import { z } from 'zod'
import { runNote } from './notes.ts'
import { crewPlace } from './crew-place.ts'
import { micros } from '../../base/micros.schema.ts'
import { HOOKS, PUSHED } from '../../crew/push.ts'
import { violation } from '../../crew/contract/violation.ts'
import { statusOrFailure, targetLoss } from '../../scenario/target-loss.ts'
import { planDocument } from '../../scenario/plan.schema.ts'
import { executionRecord } from './record.schema.ts'
import { columns, tokenUsage } from './shapes.schema.ts'

/** In a mix, the name of the part whose line it is. */
const ofPart = { part: z.string().exactOptional() }

export const simulatedNetwork = z
  .object({ name: z.string(), words: z.string() })
  .describe('What virtual time simulates: `words` say what it does; null for a real network')
export type SimulatedNetwork = z.infer<typeof simulatedNetwork>

/** First line of every instance. */
const runLine = z.object({
  type: z.literal('run'),
  ...ofPart,
  schema: z.literal('crewload/journal/1'),
  crewload: z.string(),
  runId: z.string(),
  scenario: z.string(),
  /** 0-based, of `instances`. */
  instance: z.int(),
  instances: z.int(),
  engine: z.enum(ENGINES),
  network: simulatedNetwork.nullable(),
  place: crewPlace,
  /**
   * Wall clock of this instance's zero, Unix milliseconds with fraction: used to align the clocks
   * of several instances.
   */
  anchorUnixMs: z.number(),
  /**
   * The error of `anchorUnixMs` against the wall clock by which the ledger's clock was mapped; 0 in
   * the process that did it.
   */
  anchorErrorMicros: micros,
  seed: z.number(),
  speed: z.number(),
  planHash: z.string(),
  plan: planDocument,
})
export type RunLine = z.infer<typeof runLine>

/** Written before the kickoff is sent: after a crash, this kickoff may have started. */
const startedLine = z.object({
  type: z.literal('started'),
  ...ofPart,
  index: z.int(),
  instance: z.int(),
  intendedMicros: micros,
  atMicros: micros,
})
export type StartedLine = z.infer<typeof startedLine>

const acceptedLine = z.object({
  type: z.literal('accepted'),
  ...ofPart,
  index: z.int(),
  instance: z.int(),
  kickoffId: z.string(),
  atMicros: micros,
  /** The complete record: after a crash, only polls are missing. */
  kickoff: columns,
})
export type AcceptedLine = z.infer<typeof acceptedLine>

const endedLine = z.object({ type: z.literal('ended'), record: executionRecord, ...ofPart })

/**
 * `crewload resume` continues what this instance left behind: for the executions named, an `ended`
 * line before this one no longer counts, nor does a `finished` line of the instance.
 */
const resumedLine = z.object({
  type: z.literal('resumed'),
  ...ofPart,
  instance: z.int(),
  /** Wall clock of the zero from which times count: the run line's. */
  anchorUnixMs: z.number(),
  /** The time of the resumption, on that clock. */
  atMicros: micros,
  /** The last time in the journal before the resumption. */
  cutMicros: micros,
  /** Indexes of the resumed executions, including those that never answered again. */
  indexes: z.array(z.int()),
  /** How many of them had waited for a person at their deadline; missing for none. */
  waiting: z.int().exactOptional(),
  /** The run receives pushes, from here on again; missing if it does not. */
  listens: z.literal(true).exactOptional(),
})
export type ResumedLine = z.infer<typeof resumedLine>

/** Whether the target still answered when everything had ended. */
const targetProbed = z.object({
  kind: z.literal('target-probed'),
  usable: z.boolean(),
  /** `GET /status/{id}` requests sent to find out; 0 if the last answer of the run was usable. */
  probes: z.int(),
  /** The answer to the last of them, or the last of the run. */
  last: statusOrFailure,
})
export type TargetProbed = z.infer<typeof targetProbed>

/**
 * Something observed outside any execution's record: a confirmation poll, a final state that one
 * contradicted, a clock step, a journal error.
 */
const incidentLine = z.object({
  type: z.literal('incident'),
  ...ofPart,
  instance: z.int(),
  atMicros: micros,
  /** The index of the execution concerned; null for none. */
  index: z.int().nullable(),
  incident: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('violation'), violation }),
    /** A confirmation poll, which no record holds, when its answer came. */
    z.object({
      kind: z.literal('confirmation'),
      /** The time from the first byte sent to the last byte of the answer. */
      serviceMicros: micros,
      answer: statusOrFailure,
    }),
    /**
     * With a budget of requests: this instance has sent at most this many until the next line of
     * this kind.
     */
    z.object({ kind: z.literal('requests-reserved'), total: z.int() }),
    /**
     * With a budget of time: this instance works no longer than this until the next line of this
     * kind.
     */
    z.object({ kind: z.literal('time-reserved'), untilMicros: micros }),
    /** No more kickoffs were sent. */
    z.object({ kind: z.literal('target-lost'), loss: targetLoss }),
    targetProbed,
    z.object({ kind: z.literal('clock-step'), stepMs: z.number() }),
    z.object({ kind: z.literal('journal-error'), message: z.string() }),
    /** The crew lists inputs that the scenario does not give. */
    z.object({ kind: z.literal('inputs-missing'), names: z.array(z.string()), more: z.int() }),
    /** The first kickoff was answered 422, with these names. */
    z.object({ kind: z.literal('inputs-refused'), names: z.array(z.string()) }),
    z.object({ kind: z.literal('note'), note: runNote }),
  ]),
})
export type IncidentLine = z.infer<typeof incidentLine>

/** The engine's own count, kept separately from the records so that a lost record is noticed. */
const engineCounters = z.object({
  arrivals: z.int(),
  /** Arrivals whose `ended` line was emitted. */
  ended: z.int(),
  /**
   * Integral of the number in flight (accepted, not yet ended) over time, in
   * execution-microseconds.
   */
  inFlightIntegralMicros: z.number(),
  /** Null if no counter sees all executions; the records are then used. */
  maxInFlight: z.int().nullable(),
  confirmations: z.int(),
})
export type EngineCounters = z.infer<typeof engineCounters>

/** What a host knows about its own health; null if it cannot know. */
const hostVitals = z.object({
  /**
   * Event-loop utilisation, one sample per second, 0 to 1: the highest value held for five seconds
   * in a row (null for a shorter run), and the mean.
   */
  utilisationSustained: z.number().nullable(),
  utilisationMean: z.number().nullable(),
  connectionsOpened: z.int().nullable(),
  clockSteps: z.int(),
  journalErrors: z.int(),
  /**
   * The highest sample of the process's resident set, bytes; also null if another instance in the
   * same process reports it.
   */
  peakMemoryBytes: z.int().nullable(),
})
export type HostVitals = z.infer<typeof hostVitals>

/** The last line of every instance; missing after a crash. */
const finishedLine = z.object({
  type: z.literal('finished'),
  ...ofPart,
  instance: z.int(),
  atMicros: micros,
  /** Null if it ran to its end. */
  stopped: z.enum(['drained', 'now']).nullable(),
  /** The reason given to `stop`; null if it ran to its end. */
  stopReason: stopReason.nullable(),
  engine: engineCounters,
  host: hostVitals,
})
export type FinishedLine = z.infer<typeof finishedLine>

export const PUSH_FAULTS = [
  'not-json',
  'unknown-shape',
  'unknown-path',
  'wrong-token',
  'wrong-signature',
  'too-large',
  'cut',
] as const
export type PushFault = (typeof PUSH_FAULTS)[number]

/**
 * What a push to a webhook of the run reported: a line for each event of a stream. Pushes may come
 * before the `accepted` line of their execution, and after the `finished` line.
 */
const pushLine = z.object({
  type: z.literal('push'),
  ...ofPart,
  instance: z.int(),
  /** When its last byte came. */
  atMicros: micros,
  /** By the path to which it was sent; null for another path. */
  hook: z.enum(HOOKS).nullable(),
  /** Null, as what follows, for one that was refused. */
  kickoffId: z.string().nullable(),
  /** Also null for an event of another type. */
  reports: z.enum(PUSHED).nullable(),
  /** Two of one execution with the same key report the same thing. */
  key: z.string().nullable(),
  /** The tokens that it reports. */
  usage: tokenUsage.exactOptional(),
  /** Why it was refused; missing if it was not. */
  fault: z.enum(PUSH_FAULTS).exactOptional(),
})
export type PushLine = z.infer<typeof pushLine>

export const journalLine = z.discriminatedUnion('type', [
  runLine,
  startedLine,
  acceptedLine,
  endedLine,
  resumedLine,
  incidentLine,
  finishedLine,
  pushLine,
])
export type JournalLine = z.infer<typeof journalLine>
