/** What a gate will do, as it is shown before anything is sent. */
import type { PlaceFacts } from '../../../../report/run/terminal/place.ts'
import type { RunPlan } from '../../../../report/run/terminal/plan.ts'
import type { GateTerms } from '../document.ts'
import type { GateTotal, SeenRuns } from './total.ts'

/**
 * The source of the baseline's runs; `none`: this gate makes them, though its history may tell of
 * `gates` before it.
 */
type Base =
  | { kind: 'stored'; folder: string; runs: number }
  | { kind: 'none'; folder: string; gates: number }
  | ({ kind: 'turns' } & PlaceFacts)

export interface GatePlan {
  /** The facts of each run of the candidate. */
  facts: RunPlan
  base: Base
  judged: readonly string[]
  terms: GateTerms
  /** What all runs take together, at most. */
  total: GateTotal
  /** Which change they can see. */
  sees: readonly SeenRuns[]
  updateBaseline: 'pass' | 'always' | null
  /** The commands that start the targets; null if they are already running. */
  starts: Record<'base' | 'new', string | null>
}
