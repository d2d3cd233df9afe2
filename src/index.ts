/** The entry `crewload`: what a scenario file imports. Types and one function, so that any engine can bundle it. */

export { defineScenario } from './scenario/define.ts'
export type {
  Admission,
  ArrivalContext,
  Arrivals,
  Budget,
  CheckOption,
  CompletedOf,
  Connections,
  Duration,
  InputEntry,
  InputRecord,
  InputsOf,
  InputsOption,
  Polling,
  Process,
  RateText,
  Retry,
  Scenario,
  Share,
  Size,
  TagsOption,
  ThinkTime,
  ThresholdOption,
  Timeouts,
  Validity,
} from './scenario/define.ts'
export type { CompletedExecution } from './scenario/plan.ts'
export type { Random } from './random.ts'
