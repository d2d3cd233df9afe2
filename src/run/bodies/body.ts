/** The interface between `run()` and each engine, which carries the load of a run. */
import type { Ledger } from '../../result/ledger/reconcile.ts'
import type { Plan } from '../../scenario/plan.ts'
import type { LineSink } from '../line-sink.ts'
import type { RunOptions } from '../options.ts'
import type { RunLine, SimulatedNetwork } from '../../execution/record/journal-lines.ts'
import type { CrewPlace } from '../../execution/record/crew-place.ts'
import { describePlan, planHash } from '../../scenario/plan-data.ts'
import type { Micros } from '../../base/units.ts'
import { version } from '../environment/package.ts'

/**
 * Opens what a run needs before anything is measured: a fake crew when one is asked for, and the
 * environment of the engine. Throws UserError and TargetError and then leaves nothing open.
 * `scenario` is what `loadScenario` takes to load the author's functions again; null when there is
 * no file.
 */
type OpenBody = (plan: Plan, options: RunOptions, scenario: string | null) => Promise<Body>

/** What an engine states before it is opened. */
export interface EngineTerms {
  /** The engine in the printed plan: `node`; `k6, 4 VUs in 2 processes`. */
  readonly words: string
  /** Throws UserError with every reason for which the engine cannot carry this plan. */
  demand(plan: Plan, options: RunOptions): void
}

/** An engine with its options. */
export interface ChosenEngine extends EngineTerms {
  /**
   * Loads the engine's environment only now: a run under Node needs neither k6's bundler nor the
   * fake crew's model.
   */
  open: OpenBody
}

export interface Body {
  /** Eight hex digits, part of the correlation id of every request. */
  readonly runId: string
  /** Base URL; in virtual time, a made-up one. */
  readonly target: string
  /** Whether the crew ends with the run, so that nothing is left running on it. */
  readonly ownCrew: boolean
  /** Whether a ledger can be fetched at the end. */
  readonly hasLedger: boolean
  /**
   * Whether an earlier process began the run: its journal is continued, and its result is made of
   * the whole of it. Default: false.
   */
  readonly continues?: boolean
  /**
   * Runs the preflight and the whole load, then fetches the ledger; null when
   * there is none, or when it could no longer be read. Every line of every instance
   * goes to the line sink, its `run` line first. Throws UserError and TargetError only before the
   * first kickoff: later failures are in the lines, or lines are missing.
   */
  carry(lineSink: LineSink): Promise<Ledger | null>
  close(): Promise<void>
}

/** The first line of an instance's journal. */
export interface Origin {
  runId: string
  engine: RunLine['engine']
  /** The simulated network. Default null: the network is real. */
  network?: SimulatedNetwork
  /** This is instance i of n, counted from 0. */
  instance: number
  instances: number
  place: CrewPlace
  /** Wall clock of the run's zero, in Unix milliseconds with fraction. */
  anchorUnixMs: number
  /** Default 0, for the process that holds the mapping of the ledger's clock. */
  anchorErrorMicros?: Micros
}

export function runLine(plan: Plan, origin: Origin): RunLine {
  const document = describePlan(plan)
  return {
    type: 'run',
    schema: 'crewload/journal/1',
    crewload: version(),
    runId: origin.runId,
    scenario: plan.name,
    instance: origin.instance,
    instances: origin.instances,
    engine: origin.engine,
    network: origin.network ?? null,
    place: origin.place,
    anchorUnixMs: origin.anchorUnixMs,
    anchorErrorMicros: origin.anchorErrorMicros ?? 0,
    seed: plan.seed,
    speed: plan.speed,
    planHash: planHash(document),
    plan: document,
  }
}
