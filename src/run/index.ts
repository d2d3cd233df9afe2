/** `crewload/run`: run a scenario from code, inside a test for example. */
export { UserError } from '../base/mistakes.ts'
export { defineMix, defineScenario } from '../scenario/define.ts'
export type { ResultDocument } from '../result/document.ts'
export type { Mix, MixPart, PlacedPart, ReplayedScenario, Scenario } from '../scenario/define.ts'
export type { MixDocument } from '../result/mix.ts'
export { TokenSource } from '../host/node/token-source.ts'
export type { Credential } from '../host/node/token-source.ts'
export { SendingBudget } from '../engine/sending-budget.ts'
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
export { runMix } from './mix/index.ts'
export type { MixOptions } from './mix/index.ts'
export type { MixOutcome } from './mix/carry.ts'
export type { Abandoned } from './progress.ts'
