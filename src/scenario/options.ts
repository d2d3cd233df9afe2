/**
 * The options of a scenario, section by section: arrivals, polling, retries, connections, bounds.
 */
import type { Duration } from '../base/units.ts'
import type { ProcessOption } from './arrivals/processes.ts'
import type { Jitter } from './backoff.ts'
import type { PollingOption } from './polling/index.ts'

/**
 * Events per time: `'2/s'`, `'0.5/s'`, `'40/h'`, `'90/5m'`. Exact at any fraction; `'0/s'` means no
 * events.
 */
export type RateText = string
/** A share of a whole, from 0 to 1: `0.05` or `'5%'`. */
export type Share = number | string
/** A size in bytes: `4096`, `'4kB'`, `'1MiB'`. */
export type Size = number | string

export interface ArrivalOptions {
  /** Arrivals before this time run but do not count; from the start of the run. Default: `'0'`. */
  warmUp?: Duration
}

export interface OpenArrivalOptions extends ArrivalOptions {
  /**
   * How arrivals are distributed around the rate; docs/reference.md lists the processes. Default:
   * `'uniform'`, evenly spaced with the first one immediately, which is the easiest to repeat and
   * to read.
   */
  process?: ProcessOption
}

export type Arrivals =
  | ConstantArrivals
  | RampArrivals
  | StepArrivals
  | SpikeArrivals
  | ClosedArrivals
  | BacklogArrivals
  | ReplayArrivals

/** One rate for some time; a soak test uses a long time. */
export interface ConstantArrivals extends OpenArrivalOptions {
  /** The mean number of kickoffs per time. */
  rate: RateText
  /**
   * How long kickoffs are sent, 1 ms to 30 d, from the start of the run; executions in flight then
   * still continue to their end.
   */
  for: Duration
}

/** A rate that changes linearly from one value to another. */
export interface RampArrivals extends OpenArrivalOptions {
  ramp: { from: RateText; to: RateText }
  /** The duration of the ramp, 1 ms to 30 d. */
  for: Duration
}

/** One rate after another, each for its own time; 1 to 1,000 steps. */
export interface StepArrivals extends OpenArrivalOptions {
  steps: readonly { rate: RateText; for: Duration }[]
}

/** A base load with one sudden peak. */
export interface SpikeArrivals extends OpenArrivalOptions {
  /**
   * `base` for the time `after`, then `peak` for the time `for`, then `base` again until the end.
   */
  spike: { base: RateText; peak: RateText; after: Duration; for: Duration }
  /** The total duration, including the spike, 1 ms to 30 d. */
  for: Duration
}

/**
 * A fixed number of virtual clients: each starts an execution, waits for its end, pauses for its
 * think time, and starts the next. One of `for` and `iterations` is required; with both, the first
 * to be reached ends it. Here a slow crew slows its own load down: to see what users experience,
 * prefer a rate.
 */
export interface ClosedArrivals extends ArrivalOptions {
  /** The number of clients, 1 to 100,000. */
  clients: number
  /**
   * How long new executions are started, from the start of the run. Default: `'24h'` when
   * `iterations` is given.
   */
  for?: Duration
  /** The total number of executions of all clients; 1 or more. Default: no limit. */
  iterations?: number
  /**
   * The time from the end of an execution to the next kickoff of the same client. Default: `'0'`.
   */
  think?: ThinkTime
  /** The clients start evenly over this time. Default: `'0'`, all at once. */
  rampUp?: Duration
}

/**
 * A backlog that never falls: an execution is started whenever fewer are open or queued. The same
 * as that many clients without think time.
 */
export interface BacklogArrivals extends Pick<ClosedArrivals, 'for' | 'iterations' | 'warmUp'> {
  /** The number of executions that are open or queued at any time, 1 to 100,000. */
  backlog: number
}

/** Recorded arrivals: those of an earlier run, or of a CSV file, JSON lines or an access log. */
export interface ReplayArrivals extends ArrivalOptions {
  /**
   * A run folder or the `executions.ndjson` in it, or a recording (`.gz` too), relative to the
   * scenario file's folder.
   */
  replay: string
  /**
   * Default: by the ending, `.csv`, `.jsonl` (JSON lines) or `.log` (access log, common or
   * combined); everything else is a journal, of an earlier run.
   */
  format?: RecordingFormat
  /**
   * The column of the time: ISO 8601, seconds or milliseconds since 1970, or an offset, as a
   * duration or in seconds. Lines are put in order of time. Default: `'time'`. The columns of an
   * access log are time, address, method, path, status, also as `'log.NAME'`, and the parameters of
   * the query, also as `'query.NAME'`.
   */
  time?: string
  /**
   * The inputs of each arrival, by name: their columns. They are added to `inputs`, which a JSON
   * file may then leave out.
   */
  inputs?: Readonly<Record<string, string>>
  /**
   * What the columns of an arrival hold; other lines are none. Default: every line, and of an
   * access log `{ method: 'POST', path: '/kickoff' }`.
   */
  where?: Readonly<Record<string, string>>
  /** By what gaps are divided, 0.001 to 1,000. Default: 1. */
  speed?: number
  /**
   * How many arrivals each recorded one becomes on average, 0.001 to 1,000: below 1 some are left
   * out, above 1 they are repeated. Default: 1.
   */
  scale?: number
  /** Longer gaps of the recording are shortened to this. Default: gaps stay as they are. */
  maxGap?: Duration
}

export type RecordingFormat = 'journal' | 'csv' | 'json-lines' | 'access-log'

/** A constant, or a distribution from which every think time is drawn. */
export type ThinkTime =
  | Duration
  | { uniform: { min: Duration; max: Duration } }
  | { exponential: { mean: Duration } }
  | { lognormal: { median: Duration; p95: Duration; cap?: Duration } }

export interface Admission {
  /**
   * The maximum number of executions sent and not yet ended; an integer from 1. Default: no limit.
   */
  maxInFlight?: number
  /**
   * `'queue'`: an arrival waits, and its wait counts in response time; the default. `'drop'`: its
   * outcome is `dropped`.
   */
  whenFull?: 'queue' | 'drop'
  /**
   * The share of the arrivals that may be dropped (no place in flight, inputs that threw) before
   * the run is INVALID: the load was then not the requested one. Default: 1 %.
   */
  maxDropped?: Share
}

/**
 * Every interval counts from the previous answer, the first one from the kickoff's: an execution
 * never has two polls under way.
 */
export type Polling = PollingOption

/**
 * A status request is retried after a connect failure, 429, 502, 503 or 504. A kickoff is retried
 * only after a connect failure, 429 or 503: after anything else it may have started an execution
 * that costs money.
 */
export interface Retry {
  /** The maximum number of retries of one status request, 0 to 20. Default: 4. */
  status?: number
  /** The maximum number of retries of one kickoff, 0 to 20. Default: 4. */
  kickoff?: number
  /**
   * A kickoff without a usable answer (a time-out, a reset, a 5xx other than 503) may have started.
   * `leave` ends it as `unknown`; `repeat` sends it again, as careless clients do: the crew works
   * twice, you pay twice, and under load it may never recover. Use it only to test that. Default:
   * `'leave'`.
   */
  unknownKickoffs?: 'leave' | 'repeat'
  /**
   * The wait before each retry, from the previous failure. Default: 500 ms, doubled up to 10 s,
   * with full jitter.
   */
  backoff?: {
    initial?: Duration
    /** The growth factor, 1 to 10. */
    factor?: number
    max?: Duration
    jitter?: Jitter
  }
  /**
   * Within any `window` (default 10 s): retries per first attempt (default 20 %), and how many more
   * in any case (default 10). It keeps retries from multiplying the load on a crew in trouble.
   */
  budget?: { ratio?: Share; minimum?: number; window?: Duration }
}

export interface Timeouts {
  /** The limit on opening a connection. Default: `'10s'`. */
  connect?: Duration
  /** The limit from the request's release to the answer's last byte. Default: `'30s'`. */
  request?: Duration
  /**
   * The same for the preflight and the first kickoff, which may wake a sleeping deployment.
   * Default: `'180s'`.
   */
  firstCall?: Duration
}

export interface Connections {
  /** The maximum number of open connections, 1 to 10,000. Default: 256. */
  max?: number
  /**
   * Connections opened before the clock starts, so that handshakes do not distort the first second.
   * Default: 8, never more than `max`.
   */
  preOpen?: number
  /** An idle connection is closed after this time. Default: `'4s'`, as in most Node clients. */
  keepAlive?: Duration
  /**
   * The maximum size of a decoded answer; more is an error of class `too-large`. Default:
   * `'16MiB'`.
   */
  maxBody?: Size
}

export interface Budget {
  /** The maximum number of kickoffs sent, retries included; an integer from 0. */
  kickoffs?: number
  /** The maximum number of requests of any kind; an integer from 0. */
  requests?: number
  /**
   * Real time even in a time-lapse, from the start of the load. At its end, everything still
   * running is given up. So that executions can end before, kickoffs stop earlier, by `drain` or by
   * half of this time, whichever is less.
   */
  time?: Duration
}

/** Prices of one model, in the currency's unit per million tokens. */
export interface Prices {
  input: number
  output: number
  /** Of input that came from a cache. Default: that of input. */
  cached?: number
}

/**
 * What tokens cost. With it, executions that report their tokens have a measured cost: metrics
 * `cost.*`, and `--max-cost`. Give `input` and `output`, or `models`, or both.
 */
export interface PricesOption extends Partial<Prices> {
  /** Shown beside amounts: `'USD'`. Default: none. */
  currency?: string
  /**
   * Prices by the model that the crew names; a name also covers dated ones (`gpt-4o` covers
   * `gpt-4o-2024-08-06`). Other models cost `input` and `output`; without these, their cost is not
   * known.
   */
  models?: Readonly<Record<string, Prices>>
}

/**
 * When the target counts as dead (5xx, or no answer at all) or as refusing us (401, and 403 without
 * a requested wait): kickoffs stop for good, executions in flight are polled to their deadline, and
 * the run cannot pass (exit code 1 for a dead target, 5 when access was lost). When some answers
 * failed before, it takes more consecutive failures than chance explains. Each worker and each VU
 * of k6 decides by its own requests.
 */
export interface Circuit {
  /**
   * How long no usable answer came, to kickoffs alone or to everything; real time even in a
   * time-lapse. Default: `'30s'`.
   */
  after?: Duration
  /** The minimum number of requests in that time; an integer from 1. Default: 10. */
  requests?: number
}

/**
 * The run listens for pushes, and names itself in each kickoff. Polls go on as before: pushes are
 * recorded beside them, and compared with what polls and the fake crew's ledger say. The engines
 * node and virtual can.
 */
export interface Webhooks {
  /**
   * Where the run listens: an address and a port, 0 for a free one, at which `resume` cannot listen
   * again. Default: `'127.0.0.1:0'`.
   */
  listen?: string
  /**
   * The URL at which the crew reaches that address. A target that is not on this machine needs
   * one. Default: the address itself.
   */
  publicUrl?: string
  /**
   * What the crew is asked to push: the result (`crew`), each task, each step, or a stream of
   * `events`, which alone reports failures. Default: `['crew']`.
   */
  send?: readonly ('step' | 'task' | 'crew' | 'events')[]
  /** How long to wait for pushes after the last execution has ended. Default: `'5s'`. */
  wait?: Duration
}

/** What a person answers. After a no, the crew repeats the task. */
export type HumanAnswer = 'yes' | 'no' | { approve: boolean; feedback: string }

/** Who answers when the crew asks a person: the run, with `POST /resume`. */
export interface Human {
  /**
   * The answer; a list is for the first, second and further times that an execution asks, and its
   * last one stays.
   */
  answer: HumanAnswer | readonly HumanAnswer[]
  /** From the poll that saw a person asked to the answer. Default: `'0s'`. */
  after?: Duration
  /** The task that the answer names. Default: the one that the status named last. */
  task?: string
  /**
   * `documented` names the ids `execution_id` and `task_id`, `live` `executionId` and `taskId`.
   * Default: by the crew's dialect, and the other one after a 422.
   */
  form?: 'documented' | 'live'
}

/**
 * A comparison (`<`, `<=`, `>`, `>=`) and a bound in the metric's unit: `'< 500ms'`, `'< 1%'`, `'<=
 * 12'`, `'>= 40/h'`. `false` turns a default promise off (`outcome.unserved`, `execution.failed`,
 * `ledger.wrong`, `target.alive`, `pushes.missed`).
 */
export type ThresholdOption =
  | string
  | false
  | {
      is: string
      /**
       * Stop kickoffs as soon as the threshold is certain to be missed, even if every execution
       * that is open or still to come succeeds. It needs a known number of arrivals: a schedule,
       * iterations, or a budget of kickoffs. Default: false.
       */
      abortEarly?: boolean
      /**
       * `'interval'`: met or missed by the whole 95 % interval, and undecided when the bound is
       * inside it; the default. `'value'`: judged by the measured value alone, however uncertain it
       * is.
       */
      judge?: 'interval' | 'value'
    }

export interface Validity {
  /**
   * The maximum 99th percentile of lateness; real time. Default: `'10ms'`, or 5 % of the shortest
   * median time that a threshold bounds (a kickoff, a poll, the detection delay, an execution), or
   * of the median execution when none does; never more than `'1s'`.
   */
  lateness?: Duration
  /** The maximum event-loop utilisation sustained for seconds, 0 to 1. Default: 0.7. */
  utilisation?: Share
  /** The maximum residual of Little's law, |L - lambda W| / L. Default: 5 %. */
  little?: Share
}
