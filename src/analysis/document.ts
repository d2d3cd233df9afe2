/**
 * The document of one run, `result.json`: every number that any report shows stands here once.
 * Times in milliseconds unless the key says otherwise.
 */
import type { LedgerRow } from '../crew/ledger.ts'
import type { Dialect } from '../crew/wire.ts'
import type { ExecutionRecord, Outcome } from '../execution/record/record.ts'
import type { Reach } from './statistics/quantiles.ts'
import type { FaultResult, PushbackResult, RecoveryResult } from './disturbances.ts'

export interface ResultDocument {
  schema: 'crewload/result/2'
  crewload: string
  run: RunInfo
  /** Every default filled in; functions left out. */
  plan: unknown
  verdict: Verdict
  /** Kickoffs stopped because the target was dead, or refused us; null when they did not. */
  targetLoss: TargetLossResult | null
  /** Arrivals of the measured window; `outcomes` sums to it. */
  arrivals: number
  warmUpArrivals: number
  outcomes: Record<Outcome, number>
  /**
   * Why, where the outcome alone does not tell: counts by reason, largest first, at most 20 an
   * outcome and the rest as `other`.
   */
  reasons: Partial<Record<Outcome, { reason: string; count: number }[]>>
  /** By name of the metric grammar. */
  metrics: Record<string, Metric>
  thresholds: ThresholdResult[]
  contract: ContractResult
  checks: { name: string; passed: number; failed: number; threw: number; example: string | null }[]
  errors: { operation: 'kickoff' | 'status'; class: string; count: number; firstMs: number }[]
  generator: GeneratorResult
  /**
   * How busy the crew was; null where nobody can tell. `needed`: executions for an honest interval,
   * null where no number would do.
   */
  load: { workers: number; load: number; needed: number | null } | null
  /** Only against a fake crew. */
  ledger: LedgerResult | null
  distributions: Record<string, DistributionResult>
  breakdown: BreakdownBar[]
  series: Series
  /**
   * What the fake crew's faults did, the most touched first, at most 100; null where no crew tells.
   */
  faults: FaultResult[] | null
  /** By time, at most 12. */
  recoveries: RecoveryResult[]
  pushback: PushbackResult
  polling: PollingResult
  /** The slowest, the failed and three at random. */
  samples: SampleExecution[]
  /** Metrics of each tag value: `topic=ai` -> name -> metric. */
  tags: Record<string, Record<string, Metric>>
  findings: Finding[]
  /**
   * HDR V2 compressed base64 (`HISTFAAA...`), values in microseconds, by the name of the
   * distribution.
   */
  histograms: Record<string, string>
}

export interface RunInfo {
  id: string
  scenario: string
  description: string
  target: string
  /** `fake crew "default"`, or null. */
  profile: string | null
  engine: 'node' | 'virtual' | 'k6'
  /**
   * Of virtual time: what the simulated network does, `loopback: round trip median 1.00 ms, ...`;
   * null for a real network.
   */
  network: string | null
  dialect: Dialect | 'mixed' | null
  seed: number
  speed: number
  /** ISO 8601, UTC. */
  startedAt: string
  durationMs: number
  instances: number
  planHash: string
  stopped: 'drained' | 'now' | 'crashed' | null
  /** Why it was stopped: `interrupted`, or the threshold that could not be met any more. */
  stopReason: string | null
  /** What repeats the run, free of secrets; null where it was not started from the command line. */
  command: string | null
  node: string | null
}

export interface Verdict {
  /** `unreachable`: it never gave a usable answer, or locked us out. */
  outcome: 'passed' | 'failed' | 'invalid' | 'inconclusive' | 'unreachable'
  valid: boolean
  /** Findings of severity `problem` on a run that passed: it passed with them. */
  problems: number
  /** Why it is not `passed`: for people, each with its remedy. */
  reasons: Reason[]
  /** `Passed. 360 executions in 3 h; nobody waited longer than 241 s; 2.2 % failed.` */
  sentence: string
}

export interface TargetLossResult {
  /** `dead`: 5xx, or no answer at all. `refused`: 401 or 403, and nothing else. */
  state: 'dead' | 'refused'
  /** `kickoffs`: polls were still answered. */
  scope: 'everything' | 'kickoffs'
  /**
   * From the first bad answer in a row that no good one broke, to where kickoffs stopped; on the
   * run's clock.
   */
  sinceMs: number
  untilMs: number
  /**
   * Bad answers in that row, and the first and the last of them: a status code, or the class of the
   * failure.
   */
  requests: number
  first: string
  last: string
  /** That found it so. */
  instances: number
}

export interface Reason {
  /**
   * `lateness`, `utilisation`, `little`, `records-missing`, `journal-error`, `clock-step`,
   * `threshold:<metric>`, `too-few:<metric>`, `budget`, `target-dead`, `target-refused`, `crashed`,
   * `interrupted`, ...
   */
  code: string
  message: string
  remedy: string
}

/** A number that was measured or reckoned, with its uncertainty. */
export interface Quantity {
  /** Null when there is nothing to measure, or too few: then `needed` says how many it takes. */
  value: number | null
  unit: 'ms' | 'share' | 'count' | 'ratio' | 'perSecond' | 'flag'
  /** 95 % confidence interval; null where n does not allow one. */
  low: number | null
  high: number | null
  n: number
  /** Smallest n with a two-sided 95 % interval, for quantiles; null otherwise. */
  needed: number | null
}

/** A quantity of a run, which may be one that not everybody came to. */
export interface Metric extends Omit<Quantity, 'value' | 'low' | 'high'> {
  /** As in a quantity; `never` where it lies among those to whom it never came. */
  value: Reach
  low: Reach
  high: Reach
  /** Of the n: those to whom it never came. */
  never: number
  /**
   * Independent observations that would say as much as these n, which depend on each other; null
   * where there is no interval.
   */
  effective: number | null
}

export interface ThresholdResult {
  metric: string
  /** `< 500ms` as written. */
  text: string
  operator: '<' | '<=' | '>' | '>='
  /** In the metric's unit. */
  bound: number
  /** `undecided`: the bound lies inside the 95 % interval. */
  status: 'met' | 'missed' | 'undecided' | 'unmeasurable'
  /** `sample`: a statement about this run, which it decides. */
  judged: 'interval' | 'value' | 'sample'
  /** `default`: a promise that every run is held to unless its scenario says otherwise. */
  source: 'scenario' | 'default'
  measured: Metric
  /**
   * How many more observations would settle what is undecided, at the present rate; null where none
   * is known.
   */
  more: number | null
  /** The next step after a miss; null when met. */
  hint: string | null
}

export interface ContractResult {
  answersChecked: number
  violations: number
  /** Of documented rules alone: those may decide. */
  documentedViolations: number
  rules: {
    rule: string
    basis: 'documented' | 'assumed'
    /** Section of the interface document, or why we assume it. */
    source: string
    count: number
    example: { kickoffId: string | null; index: number; seen: string }
  }[]
}

export interface GeneratorResult {
  checks: GeneratorCheck[]
  /** Those that did not finish first, then the latest, at most 20 of `run.instances`. */
  instances: InstanceResult[]
  /**
   * The largest number that was surely in flight at once, over all instances; `inFlight.max` has
   * the upper bound where it is not exact.
   */
  maxInFlight: number
  requests: number
  connectionsOpened: number | null
  /** Share of requests that opened their connection. */
  handshakeShare: number | null
  utilisationMean: number | null
  peakMemoryBytes: number | null
  confirmations: number
}

/** What one instance did, and how it fared. Null is what its journal does not tell. */
export interface InstanceResult {
  /** From 0, of `run.instances`. */
  instance: number
  engine: RunInfo['engine'] | null
  /** After the one that began first. */
  beganMs: number | null
  /** Its journal has its last line. */
  finished: boolean
  /** Arrivals that came to their end in it, warm-up included. */
  ended: number
  maxInFlight: number | null
  latenessP99Ms: number | null
  /** Event-loop utilisation held for five seconds, 0 to 1. */
  utilisation: number | null
  peakMemoryBytes: number | null
}

export interface GeneratorCheck {
  name:
    | 'lateness'
    | 'utilisation'
    | 'little'
    | 'records'
    | 'journal'
    | 'clock'
    | 'scenario'
    | 'start'
    | 'admission'
  /** As people read it: `0.6 ms`. */
  measured: string
  bound: string
  ok: boolean
  /** Not measurable on this host. */
  skipped: boolean
  meaning: string
}

/** The client's account against the fake crew's. */
export interface LedgerResult {
  rows: number
  /**
   * How far the two clocks may disagree: half the least round trip, plus drift between the samples,
   * plus the largest error of an instance's anchor.
   */
  clockErrorMs: number
  agreed: number
  /** Each with its count and up to five examples by name. */
  disagreements: LedgerDisagreement[]
  /** The client's interval for the end, widened by the clock error, holds the ledger's end. */
  endIntervals: { checked: number; contained: number }
}

export interface LedgerDisagreement {
  /**
   * `lost`: accepted for the client, unknown to the ledger. `duplicate`: several ledger rows for
   * one arrival. `wrong-id`: the id that the client was told is not that of the arrival's row.
   * `not-found`: 404 for the client, though the ledger has it. `forgotten`: 404 for the client, but
   * only after the end that the ledger has, and no fault made it so: its result was not kept for
   * long. `never-ended`: the ledger has no end for what the client calls completed. `wrong-result`:
   * outcome or output differ. `unrecorded`: a ledger row that no record claims.
   */
  kind:
    | 'lost'
    | 'duplicate'
    | 'wrong-id'
    | 'not-found'
    | 'forgotten'
    | 'never-ended'
    | 'wrong-result'
    | 'unrecorded'
    | 'end-outside-interval'
  count: number
  examples: { index: number | null; kickoffId: string; detail: string }[]
}

export interface DistributionResult {
  title: string
  n: number
  /** Right-censored observations: still unfinished when the run ended. */
  censored: number
  /** Those to whom it never came. */
  never: number
  min: number | null
  mean: number | null
  max: number | null
  /** Rising q; ends where the sample ends, or where those begin to whom it never came. */
  quantiles: { q: number; value: number; low: number | null; high: Reach }[]
  /**
   * Each that ended, rising, to three digits; of fewer than 20 samples, for these few say more than
   * a quantile.
   */
  values?: number[]
  /** Log-spaced, for a histogram. */
  buckets: { from: number; to: number; count: number }[]
  /** Samples outside 1 us to 24 h, clamped. */
  clamped: number
}

/** Where the time went for executions near a quantile of end to end. */
export interface BreakdownBar {
  /** `p50`, `p95`. */
  at: string
  totalMs: number
  /**
   * In order: kickoff, queue (if told), each task or `running`, detection. `source` says how it is
   * known.
   */
  parts: { name: string; ms: number; source: 'measured' | 'ledger' | 'reported' }[]
}

/** Columns of equal length over time. */
export interface Series {
  intervalMs: number
  offered: number[]
  accepted: number[]
  ended: number[]
  /** At the end of each interval. */
  inFlight: number[]
  statusPerSecond: number[]
  /** End to end by the interval in which it ended; null where none. */
  executionP50Ms: (number | null)[]
  executionP95Ms: (number | null)[]
  kickoffP95Ms: (number | null)[]
  /** Heat map: `counts[interval][bucket]`, bucket edges rising, in milliseconds. */
  heat: { edgesMs: number[]; counts: number[][] }
  errors: Record<string, number[]>
  /**
   * Warm-up, and when kickoffs or polls were refused by a limit: shaded, with their name. Faults
   * stand in `faults`.
   */
  bands: { fromMs: number; toMs: number; name: string }[]
}

export interface PollingResult {
  perExecution: number | null
  wastedPerExecution: number | null
  wastedShare: number | null
  /** A sample of at most 500 executions: how long they took and how many polls they cost. */
  points: { executionMs: number; polls: number }[]
  /**
   * `ledger` (true), or `interval` (an upper bound: last not-done poll sent to first done
   * received).
   */
  detectionSource: 'ledger' | 'interval'
  /** One sentence with its arithmetic. */
  advice: string | null
}

export interface SampleExecution {
  why: 'slowest' | 'failed' | 'random'
  record: ExecutionRecord
  ledger: LedgerRow | null
  /** The ledger's end on the run's clock, microseconds; null when unknown. */
  trueEndMicros: number | null
}

export interface Finding {
  severity: 'info' | 'warning' | 'problem'
  /** Names its remedy. */
  message: string
}
