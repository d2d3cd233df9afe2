/** A trial while it is measured: what its measurement may send, and how it does that. */
import type { Reason } from '../../../analysis/document.ts'
import type { RunFolder } from '../../../run/folder/folder.ts'
import type { Limits, Spent } from './budget.ts'
import type { CarriedRun, TrialRun } from './run.ts'

export interface TrialRunEnd extends CarriedRun {
  /** It was stopped, or the budget did not last: what it measured is a part alone. */
  isCut: boolean
  /** Null where no journal was kept. */
  folder: RunFolder | null
}

/**
 * A trial measures by runs of a scenario, by requests of its own, or by both. All of it is taken
 * from the one budget of the study.
 */
export interface Trial {
  /** Aborts when the study is stopped, in whatever way, or its target is lost. */
  readonly signal: AbortSignal
  /** Of the study's budget; what this trial has reserved or sent is taken off. */
  readonly left: Limits
  /**
   * Carries a run to its end, under what is left of the budget and of the scenario's own. Null when
   * none could begin: the study was stopped, its target lost, or the budget is too small for what
   * the run is expected to kick off.
   */
  run(run: TrialRun): Promise<TrialRunEnd | null>
  /**
   * To be asked before requests that are no part of a run: they are in the study's folder when it
   * returns, so that a kill cannot hide them from the budget. `most` is an upper bound, kickoffs
   * counted among the requests. False where the budget is too small for them: then nothing may be
   * sent, and the study ends by its budget.
   */
  reserve(most: Spent): Promise<boolean>
  /**
   * What is left does not suffice for what it would send next: the study ends by its budget. Gives
   * null, for the measurement that is not made.
   */
  outOfBudget(): null
  /** What was sent in fact, of what was reserved or where there is no limit. Adds up. */
  sent(count: Spent): void
  /** What is measured cannot be trusted. */
  distrust(reasons: readonly Reason[]): void
}
