/** What carries the load of a run: the seam between `run()` and each engine. */
import type { Ledger } from '../../analysis/ledger/reconcile.ts'
import type { Plan } from '../../scenario/plan.ts'
import type { LineSink } from '../line-sink.ts'
import type { RunOptions } from '../options.ts'

/**
 * Opens what a run needs before anything is measured: a fake crew where one is asked for, and
 * whatever the engine lives in. Throws UserError and TargetError with nothing left open. `scenario`
 * is what `loadScenario` takes to find the author's functions again; null when there is no file.
 */
type OpenBody = (plan: Plan, options: RunOptions, scenario: string | null) => Promise<Body>

/** What an engine says of itself before it is opened. */
export interface EngineTerms {
  /** For the printed plan: `node`; `k6, 4 VUs in 2 processes`. */
  readonly words: string
  /**
   * Throws UserError with everything for which it cannot carry this plan. `scenario` is what `run`
   * was given.
   */
  demand(plan: Plan, options: RunOptions, scenario: unknown): void
}

/** An engine with its options. */
export interface ChosenEngine extends EngineTerms {
  /**
   * What it lives in is loaded here: a run under Node needs neither k6's bundler nor the fake
   * crew's model.
   */
  open: OpenBody
}

export interface Body {
  /** Eight hex digits: in the correlation of every request. */
  readonly runId: string
  /** `fake crew "default"`, or null. */
  readonly profile: string | null
  /** The truth can be asked for at the end. */
  readonly hasLedger: boolean
  /**
   * The preflight, the whole load, and the truth brought home. Every line of every instance goes to
   * the line sink, its `run` line first. Throws UserError and TargetError before the first kickoff
   * alone: what goes wrong later is in the lines, or missing from them.
   */
  carry(lineSink: LineSink): Promise<Carried>
  close(): Promise<void>
}

export interface Carried {
  /** Null where there is none, or where it could not be read any more. */
  ledger: Ledger | null
  /**
   * Executions that were still running on the target when the run gave them up: each may go on
   * costing money.
   */
  abandoned: Abandoned[]
}

export interface Abandoned {
  index: number
  kickoffId: string
}
