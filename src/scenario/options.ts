/**
 * The options of a scenario, section by section: arrivals, polling, retries, connections, bounds.
 */
import type { ProcessOption } from './arrivals/processes/index.ts'
import type { Jitter } from './plan.ts'
import type { PollingOption } from './polling/index.ts'

/**
 * A length of time: `'500ms'`, `'2s'`, `'1.5m'`, `'1h30m'`, `'0'`; units us, ms, s, m (or min), h,
 * d.
 */
export type Duration = string
/**
 * Events in a time: `'2/s'`, `'0.5/s'`, `'40/h'`, `'90/5m'`. Exact at any fraction; `'0/s'` is
 * silence.
 */
export type RateText = string
/** A part of a whole, from 0 to 1: `0.05` or `'5%'`. */
export type Share = number | string
/** A size in bytes: `4096`, `'4kB'`, `'1MiB'`. */
export type Size = number | string

export interface ArrivalOptions {
  /** Arrivals before this point run and do not count. From the start of the run. Default: `'0'`. */
  warmUp?: Duration
}

export interface OpenArrivalOptions extends ArrivalOptions {
  /**
   * How arrivals fall around the rate; docs/reference.md lists the processes. Default:
   * `'uniform'`, evenly spaced and the first at once, since it is the easiest to repeat and to
   * read.
   */
  process?: ProcessOption
}

export type Arrivals =
  | ConstantArrivals
  | RampArrivals
  | StepArrivals
  | SpikeArrivals
  | ClosedArrivals
  | ReplayArrivals

/** One rate for some time; a soak is this with a long time. */
export interface ConstantArrivals extends OpenArrivalOptions {
  /** Mean number of kickoffs in a time. */
  rate: RateText
  /**
   * How long kickoffs are sent, 1 ms to 30 d, from the start of the run; executions in flight then
   * still run to their end.
   */
  for: Duration
}

/** From one rate to another, linearly. */
export interface RampArrivals extends OpenArrivalOptions {
  ramp: { from: RateText; to: RateText }
  /** How long the ramp takes, 1 ms to 30 d. */
  for: Duration
}

/** One rate after the other, each for its time; 1 to 1,000 steps. */
export interface StepArrivals extends OpenArrivalOptions {
  steps: readonly { rate: RateText; for: Duration }[]
}

/** A base load with one sudden peak. */
export interface SpikeArrivals extends OpenArrivalOptions {
  /**
   * `base` for the time `after`, then `peak` for the time `for`, then `base` again until the whole
   * is over.
   */
  spike: { base: RateText; peak: RateText; after: Duration; for: Duration }
  /** Length of the whole, the spike included, 1 ms to 30 d. */
  for: Duration
}

/**
 * A fixed number of virtual clients: each starts an execution, waits for its end, thinks, and
 * starts the next. One of `for` and `iterations` is required; with both, the first to be reached
 * ends it. A slow crew slows its own load down here: for what users meet, prefer a rate.
 */
export interface ClosedArrivals extends ArrivalOptions {
  /** 1 to 100,000. */
  clients: number
  /**
   * How long new executions are started, from the start of the run. Default: `'24h'`, when there
   * are `iterations`.
   */
  for?: Duration
  /** Executions in all, over all clients; 1 or more. Default: no limit. */
  iterations?: number
  /** From the end of an execution to the next kickoff of the same client. Default: `'0'`. */
  think?: ThinkTime
  /** The clients start evenly over this time. Default: `'0'`: all at once. */
  rampUp?: Duration
}

/** The arrivals of an earlier run, at the same offsets. */
export interface ReplayArrivals extends ArrivalOptions {
  /** Its run folder, or the `executions.ndjson` in it; from the scenario file's folder. */
  replay: string
}

/** A constant, or a distribution that every think time is drawn from. */
export type ThinkTime =
  | Duration
  | { uniform: { min: Duration; max: Duration } }
  | { exponential: { mean: Duration } }
  | { lognormal: { median: Duration; p95: Duration; cap?: Duration } }

export interface Admission {
  /** Executions sent and not yet ended, at most; an integer from 1. Default: no limit. */
  maxInFlight?: number
  /**
   * `'queue'`: an arrival waits, and its waiting counts in response time; the default. `'drop'`:
   * its outcome is `dropped`.
   */
  whenFull?: 'queue' | 'drop'
  /**
   * Share of the arrivals that may be dropped (no place in flight, inputs that threw) before the
   * run is INVALID: the load was then not the one that was asked for. Default: 1 %.
   */
  maxDropped?: Share
}

/**
 * Every interval counts from the last answer, the first from the kickoff's: one execution never has
 * two polls under way.
 */
export type Polling = PollingOption

/**
 * A status request is sent again after a connect failure, 429, 502, 503 or 504; a kickoff only
 * after a connect failure, 429 or 503, for anything else may have started an execution that costs
 * money.
 */
export interface Retry {
  /** Attempts beyond the first for one status request, 0 to 20. Default: 4. */
  status?: number
  /** Attempts beyond the first for one kickoff, 0 to 20. Default: 4. */
  kickoff?: number
  /**
   * A kickoff without a usable answer (a time-out, a reset, a 5xx but 503) may have started.
   * `leave` ends it as `unknown`; `repeat` sends it again, as careless clients do: the crew works
   * twice, you pay twice, and under load it may never recover. For trying just that. Default:
   * `'leave'`.
   */
  unknownKickoffs?: 'leave' | 'repeat'
  /**
   * Waiting before each attempt, from the failure before. Default: 500 ms, doubled up to 10 s, full
   * jitter.
   */
  backoff?: {
    initial?: Duration
    /** 1 to 10. */
    factor?: number
    max?: Duration
    jitter?: Jitter
  }
  /**
   * Within any `window` (default 10 s): retries for each first attempt (default 20 %), and how many
   * more in any case (default 10). It keeps retries from multiplying the load on a crew in trouble.
   */
  budget?: { ratio?: Share; minimum?: number; window?: Duration }
}

export interface Timeouts {
  /** To open a connection. Default: `'10s'`. */
  connect?: Duration
  /** From the request's release to the answer's last byte. Default: `'30s'`. */
  request?: Duration
  /**
   * The same for the preflight and the first kickoff, which may wake a sleeping deployment.
   * Default: `'180s'`.
   */
  firstCall?: Duration
}

export interface Connections {
  /** Open at once, 1 to 10,000. Default: 256. */
  max?: number
  /**
   * Opened before the clock starts, so that handshakes do not colour the first second. Default: 8,
   * never more than `max`.
   */
  preOpen?: number
  /** An idle connection is closed after this. Default: `'4s'`, what most Node clients do. */
  keepAlive?: Duration
  /** Of one answer, decoded; more is an error of class `too-large`. Default: `'16MiB'`. */
  maxBody?: Size
}

export interface Budget {
  /** Kickoffs sent, retries included; an integer from 0. */
  kickoffs?: number
  /** Requests of any kind; an integer from 0. */
  requests?: number
  /**
   * Real time even in a time-lapse, from the start of the load. When it is up, whatever still runs
   * is given up; so that executions can end before, kickoffs stop earlier, by `drain` or by half of
   * this time, whichever is less.
   */
  time?: Duration
}

/**
 * When the target counts as dead (5xx, or no answer at all) or as refusing us (401, and 403 that
 * asks for no wait): kickoffs stop for good, executions in flight are polled to their deadline, and
 * the run cannot pass (exit code 1 for a dead target, 5 where access was lost). Where answers
 * failed now and then before, it takes more in a row than chance explains. Each worker and each VU
 * of k6 decides by its own requests.
 */
export interface Circuit {
  /**
   * So long nothing usable came, to kickoffs alone or to everything; real time even in a
   * time-lapse. Default: `'30s'`.
   */
  after?: Duration
  /** In so many requests at least; an integer from 1. Default: 10. */
  requests?: number
}

/**
 * A comparison (`<`, `<=`, `>`, `>=`) and a bound in the metric's unit: `'< 500ms'`, `'< 1%'`, `'<=
 * 12'`, `'>= 40/h'`. `false` turns a default promise off (`outcome.unserved`, `execution.failed`,
 * `ledger.wrong`, `target.alive`).
 */
export type ThresholdOption =
  | string
  | false
  | {
      is: string
      /**
       * Stop kickoffs as soon as it is missed even if every execution that is open or still to come
       * turns out good. It needs a known number of arrivals: a schedule, iterations, or a budget of
       * kickoffs. Default: false.
       */
      abortEarly?: boolean
      /**
       * `'interval'`: met or missed by the whole 95 % interval, and undecided where the bound lies
       * inside it; the default. `'value'`: by the measured value alone, however uncertain it is.
       */
      judge?: 'interval' | 'value'
    }

export interface Validity {
  /**
   * 99th percentile of lateness, at most; real time. Default: `'10ms'`, or 5 % of the shortest
   * median time that a threshold bounds (a kickoff, a poll, the detection delay, an execution), or
   * of the median execution when none does; never more than `'1s'`.
   */
  lateness?: Duration
  /** Event-loop utilisation held for seconds, at most, 0 to 1. Default: 0.7. */
  utilisation?: Share
  /** Residual of Little's law, |L - lambda W| / L, at most. Default: 5 %. */
  little?: Share
}
