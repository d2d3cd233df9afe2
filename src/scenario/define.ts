/** The scenario as its author writes it: every option with its unit, range and default. Types, and the function that gives them. */
import type { Random } from '../random.ts'
import type { CompletedExecution } from './plan.ts'

/**
 * Gives a scenario file its types: `export default defineScenario({ ... })`. It returns what it was given; mistakes are told, all at
 * once, when the file is run. Write `inputs` above `checks`: a check then knows the names of the inputs.
 */
export function defineScenario<I extends InputsOption>(scenario: Scenario<I>): Scenario<I> {
  return scenario
}

/** A length of time: `'500ms'`, `'2s'`, `'1.5m'`, `'1h30m'`, `'0'`; units us, ms, s, m (or min), h, d. */
export type Duration = string
/** Events in a time: `'2/s'`, `'0.5/s'`, `'40/h'`, `'90/5m'`. Exact at any fraction; `'0/s'` is silence. */
export type RateText = string
/** A part of a whole, from 0 to 1: `0.05` or `'5%'`. */
export type Share = number | string
/** A size in bytes: `4096`, `'4kB'`, `'1MiB'`. */
export type Size = number | string

/**
 * What load to put on a crew, and what must hold. Only `name`, `arrivals` and `inputs` are required. All times are the crew's: a
 * time-lapse (`--speed 60`) divides them, and the bounds of thresholds on executions, by its speed; only `timeouts` and `connections`
 * stay as they are.
 */
export interface Scenario<I extends InputsOption = InputsOption> {
  /** Names the run folder and the report: letters, digits, `-`, `_` and `.`, at most 60. */
  name: string
  /** One or two sentences for the reader of the report. Default: none. */
  description?: string
  /** When kickoffs are sent. The schedule is absolute and counts from the start of the run; a late kickoff delays no other. */
  arrivals: Arrivals
  /** What the crew is given; every arrival has its own, the same for the same seed. */
  inputs: I
  /** Labels that break the result down. Default: none. An entry of a list adds its own. */
  tags?: TagsOption<InputsOf<I>>
  /** How many executions may be in flight, and what happens to one more. Default: no limit. */
  admission?: Admission
  /** When an execution asks for its status. Default: exponential, 2 s times 1.5 up to 15 s, with equal jitter. */
  polling?: Polling
  /** Obey `Retry-After` and the RateLimit fields of an answer: wait at least as long as they say. Default: true. */
  honourRetryAfter?: boolean
  /** Which failed requests are sent again. Default: what the `Retry` options say. */
  retry?: Retry | 'none'
  /** How long an execution may take before it counts as `stuck`. Counts from its kickoff being sent. Default: `'15m'`. */
  deadline?: Duration
  /** How long a status of "not found" is forgiven; then the execution is `lost`. Counts from the kickoff's answer. Default: `'10s'`. */
  notFoundGrace?: Duration
  /** Share of ended executions that are polled again, to see that a final state is final. Default: 1 %. */
  confirm?: Share
  /** How long executions in flight may go on after Ctrl-C or an early abort. Default: `'5m'`, never more than the deadline. */
  drain?: Duration
  /** Limits of one HTTP request, in real time even in a time-lapse. */
  timeouts?: Timeouts
  /** Sockets and bodies, in real time even in a time-lapse. */
  connections?: Connections
  /** Extra request headers by name. Secrets do not belong here: the token comes from the environment. Default: none. */
  headers?: Readonly<Record<string, string>>
  /** Hard limits on what the run may spend, over all instances. Default: none here; a target that is not local needs one. */
  budget?: Budget
  /**
   * Tests on the result of each completed execution, by name: true passes; false or an exception does not. A failed check changes no
   * outcome; bound its share with the threshold `checks.<name>`.
   */
  checks?: Readonly<Record<string, CheckOption<InputsOf<I>>>>
  /**
   * What must hold, by metric: `{ 'kickoff.response.p95': '< 500ms', 'execution.failed': '<= 1%' }`. `crewload schema metrics` lists the
   * names. A missed one fails the run.
   */
  thresholds?: Readonly<Record<string, ThresholdOption>>
  /** Bounds on the generator itself; beyond them the measurement is INVALID, whatever it shows. */
  validity?: Validity
  /** Of everything drawn at random, an integer from 0. `--seed` wins. Default: 42. */
  seed?: number
}

/** `warmUp`: arrivals before this point run and do not count; from the start of the run. Default: `'0'`. */
export interface ArrivalOptions {
  warmUp?: Duration
}

export interface OpenArrivalOptions extends ArrivalOptions {
  /**
   * How arrivals fall around the rate. `'uniform'`: evenly spaced, the first at once; the default, since it is the easiest to
   * repeat and to read. `'poisson'`: as independent users come. `{ gamma: { cv } }`: bursts for a cv over 1, steadier below.
   */
  process?: Process
}

export type Process = 'uniform' | 'poisson' | { gamma: { cv: number } }

export type Arrivals =
  | ConstantArrivals
  | RampArrivals
  | StepArrivals
  | SpikeArrivals
  | ClosedArrivals
  | ReplayArrivals

/** One rate for some time; a soak is this with a long time. */
export interface ConstantArrivals extends OpenArrivalOptions {
  rate: RateText
  for: Duration
}

/** From one rate to another, linearly. */
export interface RampArrivals extends OpenArrivalOptions {
  ramp: { from: RateText; to: RateText }
  for: Duration
}

/** One rate after the other, each for its time. */
export interface StepArrivals extends OpenArrivalOptions {
  steps: readonly { rate: RateText; for: Duration }[]
}

/** `base` for the time `after`, then `peak` for the time `spike.for`, then `base` again until `for` is over. */
export interface SpikeArrivals extends OpenArrivalOptions {
  spike: { base: RateText; peak: RateText; after: Duration; for: Duration }
  for: Duration
}

/**
 * A fixed number of virtual clients: each starts an execution, waits for its end, thinks, and starts the next. It ends after `for` or
 * after `iterations` executions over all clients, whichever comes first; one of the two is required, and `for` is at most
 * `'24h'`, its default. A slow crew slows its own load down here: for what users meet, prefer a rate.
 */
export interface ClosedArrivals extends ArrivalOptions {
  /** 1 to 100,000. */
  clients: number
  for?: Duration
  /** 1 or more. */
  iterations?: number
  /** From the end of an execution to the next kickoff of the same client. Default: `'0'`. */
  think?: ThinkTime
  /** The clients start evenly over this time. Default: `'0'`: all at once. */
  rampUp?: Duration
}

/** The arrivals of an earlier run, at the same offsets: the path of its `executions.ndjson`, from the scenario file's folder. */
export interface ReplayArrivals extends ArrivalOptions {
  replay: string
}

/** A constant, or a distribution that every think time is drawn from. */
export type ThinkTime =
  | Duration
  | { uniform: { min: Duration; max: Duration } }
  | { exponential: { mean: Duration } }
  | { lognormal: { median: Duration; p95: Duration; cap?: Duration } }

export interface Admission {
  /** Executions sent and not yet ended, at most; an integer from 1. */
  maxInFlight: number
  /** `'queue'`: an arrival waits, and its waiting counts in response time; the default. `'drop'`: its outcome is `dropped`. */
  whenFull?: 'queue' | 'drop'
}

/** Every interval counts from the last answer: one execution never has two polls under way. */
export type Polling =
  /** The same interval always; the first poll after `initialDelay` (default: the same), for crews that are never done early. */
  | { fixed: Duration; initialDelay?: Duration }
  /** `initial`, then each `factor` times longer (default 1.5), up to `max`. Jitter keeps clients apart; default `'equal'`. */
  | {
      exponential: {
        initial: Duration
        /** 1 to 10. */
        factor?: number
        max: Duration
        jitter?: 'none' | 'full' | 'equal' | 'decorrelated'
      }
    }
  /** These intervals in order; the last repeats. */
  | { schedule: readonly Duration[] }
  /** Paces itself by completed and total tasks: about `pollsPerTask` polls (default 4) while one task runs, within the bounds. */
  | { progress: { min: Duration; max: Duration; pollsPerTask?: number } }

/**
 * A status request is sent again after a connect failure, 429, 502, 503 or 504; a kickoff only after a connect failure, 429 or 503,
 * for anything else may have started an execution that costs money.
 */
export interface Retry {
  /** Attempts beyond the first for one status request, 0 to 20. Default: 4. */
  status?: number
  /** Attempts beyond the first for one kickoff, 0 to 20. Default: 4. */
  kickoff?: number
  /** Default: 500 ms, doubled up to 10 s, full jitter. */
  backoff?: {
    initial?: Duration
    /** 1 to 10. */
    factor?: number
    max?: Duration
    jitter?: 'none' | 'full' | 'equal' | 'decorrelated'
  }
  /**
   * Over the whole run: retries for each first attempt (default 20 %), and how many are always allowed (default 10). It keeps retries
   * from multiplying the load on a crew in trouble.
   */
  budget?: { ratio?: Share; minimum?: number }
}

export interface Timeouts {
  /** To open a connection. Default: `'10s'`. */
  connect?: Duration
  /** From the request's release to the answer's last byte. Default: `'30s'`. */
  request?: Duration
  /** The same for the preflight and the first kickoff, which may wake a sleeping deployment. Default: `'180s'`. */
  firstCall?: Duration
}

export interface Connections {
  /** Open at once, 1 to 10,000. Default: 256. */
  max?: number
  /** Opened before the clock starts, so that handshakes do not colour the first second. Default: 8, never more than `max`. */
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
}

/** Names and values as the crew takes them: `{ topic: 'bees', audience: 'children' }`. */
export type InputRecord = Readonly<Record<string, unknown>>

export type InputsOption =
  /** The same for every arrival. */
  | InputRecord
  /** Dealt round in order, from the first again when all were used. */
  | readonly (InputRecord | InputEntry)[]
  /** A list with an order: `'in-order'` (default), `'random'`, or `'weighted'` by each entry's `weight`. */
  | {
      list: readonly (InputRecord | InputEntry)[]
      order?: 'in-order' | 'random' | 'weighted'
    }
  /** The rows of a CSV file (first line: names) or a JSON file (an array of objects), from the scenario file's folder. */
  | { rows: string; order?: 'in-order' | 'random' }
  /** Makes them anew for each arrival; draw from `random`, so that the same seed gives the same inputs. */
  | ((arrival: ArrivalContext) => InputRecord)

export interface InputEntry {
  inputs: InputRecord
  /** Relative, over 0. Default: 1. Counts in a list of order `'weighted'`. */
  weight?: number
  /** Labels that break the result down. */
  tags?: Readonly<Record<string, string>>
}

export interface ArrivalContext {
  /** Of the arrival in the whole schedule, from 0. */
  index: number
  /** A stream of this arrival's own. */
  random: Random
}

export type TagsOption<R extends InputRecord = InputRecord> =
  | Readonly<Record<string, string>>
  | TagsFunction<R>

/** Written as a method, so that a scenario with inputs of its own is still a `Scenario`. */
type TagsFunction<R extends InputRecord> = {
  tags(arrival: { index: number; inputs: R }): Readonly<Record<string, string>>
}['tags']

/** The inputs that an `inputs` option makes. */
export type InputsOf<I> = I extends (arrival: never) => infer R
  ? RecordOf<R>
  : I extends readonly (infer E)[]
    ? RecordOf<E>
    : I extends { rows: string }
      ? Readonly<Record<string, string>>
      : I extends { list: readonly (infer E)[] }
        ? RecordOf<E>
        : I extends InputRecord
          ? I
          : InputRecord

type RecordOf<E> = E extends { inputs: infer R }
  ? R extends InputRecord
    ? R
    : E
  : E extends InputRecord
    ? E
    : InputRecord

/** A completed execution, with inputs of the types that the scenario gave. */
export interface CompletedOf<R extends InputRecord> extends Omit<CompletedExecution, 'inputs'> {
  inputs: R
}

/** Written as a method, so that a scenario with inputs of its own is still a `Scenario`. */
export type CheckOption<R extends InputRecord = InputRecord> = {
  passes(completed: CompletedOf<R>): boolean
}['passes']

/**
 * A comparison (`<`, `<=`, `>`, `>=`) and a bound in the metric's unit: `'< 500ms'`, `'< 1%'`, `'<= 12'`, `'>= 40/h'`. With `abortEarly`
 * kickoffs stop as soon as it cannot be met any more.
 */
export type ThresholdOption = string | { is: string; abortEarly?: boolean }

export interface Validity {
  /** 99th percentile of lateness, at most; real time. Default: `'10ms'`. */
  lateness?: Duration
  /** Event-loop utilisation held for seconds, at most, 0 to 1. Default: 0.7. */
  utilisation?: Share
  /** Residual of Little's law, |L - lambda W| / L, at most. Default: 5 %. */
  little?: Share
}
