/** `crewload/run`: run a scenario from code, inside a test for example. */
export { UserError } from '../mistakes.ts'
export { defineScenario } from '../scenario/define.ts'
export type { ResultDocument } from '../analysis/document.ts'
export type { Scenario } from '../scenario/define.ts'
export { TargetError } from './errors.ts'
export type { RunControl, RunOptions } from './options.ts'
export { run } from './run.ts'
export type { Abandoned, RunOutcome } from './run.ts'
