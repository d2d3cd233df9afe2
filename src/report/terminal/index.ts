/** What a terminal shows: before, during and after a run. */
export { renderTerminal } from './end.ts'
export { renderPlan } from './plan.ts'
export type { PlanFacts } from './plan.ts'
export { renderProgress, renderProgressLine } from './progress.ts'
export type { LivePhase, LiveProgress } from './progress.ts'
