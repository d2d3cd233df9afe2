/**
 * The scenario as its author writes it: every option with its unit, range and default. Types, and
 * the function that gives them.
 */
import type { Random } from '../base/random.ts'
import type { MetricName } from './thresholds/metrics/index.ts'
import type {
  Admission,
  Arrivals,
  Budget,
  Circuit,
  Connections,
  Duration,
  Polling,
  Retry,
  Share,
  ThresholdOption,
  Timeouts,
  Validity,
} from './options.ts'
import type { CompletedExecution } from './plan.ts'

/**
 * Gives a scenario file its types: `export default defineScenario({ ... })`. It returns what it was
 * given; mistakes are told, all at once, when the file is run. Write `inputs` above `checks`: a
 * check then knows the names of the inputs.
 */
export function defineScenario<I extends InputsOption>(scenario: Scenario<I>): Scenario<I> {
  return scenario
}

/**
 * What load to put on a crew, and what must hold. Only `name`, `arrivals` and `inputs` are
 * required. All times are the crew's: a time-lapse (`--speed 60`) divides them, and the bounds of
 * thresholds on executions, by its speed; only `timeouts` and `connections` stay as they are, and
 * `circuit` and the time of `budget`, which are by the clock on the wall.
 */
export interface Scenario<I extends InputsOption = InputsOption> {
  /** Names the run folder and the report: letters, digits, `-`, `_` and `.`, at most 60. */
  name: string
  /** One or two sentences for the reader of the report. Default: none. */
  description?: string
  /**
   * When kickoffs are sent. The schedule is absolute and counts from the start of the run; a late
   * kickoff delays no other.
   */
  arrivals: Arrivals
  /** What the crew is given; every arrival has its own, the same for the same seed. */
  inputs: I
  /** Labels that break the result down. Default: none. An entry of a list adds its own. */
  tags?: TagsOption<InputsOf<I>>
  /** How many executions may be in flight, and what happens to one more. Default: no limit. */
  admission?: Admission
  /**
   * When an execution asks for its status. Default: exponential, 2 s times 1.5 up to 15 s, with
   * equal jitter.
   */
  polling?: Polling
  /**
   * Obey `Retry-After` and the RateLimit fields of an answer: wait at least as long as they say.
   * Default: true.
   */
  honourRetryAfter?: boolean
  /** Which failed requests are sent again. Default: what the `Retry` options say. */
  retry?: Retry | 'none'
  /**
   * How long an execution may take before it counts as `stuck`. Counts from its kickoff being sent.
   * Default: `'15m'`.
   */
  deadline?: Duration
  /**
   * How long a stretch of "not found" answers may last before the execution is `lost`, or one of
   * 401 and 403 before it is `unreadable`, at any age of the execution. Counts from the first of
   * them; one readable answer ends it. `'0s'`: the first ends the execution. Default: `'10s'`.
   */
  notFoundGrace?: Duration
  /**
   * Share of ended executions that are polled again, to see that a final state is final. Default: 1
   * %.
   */
  confirm?: Share
  /**
   * How long executions in flight may go on after Ctrl-C or an early abort. Default: `'5m'`, never
   * more than the deadline.
   */
  drain?: Duration
  /** Limits of one HTTP request, in real time even in a time-lapse. */
  timeouts?: Timeouts
  /** Sockets and bodies, in real time even in a time-lapse. */
  connections?: Connections
  /**
   * Extra request headers by name. Secrets do not belong here: the token comes from the
   * environment. Default: none.
   */
  headers?: Readonly<Record<string, string>>
  /**
   * Hard limits on what the run may spend, over all instances. Default: none here; a target that is
   * not local needs one.
   */
  budget?: Budget
  /**
   * When to stop kickoffs to a target that is dead, or refuses us. `'off'`: never, for trying out
   * just that.
   */
  circuit?: Circuit | 'off'
  /**
   * Tests on the result of each completed execution, by name: true passes; false does not. A failed
   * check changes no outcome; bound its share with the threshold `checks.<name>`. An exception is
   * the scenario's own error, and makes the run INVALID.
   */
  checks?: Readonly<Record<string, CheckOption<InputsOf<I>>>>
  /**
   * What must hold, by metric: `{ 'kickoff.response.p95': '< 500ms', 'execution.failed': '<= 1%'
   * }`. `crewload schema metrics` lists the names. A missed one fails the run.
   */
  thresholds?: Readonly<Partial<Record<MetricName, ThresholdOption>>>
  /** Bounds on the generator itself; beyond them the measurement is INVALID, whatever it shows. */
  validity?: Validity
  /** Of everything drawn at random, an integer from 0. `--seed` wins. Default: 42. */
  seed?: number
}

/** Names and values as the crew takes them: `{ topic: 'bees', audience: 'children' }`. */
export type InputRecord = Readonly<Record<string, unknown>>

export type InputsOption =
  /** The same for every arrival. */
  | InputRecord
  /** Dealt round in order, from the first again when all were used. */
  | readonly (InputRecord | InputEntry)[]
  /**
   * A list with an order: `'in-order'` (default), `'random'`, or `'weighted'` by each entry's
   * `weight`.
   */
  | {
      list: readonly (InputRecord | InputEntry)[]
      order?: 'in-order' | 'random' | 'weighted'
    }
  /**
   * The rows of a CSV file (first line: names) or a JSON file (an array of objects), from the
   * scenario file's folder.
   */
  | { rows: string; order?: 'in-order' | 'random' }
  /**
   * Makes them anew for each arrival; draw from `random`, so that the same seed gives the same
   * inputs.
   */
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
