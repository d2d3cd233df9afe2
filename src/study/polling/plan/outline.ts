/** What a study of polling will do, as it is shown before anything is sent. */
import type { RunPlan } from '../../../report/run/terminal/plan.ts'
import type { WishTold } from '../document.ts'

export interface PollingPlan {
  kind: 'runs' | 'virtual' | 'target'
  /** Folders that are read. */
  runs: readonly string[]
  /** The facts of the run that is made; null where runs are read. */
  facts: RunPlan | null
  wish: WishTold
}
