/** `crewload/run`: run a scenario from code, inside a test for example. */
export { UserError } from '../base/mistakes.ts'
export { defineScenario } from '../scenario/define.ts'
export type { ResultDocument } from '../result/document.ts'
export type { Scenario } from '../scenario/define.ts'
export { TargetError } from './errors.ts'
export type {
  Engine,
  EngineName,
  K6Engine,
  NodeEngine,
  ResumeOptions,
  RunControl,
  VirtualEngine,
} from './options.ts'
export { resume } from './resume/index.ts'
export type { ResumeOutcome } from './resume/index.ts'
export { run } from './run.ts'
export type { OptionsInCode as RunOptions } from './run.ts'
export type { RunOutcome } from './carry.ts'
export type { Abandoned } from './progress.ts'
