/** The public options of `run()`, which the command line fills from its flags. */
import type { Dialect } from '../crew/wire.ts'
import type { RunLine } from '../execution/record/journal-lines.ts'
import type { TlsOptions } from '../host/node/index.ts'
import type { TelemetryOptions } from '../host/telemetry/options.ts'
import type { LiveProgress } from '../report/run/terminal/progress.ts'
import type { PlanFacts } from '../report/run/terminal/plan.ts'
import type { Micros } from '../base/units.ts'

/** This process, simulated time, or k6. */
export type EngineName = RunLine['engine']

export interface NodeEngine {
  kind: 'node'
}

export interface VirtualEngine {
  kind: 'virtual'
  /**
   * The network between client and crew: `none`, `loopback`, `lan`, `wan`, or the folder of a run
   * to learn it from. Default `loopback`.
   */
  network?: string
}

/** No machine benefits from more processes than it has cores. */
export const MOST_INSTANCES = 64
/** The maximum of one run on this machine: each VU has its own engine, a few MB. */
export const MOST_VUS = 10_000

export interface K6Engine {
  kind: 'k6'
  /**
   * VUs of all processes together: each is an instance with its own event loop. Default: one per
   * process.
   */
  vus?: number
  /**
   * k6 processes that share the VUs evenly, 1 to 64, started and released as k6-operator does with
   * pods. Default 1.
   */
  instances?: number
  /**
   * Outputs of k6, as its `--out` takes them: `json=k6.json`, `experimental-prometheus-rw`. They
   * receive k6's own metrics of requests, and the named metrics `crewload_*` of executions.
   * Default: none, and k6 measures nothing.
   */
  out?: readonly string[]
  /**
   * The k6 program. Default: the one that `K6_BIN` names, the one in `tools/k6`, or that on the
   * `PATH`.
   */
  binary?: string
}

/** The engine that carries the load, with the options that only it understands. */
export type Engine = NodeEngine | VirtualEngine | K6Engine

export interface RunOptions extends TelemetryOptions {
  /** Base URL of the crew under test. One of `target` and `profile` is needed. */
  target?: string
  /** A shipped profile's name or a file: a fake crew is started for the run, in its own process. */
  profile?: string
  /** The dialect of the fake crew of `profile`. Default: that of the profile. */
  dialect?: Dialect
  /**
   * The engine that carries the load; a name alone is the engine with its defaults. Default `node`.
   */
  engine?: Engine | EngineName
  /**
   * Bearer tokens for `target`, assigned to executions in turn. They are never written anywhere.
   */
  tokens?: readonly string[]
  /**
   * Faults of the fake crew in addition to those of its profile, in YAML as in a profile: one, or a
   * list. Their times count from the zero of the run. Engines `node` and `virtual`.
   */
  faults?: string
  /**
   * The seed of every random draw, the fake crew's included. Default: the scenario's, or else 42.
   */
  seed?: number
  /** Divides the times of scenario and profile (time-lapse). Default 1. */
  speed?: number
  /** Changes to the scenario before it is checked: `{ 'arrivals.rate': '3/s' }`. */
  set?: Readonly<Record<string, string>>
  /** Extra request headers with lower-case names. */
  headers?: Readonly<Record<string, string>>
  tls?: TlsOptions
  /**
   * Hard limits; the smaller of these and the scenario's applies. A target that is not on this
   * machine needs a limit of kickoffs.
   */
  budget?: { kickoffs?: number; requests?: number; wallMicros?: Micros }
  costPerKickoff?: number
  /** A hard limit in money; needs `costPerKickoff`. */
  maxCost?: number
  /** The way in which thresholds are judged that do not say so themselves. Default `interval`. */
  judge?: 'interval' | 'value'
  /**
   * The outcome of a run with a threshold that its interval leaves undecided. Default
   * `inconclusive`.
   */
  inconclusive?: 'inconclusive' | 'pass' | 'fail'
  /** The folder in which run folders are created; false writes nothing. Default `reports`. */
  out?: string | false
  /**
   * Environment of the fake crew, and source of `HTTP_PROXY` and similar variables. Default: that
   * of this process.
   */
  env?: Readonly<Record<string, string | undefined>>
  /**
   * The first abort stops kickoffs; executions in flight continue. Use `onStart` for finer control.
   */
  signal?: AbortSignal
  /** Called when the plan is known and before anything is sent; false sends nothing. */
  confirm?: (facts: PlanFacts) => boolean | Promise<boolean>
  /** Receives what is worth knowing before the run without being a mistake, one sentence each. */
  onNote?: (note: string) => void
  /**
   * Receives problems that spoil the run, immediately and once each: a journal that cannot be
   * written, or what the run's own fake crew prints.
   */
  onTrouble?: (trouble: string) => void
  /** Called when the clock starts, with a way to stop the run. */
  onStart?: (control: RunControl) => void
  /** Called at most four times a second. */
  onProgress?: (live: LiveProgress) => void
  /** The command that repeats this run, for the report. */
  command?: string
}

/** The engine with its options, also when only its name is given. */
export function engineOf({ engine = 'node' }: Pick<RunOptions, 'engine'>): Engine {
  return typeof engine === 'string' ? { kind: engine } : engine
}

export interface RunControl {
  /**
   * `drain` stops kickoffs; `now` ends everything. `reason` is told with what was not sent or not
   * followed to its end; default `interrupted`.
   */
  stop(how: 'drain' | 'now', reason?: string): void
  /**
   * For handlers of uncaught exceptions (`process.on('uncaughtException', ...)`): the run drains,
   * writes its reports and is INVALID. What does not end by the drain is cut off. Never throws.
   */
  fail(error: unknown): void
}
