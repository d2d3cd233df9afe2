/**
 * What a run is told: the public options of `run()`, which the command line fills from its flags.
 */
import type { Dialect } from '../crew/wire.ts'
import type { RunLine } from '../execution/record/journal-lines.ts'
import type { TlsOptions } from '../host/node/index.ts'
import type { LiveProgress } from '../report/run/terminal/progress.ts'
import type { PlanFacts } from '../report/run/terminal/plan.ts'
import type { Micros } from '../base/units.ts'

/** undici in this process, simulated time, or k6. */
export type EngineName = RunLine['engine']

export interface NodeEngine {
  kind: 'node'
  /**
   * Threads, 1 to 64: each is an instance with an event loop of its own, and takes its part of the
   * one schedule. Default 1: no thread beside this one. With more, functions in a scenario must
   * come from a file.
   */
  workers?: number
}

export interface VirtualEngine {
  kind: 'virtual'
  /**
   * What lies between client and crew: `none`, `loopback`, `lan`, `wan`, or the folder of a run to
   * learn it from. Default `loopback`.
   */
  network?: string
}

/** More processes than any machine has cores are no use. */
export const MOST_INSTANCES = 64
/** Of one run on this machine: each holds an engine of its own, some MB. */
export const MOST_VUS = 10_000

export interface K6Engine {
  kind: 'k6'
  /**
   * VUs over all processes: each is an instance with an event loop of its own. Default: one a
   * process.
   */
  vus?: number
  /**
   * k6 processes that share the VUs evenly, 1 to 64, started and released as k6-operator does it
   * with pods. Default 1.
   */
  instances?: number
  /**
   * Outputs of k6, as its `--out` takes them: `json=k6.json`, `experimental-prometheus-rw`. They
   * receive k6's own metrics of requests, and the named metrics `crewload_*` of executions.
   * Default: none, and k6 measures nothing.
   */
  out?: readonly string[]
  /** The program. Default: what `K6_BIN` names, the one in `tools/k6`, or that on the `PATH`. */
  binary?: string
}

/** What carries the load, with the options that it alone understands. */
export type Engine = NodeEngine | VirtualEngine | K6Engine

export interface RunOptions {
  /** Base URL of the crew under test. One of `target` and `profile` is needed. */
  target?: string
  /**
   * A shipped profile's name or a file: a fake crew is started for the run, in a process of its
   * own.
   */
  profile?: string
  /** What the fake crew of `profile` speaks. Default: what the profile says. */
  dialect?: Dialect
  /** What carries the load; a name alone is the engine with its defaults. Default `node`. */
  engine?: Engine | EngineName
  /**
   * Bearer tokens for `target`, dealt round by execution. They appear in nothing that is written.
   */
  tokens?: readonly string[]
  /**
   * Faults of the fake crew beside those of its profile, in YAML as a profile writes them: one, or
   * a list. Their times count from the zero of the run. Engines `node` and `virtual`.
   */
  faults?: string
  /** Of every random draw, the fake crew's too. Default: the scenario's, else 42. */
  seed?: number
  /** Time-lapse: divides the times of scenario and profile. Default 1. */
  speed?: number
  /** Changes to the scenario before it is checked: `{ 'arrivals.rate': '3/s' }`. */
  set?: Readonly<Record<string, string>>
  /** Extra request headers, lower-case names. */
  headers?: Readonly<Record<string, string>>
  tls?: TlsOptions
  /**
   * Hard limits, the smaller of these and the scenario's. A target that is not on this machine
   * needs one of kickoffs.
   */
  budget?: { kickoffs?: number; requests?: number; wallMicros?: Micros }
  costPerKickoff?: number
  /** Hard limit in money; with `costPerKickoff`. */
  maxCost?: number
  /** By what thresholds are judged that do not say so themselves. Default `interval`. */
  judge?: 'interval' | 'value'
  /**
   * What a threshold that its interval leaves undecided makes of the run. Default `inconclusive`.
   */
  inconclusive?: 'inconclusive' | 'pass' | 'fail'
  /** Where run folders are written; false writes nothing. Default `reports`. */
  out?: string | false
  /**
   * Environment of the fake crew and source of `HTTP_PROXY` and its kin. Default: this process's.
   */
  env?: Readonly<Record<string, string | undefined>>
  /** First abort: no more kickoffs, executions in flight go on. Use `onStart` for more. */
  signal?: AbortSignal
  /** Asked after the plan is known and before anything is sent; false sends nothing. */
  confirm?: (facts: PlanFacts) => boolean | Promise<boolean>
  /** What is worth knowing before the run and no mistake: a sentence each. */
  onNote?: (note: string) => void
  /**
   * What spoils the run while it goes on, told at once and once: a journal that cannot be written,
   * what the fake crew of the run says of itself.
   */
  onTrouble?: (trouble: string) => void
  /** Called when the clock starts, with a way to stop the run. */
  onStart?: (control: RunControl) => void
  /** At most four times a second. */
  onProgress?: (live: LiveProgress) => void
  /** What repeats this run, for the report. */
  command?: string
}

/** The engine with its options, where a name stands for it. */
export function engineOf({ engine = 'node' }: Pick<RunOptions, 'engine'>): Engine {
  return typeof engine === 'string' ? { kind: engine } : engine
}

export interface RunControl {
  /** `drain`: no more kickoffs; `now`: end everything. */
  stop(how: 'drain' | 'now'): void
  /**
   * For whoever catches what nobody else does (`process.on('uncaughtException', ...)`): the run
   * drains, writes its reports and is INVALID. What does not end by that is ended as it stands.
   * Never throws.
   */
  fail(error: unknown): void
}
