/**
 * The scenario as its author writes it: every option with its unit, range and default, as types,
 * and the function that applies them.
 */
import type { Duration } from '../base/units.ts'
import type { MetricName } from './thresholds/metrics.ts'
import type {
  Admission,
  Arrivals,
  Budget,
  Circuit,
  Connections,
  Human,
  Polling,
  PricesOption,
  ReplayArrivals,
  Retry,
  Share,
  ThresholdOption,
  Timeouts,
  Validity,
  Webhooks,
} from './options.ts'
import type {
  AnyInputs,
  InputRecord,
  InputsOf,
  InputsOption,
  KickoffOption,
  TagsOption,
} from './inputs.ts'
import type { CompletedExecution } from './plan.ts'

/**
 * Gives a scenario file its types: `export default defineScenario({ ... })`. It returns its
 * argument; mistakes are reported, all at once, when the file is run. Write `inputs` above
 * `checks`, so that a check knows the names of the inputs.
 */
export function defineScenario<I extends AnyInputs>(scenario: Scenario<I>): Scenario<I> {
  return scenario
}

/**
 * The load to put on a crew, and the thresholds to hold. Only `name`, `arrivals` and `inputs` are
 * required; a recording may bring the inputs (`ReplayedScenario`). All times are those of the crew:
 * a time-lapse (`--speed 60`) divides them, and the bounds of thresholds on executions, by its
 * speed; only `timeouts` and `connections` do not change, nor do `circuit` and the time of
 * `budget`, which follow the wall clock.
 */
export interface Scenario<I extends AnyInputs = InputsOption> {
  /** Names the run folder and the report: at most 60 letters, digits, `-`, `_` and `.`. */
  name: string
  /** One or two sentences for the reader of the report. Default: none. */
  description?: string
  /**
   * When kickoffs are sent. The schedule is absolute and counts from the start of the run; a late
   * kickoff does not delay the others.
   */
  arrivals: Arrivals
  /** What the crew receives; each arrival has its own inputs, the same for the same seed. */
  inputs: I
  /**
   * Members of the kickoff's body beside `inputs`: `{ meta: { tenant: 'a' }, crewWebhookUrl:
   * 'https://...' }`, or a function of the arrival. Default: none.
   */
  kickoff?: KickoffOption<InputsOf<I>>
  /**
   * Where the crew serves the interface, below the target's base URL. `status` contains `{id}`.
   * Default: `/inputs`, `/kickoff` and `/status/{id}`.
   */
  paths?: { inputs?: string; kickoff?: string; status?: string }
  /** Labels by which results are broken down. Default: none. An entry of a list adds its own. */
  tags?: TagsOption<InputsOf<I>>
  /**
   * The maximum number of executions in flight, and what happens to further arrivals. Default: no
   * limit.
   */
  admission?: Admission
  /**
   * When an execution requests its status. Default: exponential, 2 s times 1.5 up to 15 s, with
   * equal jitter.
   */
  polling?: Polling
  /**
   * Whether to obey `Retry-After` and the RateLimit fields of an answer by waiting at least that
   * long. Default: true.
   */
  honourRetryAfter?: boolean
  /** Which failed requests are retried. Default: as described at the options of `Retry`. */
  retry?: Retry | 'none'
  /**
   * How long an execution may take before it counts as `stuck`, or as `paused` while
   * a person is asked, from the sending of its kickoff.
   * Default: `'15m'`.
   */
  deadline?: Duration
  /**
   * How long consecutive "not found" answers may continue before the execution is `lost`, or
   * consecutive 401 and 403 before it is `unreadable`, at any age of the execution. Counts from the
   * first of them; one readable answer resets it. `'0s'`: the first one ends the execution.
   * Default: `'10s'`.
   */
  notFoundGrace?: Duration
  /**
   * Whether the crew asks people. Live deployments answer "not found" while they wait for a person:
   * with `true`, an execution that was seen at work is then polled to its deadline, and is `paused`
   * if nobody answered by then. Without it, it is `lost` after the grace. With `{ answer: 'yes',
   * after: '30s' }`, the run answers for them. Default: false.
   */
  human?: boolean | Human
  /** Receives pushes of the crew beside polling. Default: none are received. */
  webhooks?: Webhooks
  /** What tokens cost, for crews that report them. Default: unknown. */
  prices?: PricesOption
  /**
   * The share of ended executions that are polled again, to check that a final state is final.
   * Default: 1 %.
   */
  confirm?: Share
  /**
   * How long executions in flight may continue after Ctrl-C or an early abort. Default: `'5m'`,
   * never more than the deadline.
   */
  drain?: Duration
  /** Limits of one HTTP request, in real time even in a time-lapse. */
  timeouts?: Timeouts
  /** Sockets and bodies, in real time even in a time-lapse. */
  connections?: Connections
  /**
   * Extra request headers by name. They must not be secret: the token comes from the environment.
   * Default: none.
   */
  headers?: Readonly<Record<string, string>>
  /**
   * Hard limits on what the run may spend, over all instances. Default: none; a target that is not
   * local needs one.
   */
  budget?: Budget
  /**
   * When to stop kickoffs to a target that is dead, or refuses us. `'off'`: never, for testing such
   * a target.
   */
  circuit?: Circuit | 'off'
  /**
   * Tests on the result of each completed execution, by name: true passes; false does not. A failed
   * check does not change the outcome; bound its share with the threshold `checks.<name>`. An
   * exception is the scenario's own error, and makes the run INVALID.
   */
  checks?: Readonly<Record<string, CheckOption<InputsOf<I>>>>
  /**
   * The thresholds, by metric: `{ 'kickoff.response.p95': '< 500ms', 'execution.failed': '<= 1%'
   * }`. `crewload schema metrics` lists the names. A missed threshold fails the run.
   */
  thresholds?: Readonly<Partial<Record<MetricName, ThresholdOption>>>
  /** Bounds on the generator itself; beyond them the measurement is INVALID, whatever it shows. */
  validity?: Validity
  /** The seed of everything random, an integer from 0. `--seed` overrides it. Default: 42. */
  seed?: number
}

/**
 * A scenario whose recorded arrivals bring all inputs: `export default { ... } satisfies
 * ReplayedScenario`.
 */
export interface ReplayedScenario extends Omit<Scenario<InputRecord>, 'arrivals' | 'inputs'> {
  arrivals: ReplayArrivals & Required<Pick<ReplayArrivals, 'inputs'>>
  inputs?: never
}

/** A completed execution, with the input types of the scenario. */
export interface CompletedOf<R extends object> extends Omit<CompletedExecution, 'inputs'> {
  inputs: R
}

/** Written as a method, so that a scenario with specific inputs is still a `Scenario`. */
export type CheckOption<R extends object = InputRecord> = {
  passes(completed: CompletedOf<R>): boolean
}['passes']

/** What runs: inputs of any type, also of an `interface`. */
export type AnyScenario = Scenario | Scenario<AnyInputs> | ReplayedScenario

/**
 * Gives a mix its types: `export default defineMix({ ... })`. It returns its argument; mistakes are
 * reported, all at once, when the file is run.
 */
export function defineMix(mix: Mix): Mix {
  return mix
}

/** Several scenarios that load one crew, or several, at the same time and on one clock. */
export interface Mix {
  /** Names the run folder and the report: at most 60 letters, digits, `-`, `_` and `.`. */
  name: string
  /** One or two sentences for the reader of the report. Default: none. */
  description?: string
  /**
   * The scenarios by the names of their parts: at most 30 letters, digits, `-` and `_`. Each has
   * its own arrivals, thresholds and verdict. From 2 to 20.
   */
  parts: Readonly<Record<string, MixPart>>
  /** Hard limits on what all parts together may spend. Default: none. */
  budget?: Budget
  /**
   * The seed of everything random; each part draws from a seed of its own, made of this one and its
   * name. `--seed` overrides it. Default: 42.
   */
  seed?: number
}

/** A shipped name, a file relative to that of the mix, or the scenario itself. */
export type MixPart = string | AnyScenario | PlacedPart

/** A part with a crew or a token of its own. */
export interface PlacedPart {
  scenario: string | AnyScenario
  /** Base URL of its crew. Default: the target of the run. */
  target?: string
  /**
   * The environment variable that holds its token. Default: the token of the run, which is sent to
   * one origin only: a part at another needs its own.
   */
  tokenFrom?: string
}
